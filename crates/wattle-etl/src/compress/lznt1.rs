//! LZNT1: MS-XCA 2.5.

use super::Damage;
use super::bits::Input;
use super::output::Output;

/// Bits 12 to 14 of every chunk's header.
const SIGNATURE: u16 = 3;
/// Largest unpacked size of a chunk.
const CHUNK: usize = 4096;
/// The shortest match; lengths are written without it.
const SHORTEST: usize = 3;

/// Unpacks chunks until `output` is full.
pub(super) fn decompress(packed: &[u8], output: &mut Output) -> Result<(), Damage> {
    let mut input = Input::new(packed);
    while !output.is_full() {
        let header = input.word()?;
        if header == 0 {
            return Err(Damage::Ended);
        }
        if header >> 12 & 7 != SIGNATURE {
            return Err(Damage::Length);
        }
        let body = input.take(usize::from(header & 0xfff) + 1)?;
        if header >> 15 == 0 {
            output.literals(body);
        } else {
            chunk(body, output)?;
        }
    }
    Ok(())
}

/// Unpacks one chunk. Matches reach back to its beginning only.
fn chunk(body: &[u8], output: &mut Output) -> Result<(), Damage> {
    let start = output.len();
    let mut rest = body.iter();
    while let Some(flags) = rest.next() {
        for bit in 0..8 {
            let Some(first) = rest.next() else { return Ok(()) };
            if flags >> bit & 1 == 0 {
                output.literal(*first);
                continue;
            }
            let Some(second) = rest.next() else { return Err(Damage::Ended) };
            let word = usize::from(u16::from_le_bytes([*first, *second]));
            let done = output.len() - start;
            let length_bits = length_bits(done);
            let distance = (word >> length_bits) + 1;
            if distance > done {
                // A full output stands still while the chunk goes on; nothing more is wanted of it.
                return if output.is_full() { Ok(()) } else { Err(Damage::NothingToRepeat) };
            }
            output.repeat(distance, (word & ((1 << length_bits) - 1)) + SHORTEST)?;
        }
        if output.len() - start > CHUNK {
            return Err(Damage::Length);
        }
    }
    Ok(())
}

/// Returns the number of bits for a match's length after `done` bytes of the chunk: 12 at first, 4 at its end.
fn length_bits(done: usize) -> usize {
    (4..12).find(|bits| done <= 1 << bits).map_or(4, |bits| 16 - bits)
}
