//! A real trace taken apart into its packets, without the reader under test.

use std::ops::Range;

/// Returns the range of each packet of a trace, its tag and length included.
pub fn packets(trace: &[u8]) -> Vec<Range<usize>> {
    let mut packets = Vec::new();
    let mut start = 0;
    while start < trace.len() {
        assert_eq!(trace[start], 0x0a, "a trace is packets, each field 1");
        let mut at = start + 1;
        let length = varint(trace, &mut at);
        packets.push(start..at + length as usize);
        start = at + length as usize;
    }
    packets
}

fn varint(bytes: &[u8], at: &mut usize) -> u64 {
    let (mut value, mut shift) = (0, 0);
    loop {
        let byte = bytes[*at];
        *at += 1;
        value |= u64::from(byte & 0x7f) << shift;
        shift += 7;
        if byte < 0x80 {
            return value;
        }
    }
}

/// The content of the first field of that number, if it is one with a length (2) or a number (0).
fn field(message: &[u8], wanted: u64) -> Option<Range<usize>> {
    let mut at = 0;
    while at < message.len() {
        let tag = varint(message, &mut at);
        let start = at;
        match tag & 7 {
            0 => drop(varint(message, &mut at)),
            1 => at += 8,
            5 => at += 4,
            _ => at += varint(message, &mut at) as usize,
        }
        if tag >> 3 == wanted {
            return Some(start..at);
        }
    }
    None
}

/// The CPU of a packet that is a bundle of kernel events (field 1 of the packet, field 1 of that).
pub fn bundle_cpu(packet: &[u8]) -> Option<u64> {
    let mut at = 1;
    varint(packet, &mut at);
    let content = &packet[at..];
    let bundle = &content[field(content, 1)?];
    let mut at = 0;
    varint(bundle, &mut at);
    let cpu = &bundle[at..];
    Some(varint(&cpu[field(cpu, 1)?], &mut 0))
}
