//! Recognition of a trace by its first bytes.

use wattle_wire::{Defect, Fields, Value, read_varint};

use super::packet_envelope::{is_envelope, is_message};
use super::packet_names::packet_name;

/// Whether a file begins as a trace does: as a message whose fields are packets. The head may end inside one.
pub fn starts_with_packet(head: &[u8]) -> bool {
    const PACKET: u32 = 1;
    const PACKET_TAG: u8 = 0x0a;
    // Text can begin with an empty line, which is the same byte. Packets hold control bytes.
    let is_ascii_text = head.iter().all(|b| matches!(b, b'\t' | b'\n' | b'\r' | 0x20..=0x7e));
    if head.first() != Some(&PACKET_TAG) || (is_ascii_text && head.len() > 1) {
        return false;
    }
    match Fields::new(head).next() {
        Some(Ok(field)) => match field.value {
            Value::Len(packet) => field.number == PACKET && starts_a_packet(packet, false),
            _ => false,
        },
        // The first packet is longer than the head, or all there is of it.
        Some(Err(_)) => {
            let mut position = 1;
            let length = read_varint(head, &mut position);
            let rest = head.get(position..).unwrap_or_default();
            length.is_ok_and(|length| length > rest.len() as u64) && starts_a_packet(rest, true)
        }
        None => false,
    }
}

/// Whether the bytes can be a packet, or the beginning of one: fields that are known have the right wire
/// type, and there is one of them.
fn starts_a_packet(bytes: &[u8], is_cut: bool) -> bool {
    const LEN: u64 = 2;
    const VARINT: u64 = 0;
    let mut known = bytes.is_empty();
    let mut fields = Fields::new(bytes);
    loop {
        let offset = fields.offset() as usize;
        let is_whole = match fields.next() {
            None => return known,
            Some(Ok(_)) => true,
            Some(Err(error)) => {
                if !is_cut || !matches!(error.defect, Defect::Truncated | Defect::Length { .. }) {
                    return false;
                }
                false
            }
        };
        let mut position = offset;
        let Ok(tag) = read_varint(bytes, &mut position) else { return known || is_cut };
        let number = (tag >> 3) as u32;
        let expected = match number {
            number if is_message(number) => Some(LEN),
            number if is_envelope(number) => Some(VARINT),
            number => packet_name(number).map(|_| LEN),
        };
        if expected.is_some_and(|expected| expected != tag & 7) {
            return false;
        }
        let is_message = expected == Some(LEN) && !BYTES.contains(&number);
        if is_message && read_varint(bytes, &mut position).is_ok() {
            let to = if is_whole { fields.offset() as usize } else { bytes.len() };
            if !is_message_so_far(bytes.get(position..to).unwrap_or_default(), is_whole) {
                return false;
            }
        }
        known |= expected.is_some();
        if !is_whole {
            return known;
        }
    }
}

/// Data fields that are no messages: the mark of synchronization, and packed packets.
const BYTES: [u32; 3] = [36, 50, 133];

/// Whether the bytes are the fields of a message, or its beginning.
fn is_message_so_far(bytes: &[u8], is_whole: bool) -> bool {
    Fields::new(bytes).all(|field| match field {
        Ok(_) => true,
        Err(error) => {
            !is_whole && matches!(error.defect, Defect::Truncated | Defect::Length { .. })
        }
    })
}
