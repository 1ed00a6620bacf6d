//! The packets of a Perfetto trace, one after another.

use std::io::Read;

/// The beginning of the next packet of a trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NextPacket {
    /// There is none.
    End,
    /// Something that no packet begins with.
    Foreign,
    /// A length that is cut short or no number.
    Cut,
    /// A packet of so many bytes, which come next.
    Bytes(u64),
}

/// Reads the head of the next packet: `Trace.packet`, the only field of a trace, with a length.
pub(crate) fn next_packet(reader: &mut impl Read) -> NextPacket {
    const PACKET: u8 = 1 << 3 | 2;
    let mut tag = [0; 1];
    if reader.read_exact(&mut tag).is_err() {
        return NextPacket::End;
    }
    if tag != [PACKET] {
        return NextPacket::Foreign;
    }
    varint(reader).map_or(NextPacket::Cut, NextPacket::Bytes)
}

fn varint(reader: &mut impl Read) -> Option<u64> {
    let mut value = 0_u64;
    for shift in (0..64).step_by(7) {
        let mut byte = [0; 1];
        reader.read_exact(&mut byte).ok()?;
        let [byte] = byte;
        value |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return Some(value);
        }
    }
    None
}
