//! Event logs of Windows, buffer by buffer and event by event: sizes and filled bytes fit again.

use super::{Mutator, put, u16_at, u32_at};

/// Bytes of a buffer's header.
const HEADER: usize = 72;
/// Offset of the number of bytes that are filled.
const FILLED: usize = 0x30;

pub fn mutated(mutator: &mut Mutator<'_>, bytes: &[u8]) -> Option<Vec<u8>> {
    let mut buffers = Vec::new();
    let mut rest = bytes;
    while let Some(size) = u32_at(rest, 0).filter(|size| *size >= HEADER) {
        let Some((buffer, behind)) = rest.split_at_checked(size) else { break };
        buffers.push(buffer.to_vec());
        rest = behind;
    }
    if buffers.is_empty() {
        return None;
    }
    if mutator.one_in(5) {
        mutator.rearrange(&mut buffers);
    } else {
        let at = mutator.below(buffers.len());
        if mutator.one_in(8) {
            mutator.word(&mut buffers[at][..HEADER]);
        } else {
            change_buffer(mutator, &mut buffers[at]);
        }
    }
    let mut all = buffers.concat();
    all.extend(rest);
    Some(all)
}

fn change_buffer(mutator: &mut Mutator<'_>, buffer: &mut Vec<u8>) {
    let filled = u32_at(buffer, FILLED).unwrap_or(0).clamp(HEADER, buffer.len());
    let is_packed = buffer.get(0x34).is_some_and(|flags| flags & 0x40 != 0);
    if is_packed {
        let mut content = buffer.split_off(HEADER);
        mutator.content(&mut content);
        buffer.extend(content);
        let size = (buffer.len() as u32).to_le_bytes();
        put(buffer, 0, &size);
        return;
    }
    let mut events = Vec::new();
    let mut rest = &buffer[HEADER..filled];
    while let Some(size) = event_size(rest).filter(|size| *size >= 8) {
        let Some((event, behind)) = rest.split_at_checked(size.next_multiple_of(8)) else { break };
        events.push(event.to_vec());
        rest = behind;
    }
    if events.is_empty() || mutator.one_in(4) {
        mutator.rearrange(&mut events);
    } else {
        let at = mutator.below(events.len());
        let event = &mut events[at];
        if mutator.one_in(4) {
            mutator.word(&mut event[..8]);
        } else {
            let mut payload = event.split_off(8);
            mutator.content(&mut payload);
            event.extend(payload);
            let size = (event.len() as u16).to_le_bytes();
            let at = if has_size_behind(event) { 4 } else { 0 };
            put(event, at, &size);
            event.resize(event.len().next_multiple_of(8), 0xff);
        }
    }
    let mut content = events.concat();
    content.extend(rest);
    let filled = (HEADER + content.len()) as u32;
    let size = buffer.len().max(filled as usize);
    buffer.truncate(HEADER);
    buffer.extend(content);
    buffer.resize(size, 0xff);
    put(buffer, 0, &(size as u32).to_le_bytes());
    put(buffer, FILLED, &filled.to_le_bytes());
}

/// Headers of system and performance events have their size behind their version.
fn has_size_behind(event: &[u8]) -> bool {
    matches!(event.get(2), Some(1..=4 | 16 | 17))
}

fn event_size(event: &[u8]) -> Option<usize> {
    u16_at(event, if has_size_behind(event) { 4 } else { 0 })
}
