//! Binary XML chunk by chunk: sizes of the chunks and of the file fit again.

use super::{Mutator, put, u16_at, u32_at};

/// Bytes of the file's own header.
const HEADER: usize = 8;
/// The string pool's chunk.
const STRINGS: usize = 1;

pub fn mutated(mutator: &mut Mutator<'_>, bytes: &[u8]) -> Option<Vec<u8>> {
    if u16_at(bytes, 0)? != 3 {
        return None;
    }
    let (head, mut rest) = bytes.split_at_checked(HEADER)?;
    let mut chunks = Vec::new();
    while let Some(size) = u32_at(rest, 4).filter(|size| *size >= 8) {
        let Some((chunk, behind)) = rest.split_at_checked(size) else { break };
        chunks.push(chunk.to_vec());
        rest = behind;
    }
    if chunks.is_empty() {
        return None;
    }
    if mutator.one_in(3) {
        mutator.rearrange(&mut chunks);
    } else {
        let at = mutator.below(chunks.len());
        let chunk = &mut chunks[at];
        if u16_at(chunk, 0) == Some(STRINGS) && mutator.one_in(2) {
            strings(mutator, chunk);
        } else {
            let mut body = chunk.split_off(8);
            mutator.content(&mut body);
            chunk.extend(body);
            if mutator.one_in(10) {
                mutator.word(&mut chunk[..8]);
            }
        }
        chunk.resize(chunk.len().next_multiple_of(4), 0);
        let size = (chunk.len() as u32).to_le_bytes();
        put(chunk, 4, &size);
    }
    let mut all = head.to_vec();
    all.extend(chunks.concat());
    all.extend(rest);
    let size = (all.len() as u32).to_le_bytes();
    put(&mut all, 4, &size);
    Some(all)
}

/// Changes counts, offsets or one string of a pool.
fn strings(mutator: &mut Mutator<'_>, pool: &mut [u8]) {
    let count = u32_at(pool, 8).unwrap_or(0).min(pool.len() / 4);
    let start = u32_at(pool, 20).unwrap_or(0).min(pool.len());
    let end_of_offsets = (28 + 4 * count).min(pool.len());
    match mutator.below(4) {
        0 => mutator.word(&mut pool[8.min(end_of_offsets)..28.min(end_of_offsets)]),
        1 => mutator.word(&mut pool[28.min(end_of_offsets)..end_of_offsets]),
        _ => mutator.word(&mut pool[start..]),
    }
}
