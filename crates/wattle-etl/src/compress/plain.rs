//! Plain LZ77: MS-XCA 2.4.

use super::Damage;
use super::bits::Input;
use super::output::Output;

/// The shortest match; lengths are written without it.
const SHORTEST: usize = 3;

/// Unpacks a block until `output` is full.
pub(super) fn decompress(packed: &[u8], output: &mut Output) -> Result<(), Damage> {
    let mut input = Input::new(packed);
    // Long matches share a byte two by two: the first takes its lower half.
    let mut half: Option<u8> = None;
    while !output.is_full() {
        let flags = input.long()?;
        for bit in (0..32).rev() {
            if output.is_full() {
                break;
            }
            if flags >> bit & 1 == 0 {
                output.literal(input.byte()?);
            } else {
                let word = usize::from(input.word()?);
                let length = length(&mut input, word & 7, &mut half)?;
                output.repeat((word >> 3) + 1, length)?;
            }
        }
    }
    Ok(())
}

/// Returns the length of a match whose word contains `short`.
fn length(input: &mut Input<'_>, short: usize, half: &mut Option<u8>) -> Result<usize, Damage> {
    if short < 7 {
        return Ok(short + SHORTEST);
    }
    let nibble = if let Some(upper) = half.take() {
        upper
    } else {
        let byte = input.byte()?;
        *half = Some(byte >> 4);
        byte & 15
    };
    if nibble < 15 {
        return Ok(usize::from(nibble) + 7 + SHORTEST);
    }
    let byte = input.byte()?;
    if byte < 255 {
        return Ok(usize::from(byte) + 15 + 7 + SHORTEST);
    }
    let whole = match input.word()? {
        0 => input.long()? as usize,
        word => usize::from(word),
    };
    if whole < 15 + 7 { Err(Damage::Length) } else { Ok(whole.saturating_add(SHORTEST)) }
}
