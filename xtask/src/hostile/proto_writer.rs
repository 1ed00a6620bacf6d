//! Protobuf messages, field by field.

/// A number of variable length.
pub fn varint(mut value: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    while value >= 0x80 {
        bytes.push(value as u8 | 0x80);
        value >>= 7;
    }
    bytes.push(value as u8);
    bytes
}

/// A field with a number.
pub fn number(field: u64, value: u64) -> Vec<u8> {
    [varint(field << 3), varint(value)].concat()
}

/// A field with bytes or a message.
pub fn bytes(field: u64, content: &[u8]) -> Vec<u8> {
    [varint(field << 3 | 2), varint(content.len() as u64), content.to_vec()].concat()
}

/// A field that claims to be longer than it is.
pub fn claimed(field: u64, length: u64, content: &[u8]) -> Vec<u8> {
    [varint(field << 3 | 2), varint(length), content.to_vec()].concat()
}

/// A packet of a Perfetto trace.
pub fn packet(fields: &[Vec<u8>]) -> Vec<u8> {
    bytes(1, &fields.concat())
}
