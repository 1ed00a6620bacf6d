//! The field cursor.

use crate::{Defect, Value, WireError, read_varint};

/// One field of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Field<'a> {
    /// Its number in the message's definition.
    pub number: u32,
    /// Value of the field.
    pub value: Value<'a>,
}

/// The fields of one message, in the order in which they were written. Groups (wire types 3 and 4,
/// which no current format uses) are stepped over. After an error it ends.
#[derive(Clone, Debug)]
pub struct Fields<'a> {
    bytes: &'a [u8],
    position: usize,
    base: u64,
}

const MAX_FIELD_NUMBER: u64 = (1 << 29) - 1;

impl<'a> Fields<'a> {
    /// Over the bytes of a message.
    #[inline]
    pub const fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, position: 0, base: 0 }
    }

    /// Over the bytes of a message that lie at `base` in something larger; offsets count from there.
    #[inline]
    pub const fn at(bytes: &'a [u8], base: u64) -> Self {
        Self { bytes, position: 0, base }
    }

    /// Offset of the next field.
    #[inline]
    pub const fn offset(&self) -> u64 {
        self.base + self.position as u64
    }

    /// Steps to the first field with the number and gives its value.
    pub fn find(bytes: &'a [u8], number: u32) -> Option<Value<'a>> {
        Self::new(bytes).map_while(Result::ok).find(|f| f.number == number).map(|f| f.value)
    }

    #[inline(always)]
    #[expect(clippy::inline_always, reason = "the hottest loop of reading")]
    fn read(&mut self) -> Result<Option<Field<'a>>, Defect> {
        while self.position < self.bytes.len() {
            let tag = read_varint(self.bytes, &mut self.position)?;
            let number = tag >> 3;
            if number == 0 || number > MAX_FIELD_NUMBER {
                return Err(Defect::FieldNumber(number));
            }
            let value = match tag & 7 {
                3 => {
                    self.skip_group(number as u32)?;
                    continue;
                }
                4 => return Err(Defect::Group(number as u32)),
                wire_type => self.read_value(wire_type as u8)?,
            };
            return Ok(Some(Field { number: number as u32, value }));
        }
        Ok(None)
    }

    #[inline(always)]
    #[expect(clippy::inline_always, reason = "the hottest loop of reading")]
    fn read_value(&mut self, wire_type: u8) -> Result<Value<'a>, Defect> {
        match wire_type {
            0 => Ok(Value::Varint(read_varint(self.bytes, &mut self.position)?)),
            1 => Ok(Value::I64(u64::from_le_bytes(self.take_array()?))),
            2 => {
                let expected = read_varint(self.bytes, &mut self.position)?;
                let rest = self.bytes.get(self.position..).unwrap_or_default();
                let found = rest.len() as u64;
                let taken = usize::try_from(expected).ok().and_then(|length| rest.get(..length));
                let taken = taken.ok_or(Defect::Length { expected, found })?;
                self.position += taken.len();
                Ok(Value::Len(taken))
            }
            5 => Ok(Value::I32(u32::from_le_bytes(self.take_array()?))),
            other => Err(Defect::WireType(other)),
        }
    }

    #[inline]
    fn take_array<const N: usize>(&mut self) -> Result<[u8; N], Defect> {
        let rest = self.bytes.get(self.position..).unwrap_or_default();
        let array = rest.first_chunk::<N>().ok_or(Defect::Truncated)?;
        self.position += N;
        Ok(*array)
    }

    /// Steps past the end of a group. Groups nest; only the depth is kept, and it cannot exceed the
    /// number of bytes.
    #[cold]
    fn skip_group(&mut self, number: u32) -> Result<(), Defect> {
        let mut open = vec![number];
        while let Some(innermost) = open.last().copied() {
            let tag = read_varint(self.bytes, &mut self.position)?;
            let number = tag >> 3;
            if number == 0 || number > MAX_FIELD_NUMBER {
                return Err(Defect::FieldNumber(number));
            }
            match tag & 7 {
                3 => open.push(number as u32),
                4 if number as u32 == innermost => {
                    open.pop();
                }
                4 => return Err(Defect::Group(number as u32)),
                wire_type => {
                    self.read_value(wire_type as u8)?;
                }
            }
        }
        Ok(())
    }
}

impl<'a> Iterator for Fields<'a> {
    type Item = Result<Field<'a>, WireError>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        let offset = self.offset();
        match self.read() {
            Ok(field) => field.map(Ok),
            Err(defect) => {
                self.position = self.bytes.len();
                Some(Err(WireError { defect, offset }))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Number and value, or defect and place.
    type Expected<'a> = Result<(u32, Value<'a>), (Defect, u64)>;

    #[track_caller]
    fn check(bytes: &[u8], expected: &[Expected<'_>]) {
        let found: Vec<_> = Fields::at(bytes, 100)
            .map(|field| match field {
                Ok(field) => Ok((field.number, field.value)),
                Err(error) => Err((error.defect, error.offset)),
            })
            .collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn every_wire_type() {
        check(&[], &[]);
        check(&[0x08, 0x96, 0x01], &[Ok((1, Value::Varint(150)))]);
        check(&[0x11, 1, 0, 0, 0, 0, 0, 0, 0], &[Ok((2, Value::I64(1)))]);
        check(&[0x1a, 2, b'h', b'i'], &[Ok((3, Value::Len(b"hi")))]);
        check(&[0x25, 1, 0, 0, 0], &[Ok((4, Value::I32(1)))]);
        // Group 1 with a varint and a nested group, then field 2.
        check(&[0x0b, 0x08, 5, 0x13, 0x14, 0x0c, 0x10, 7], &[Ok((2, Value::Varint(7)))]);
    }

    #[test]
    fn defects_have_their_offset_and_end_the_cursor() {
        check(&[0x08, 1, 0x08], &[Ok((1, Value::Varint(1))), Err((Defect::Truncated, 102))]);
        check(&[0x00, 1], &[Err((Defect::FieldNumber(0), 100))]);
        check(&[0x0e, 1], &[Err((Defect::WireType(6), 100))]);
        check(&[0x0a, 3, 1, 2], &[Err((Defect::Length { expected: 3, found: 2 }, 100))]);
        check(&[0x0c, 1], &[Err((Defect::Group(1), 100))]);
        check(&[0x0b, 0x14], &[Err((Defect::Group(2), 100))]);
        check(&[0x0b], &[Err((Defect::Truncated, 100))]);
        check(&[0x11, 1, 0], &[Err((Defect::Truncated, 100))]);
        check(
            &[0x0a, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01],
            &[Err((Defect::Length { expected: u64::MAX, found: 0 }, 100))],
        );
    }
}
