//! The writer.

use crate::zigzag;

/// Writes fields into a growing buffer.
#[derive(Clone, Debug, Default)]
pub struct Writer {
    bytes: Vec<u8>,
}

impl Writer {
    /// An empty one.
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns the written bytes.
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Returns the written bytes, taken out.
    pub fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }

    /// Returns the number of bytes written.
    pub fn len(&self) -> usize {
        self.bytes.len()
    }

    /// Whether nothing was written.
    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// Forgets what was written and keeps the buffer.
    pub fn clear(&mut self) {
        self.bytes.clear();
    }

    /// An unsigned number, a `bool` or an enumeration's number.
    pub fn varint(&mut self, field: u32, value: u64) {
        self.tag(field, 0);
        self.raw_varint(value);
    }

    /// An `int32` or `int64`; negative ones take ten bytes.
    pub fn int(&mut self, field: u32, value: i64) {
        self.varint(field, value as u64);
    }

    /// A `sint32` or `sint64`.
    pub fn sint(&mut self, field: u32, value: i64) {
        self.varint(field, zigzag(value));
    }

    /// A `bool`.
    pub fn bool(&mut self, field: u32, value: bool) {
        self.varint(field, u64::from(value));
    }

    /// A `fixed64`.
    pub fn fixed64(&mut self, field: u32, value: u64) {
        self.tag(field, 1);
        self.bytes.extend_from_slice(&value.to_le_bytes());
    }

    /// A `fixed32`.
    pub fn fixed32(&mut self, field: u32, value: u32) {
        self.tag(field, 5);
        self.bytes.extend_from_slice(&value.to_le_bytes());
    }

    /// A `double`.
    pub fn double(&mut self, field: u32, value: f64) {
        self.fixed64(field, value.to_bits());
    }

    /// A `float`.
    pub fn float(&mut self, field: u32, value: f32) {
        self.fixed32(field, value.to_bits());
    }

    /// A `string`.
    pub fn string(&mut self, field: u32, value: &str) {
        self.bytes(field, value.as_bytes());
    }

    /// `bytes`, or a message that was written before.
    pub fn bytes(&mut self, field: u32, value: &[u8]) {
        self.tag(field, 2);
        self.raw_varint(value.len() as u64);
        self.bytes.extend_from_slice(value);
    }

    /// A packed repeated unsigned field.
    pub fn packed(&mut self, field: u32, values: impl IntoIterator<Item = u64>) {
        self.message(field, |inner| {
            for value in values {
                inner.raw_varint(value);
            }
        });
    }

    /// A packed repeated `sint32` or `sint64` field.
    pub fn packed_sint(&mut self, field: u32, values: impl IntoIterator<Item = i64>) {
        self.packed(field, values.into_iter().map(zigzag));
    }

    /// A message. Its fields are written by the closure into the same buffer; the length before them is
    /// filled in afterwards.
    pub fn message<R>(&mut self, field: u32, write: impl FnOnce(&mut Self) -> R) -> R {
        self.tag(field, 2);
        let length_at = self.bytes.len();
        // Most messages are shorter than 128 bytes and need one byte of length.
        self.bytes.push(0);
        let result = write(self);
        let length = self.bytes.len() - length_at - 1;
        if let (Ok(short @ 0..0x80), Some(byte)) =
            (u8::try_from(length), self.bytes.get_mut(length_at))
        {
            *byte = short;
        } else {
            let mut encoded = [0; 10];
            let taken = encode(length as u64, &mut encoded);
            self.bytes.splice(length_at..=length_at, encoded.into_iter().take(taken));
        }
        result
    }

    /// A bare varint without a tag, for packed fields written by hand.
    #[inline]
    pub fn raw_varint(&mut self, value: u64) {
        if let Ok(short @ 0..0x80) = u8::try_from(value) {
            self.bytes.push(short);
            return;
        }
        let mut encoded = [0; 10];
        let taken = encode(value, &mut encoded);
        self.bytes.extend_from_slice(encoded.get(..taken).unwrap_or_default());
    }

    #[inline]
    fn tag(&mut self, field: u32, wire_type: u32) {
        self.raw_varint(u64::from(field) << 3 | u64::from(wire_type));
    }
}

/// Writes the varint and says how many bytes it took.
#[inline]
fn encode(mut value: u64, into: &mut [u8; 10]) -> usize {
    let mut taken = 0;
    for slot in into {
        taken += 1;
        *slot = value as u8 & 0x7f;
        value >>= 7;
        if value == 0 {
            break;
        }
        *slot |= 0x80;
    }
    taken
}
