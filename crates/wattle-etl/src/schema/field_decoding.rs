//! Fields of a payload, by their layout.

use std::fmt::Write as _;
use std::net::{Ipv4Addr, Ipv6Addr};

use wattle_wire::{ByteCursor, ByteOrder};

use super::field_layout::{Amount, DEEPEST, FieldLayout};
use super::field_type::{InType, OutType};
use super::field_value::{Field, Value};
use crate::event_record::Guid;

/// Values of one event that are decoded. A payload has at most 64 KiB, but arrays of nothing need none of it.
const MOST_VALUES: usize = 1 << 16;

/// The fields of a payload; those before the first that does not fit.
pub(super) fn decode(layout: &[FieldLayout], payload: &[u8], pointer_size: u8) -> Vec<Field> {
    let cursor = ByteCursor::new(payload, 0, ByteOrder::LITTLE);
    let mut decoder = Decoder { cursor, pointer_size, values: 0 };
    let mut fields = Vec::new();
    let _ = decoder.fields(layout, &mut fields, &[], 0);
    fields
}

struct Decoder<'a> {
    cursor: ByteCursor<'a>,
    pointer_size: u8,
    values: usize,
}

impl<'a> Decoder<'a> {
    /// Appends what could be decoded, and says whether that was all.
    fn fields(
        &mut self,
        layout: &[FieldLayout],
        fields: &mut Vec<Field>,
        outer: &[Field],
        depth: usize,
    ) -> Option<()> {
        for field in layout {
            self.one_more()?;
            let amount = |amount: &Amount, decoder: &mut Self| match amount {
                Amount::Fixed(number) => Some(usize::from(*number)),
                Amount::Before => decoder.cursor.u16().map(usize::from),
                Amount::Field(name) => {
                    let known = fields.iter().rev().chain(outer.iter().rev());
                    let value = known.into_iter().find(|it| it.name == *name)?.value.number()?;
                    usize::try_from(value).ok()
                }
            };
            let count = match &field.count {
                Some(count) => Some(amount(count, self)?),
                None => None,
            };
            let length = match &field.length {
                Some(length) if count.is_none() || *length != Amount::Before => {
                    Some(amount(length, self)?)
                }
                _ => None,
            };
            let value = |decoder: &mut Self| {
                let length = match (&field.length, count) {
                    // Each of an array has its own.
                    (Some(Amount::Before), Some(_)) => Some(usize::from(decoder.cursor.u16()?)),
                    _ => length,
                };
                decoder.value(field, length, fields, depth)
            };
            let value = match count {
                None => value(self)?,
                Some(count) => {
                    let mut values = Vec::new();
                    for _ in 0..count {
                        values.push(value(self)?);
                    }
                    Value::List(values)
                }
            };
            fields.push(Field { name: field.name.clone(), value });
        }
        Some(())
    }

    fn value(
        &mut self,
        field: &FieldLayout,
        length: Option<usize>,
        outer: &[Field],
        depth: usize,
    ) -> Option<Value> {
        self.one_more()?;
        if field.in_type == InType::Struct {
            if depth >= DEEPEST {
                return None;
            }
            let mut members = Vec::new();
            self.fields(&field.members, &mut members, outer, depth + 1)?;
            return Some(Value::Group(members));
        }
        let value = self.scalar(field.in_type, length)?;
        let value = shown(value, field.in_type, field.out_type);
        let named = field.map.as_ref().zip(value.number());
        Some(named.and_then(|(map, number)| map.name(number)).map_or(value, Value::Text))
    }

    fn scalar(&mut self, in_type: InType, length: Option<usize>) -> Option<Value> {
        Some(match in_type {
            InType::Null | InType::Struct => Value::Null,
            InType::Utf16 => {
                let taken = length.map(|length| self.cursor.take(length.checked_mul(2)?));
                Value::Text(utf16(taken.unwrap_or_else(|| self.take_until_zero::<2>())?))
            }
            InType::Text => {
                let taken = length.map(|length| self.cursor.take(length));
                Value::Text(text(taken.unwrap_or_else(|| self.take_until_zero::<1>())?))
            }
            InType::Int8 => Value::Signed(i64::from(self.array::<1>()?[0].cast_signed())),
            InType::Uint8 => Value::Unsigned(u64::from(self.array::<1>()?[0])),
            InType::Int16 => Value::Signed(i64::from(i16::from_le_bytes(self.array()?))),
            InType::Uint16 | InType::Utf16Char => Value::Unsigned(u64::from(self.cursor.u16()?)),
            InType::Int32 => Value::Signed(i64::from(i32::from_le_bytes(self.array()?))),
            InType::Uint32 => Value::Unsigned(u64::from(self.cursor.u32()?)),
            InType::Int64 => Value::Signed(i64::from_le_bytes(self.array()?)),
            InType::Uint64 => Value::Unsigned(self.cursor.u64()?),
            InType::Float => Value::Float(f64::from(f32::from_le_bytes(self.array()?))),
            InType::Double => Value::Float(f64::from_le_bytes(self.array()?)),
            InType::Boolean => Value::Boolean(self.cursor.u32()? != 0),
            InType::Binary => Value::Bytes(self.cursor.take(length?)?.to_vec()),
            InType::Guid => Value::Guid(Guid::from_bytes(self.array()?)),
            InType::Pointer => Value::Hex(self.pointer()?),
            InType::FileTime => Value::FileTime(self.cursor.u64()?),
            InType::SystemTime => {
                let bytes: [u8; 16] = self.array()?;
                let pairs = bytes.as_chunks::<2>().0;
                Value::SystemTime(std::array::from_fn(|index| u16::from_le_bytes(pairs[index])))
            }
            InType::Sid => Value::Text(self.sid()?),
            InType::TokenSid => {
                // A null pointer, and then there is no SID behind.
                if self.pointer()? == 0 {
                    return Some(Value::Null);
                }
                self.pointer()?;
                Value::Text(self.sid()?)
            }
            InType::HexInt32 => Value::Hex(u64::from(self.cursor.u32()?)),
            InType::HexInt64 => Value::Hex(self.cursor.u64()?),
            InType::CountedUtf16 => Value::Text(utf16(self.counted()?)),
            InType::CountedText => Value::Text(text(self.counted()?)),
            InType::CountedBinary => Value::Bytes(self.counted()?.to_vec()),
            InType::Utf16ToEnd => Value::Text(utf16(self.cursor.take(self.cursor.rest().len())?)),
            InType::TextToEnd => Value::Text(text(self.cursor.take(self.cursor.rest().len())?)),
        })
    }

    /// Counts fields and values.
    fn one_more(&mut self) -> Option<()> {
        self.values += 1;
        (self.values <= MOST_VALUES).then_some(())
    }

    /// Up to a character of zeros, which is stepped over, or to the end.
    fn take_until_zero<const N: usize>(&mut self) -> Option<&'a [u8]> {
        let characters = self.cursor.rest().as_chunks::<N>().0;
        let end = characters.iter().position(|it| it.iter().all(|byte| *byte == 0));
        let taken = self.cursor.take(end.unwrap_or(characters.len()) * N)?;
        let zero = self.cursor.rest().len().min(N);
        self.cursor.take(zero)?;
        Some(taken)
    }

    fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        self.cursor.take(N)?.first_chunk().copied()
    }

    fn pointer(&mut self) -> Option<u64> {
        if self.pointer_size == 4 { self.cursor.u32().map(u64::from) } else { self.cursor.u64() }
    }

    fn counted(&mut self) -> Option<&'a [u8]> {
        let length = self.cursor.u16()?;
        self.cursor.take(usize::from(length))
    }

    /// A security identity, as Windows writes it: `S-1-5-18`.
    fn sid(&mut self) -> Option<String> {
        let [revision, count, authority @ ..]: [u8; 8] = self.array()?;
        let authority = authority.iter().fold(0_u64, |sum, byte| sum << 8 | u64::from(*byte));
        let mut text = format!("S-{revision}-{authority}");
        for _ in 0..count {
            let authority = self.cursor.u32()?;
            let _ = write!(text, "-{authority}");
        }
        Some(text)
    }
}

/// Converts a value to the form in which it is meant to be shown.
fn shown(value: Value, in_type: InType, out_type: OutType) -> Value {
    match (value, out_type) {
        (Value::Unsigned(number), _) if in_type == InType::Utf16Char => character(number),
        (Value::Signed(number), OutType::Text) if in_type == InType::Int8 => {
            character(u64::from(number.cast_unsigned().to_le_bytes()[0]))
        }
        (Value::Unsigned(number), OutType::Text)
            if matches!(in_type, InType::Uint8 | InType::Uint16) =>
        {
            character(number)
        }
        (Value::Unsigned(number), OutType::Boolean) => Value::Boolean(number != 0),
        (Value::Signed(number), OutType::Boolean) => Value::Boolean(number != 0),
        (Value::Unsigned(number), OutType::Hex) => Value::Hex(number),
        (Value::Signed(number), OutType::Hex) => {
            let bits = number.cast_unsigned();
            Value::Hex(if in_type == InType::Int32 { bits & 0xffff_ffff } else { bits })
        }
        (Value::Unsigned(number) | Value::Hex(number), OutType::Signed) => {
            Value::Signed(number.cast_signed())
        }
        (Value::Hex(number), OutType::Unsigned) => Value::Unsigned(number),
        (Value::Unsigned(number), OutType::Port) if in_type == InType::Uint16 => {
            Value::Unsigned(u64::from((number as u16).swap_bytes()))
        }
        (Value::Unsigned(number), OutType::Ipv4) if in_type == InType::Uint32 => {
            let [a, b, c, d] = (number as u32).to_le_bytes();
            Value::Text(Ipv4Addr::new(a, b, c, d).to_string())
        }
        (Value::Bytes(bytes), OutType::Ipv6) => match <[u8; 16]>::try_from(bytes.as_slice()) {
            Ok(octets) => Value::Text(Ipv6Addr::from(octets).to_string()),
            Err(_) => Value::Bytes(bytes),
        },
        (Value::Unsigned(number), OutType::FileTime) => Value::FileTime(number),
        (Value::Signed(number), OutType::FileTime) => Value::FileTime(number.cast_unsigned()),
        (value, _) => value,
    }
}

fn character(number: u64) -> Value {
    let character = u32::try_from(number).ok().and_then(char::from_u32);
    Value::Text(character.unwrap_or(char::REPLACEMENT_CHARACTER).to_string())
}

/// UTF-16 as far as the first zero, which some writers count.
fn utf16(bytes: &[u8]) -> String {
    let units = bytes.as_chunks::<2>().0.iter().map(|it| u16::from_le_bytes(*it));
    let units = units.take_while(|unit| *unit != 0);
    char::decode_utf16(units).map(|it| it.unwrap_or(char::REPLACEMENT_CHARACTER)).collect()
}

/// Single bytes, most often UTF-8, as far as the first zero.
fn text(bytes: &[u8]) -> String {
    let end = memchr::memchr(0, bytes).unwrap_or(bytes.len());
    String::from_utf8_lossy(&bytes[..end]).into_owned()
}
