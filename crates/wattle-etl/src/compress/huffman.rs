//! LZ77 and Huffman: MS-XCA 2.2.

use super::Damage;
use super::bits::{Bits, Input};
use super::output::Output;

/// Literals and matches of a block: 256 of each.
const SYMBOLS: usize = 512;
/// The longest code, in bits.
const LONGEST_CODE: u32 = 15;
/// Unpacked size of a block. Each has codes of its own.
const BLOCK: usize = 1 << 16;
/// The shortest match; lengths are written without it.
const SHORTEST: usize = 3;

/// Unpacks blocks until `output` is full.
pub(super) fn decompress(packed: &[u8], output: &mut Output) -> Result<(), Damage> {
    let mut input = Input::new(packed);
    let mut codes = Codes::new();
    while !output.is_full() {
        codes.read(input.take(SYMBOLS / 2)?)?;
        block(&mut input, &codes, output)?;
    }
    Ok(())
}

/// Unpacks one block. A match may reach beyond its end: the next block begins behind it.
fn block(input: &mut Input<'_>, codes: &Codes, output: &mut Output) -> Result<(), Damage> {
    let end = output.len().saturating_add(BLOCK);
    let mut bits = Bits::new(input)?;
    while !output.is_full() && output.len() < end {
        let symbol = codes.next(&mut bits)?;
        let Some(matched) = usize::from(symbol).checked_sub(256) else {
            output.literal(symbol as u8);
            continue;
        };
        let length = length(bits.input(), matched & 15)?;
        let distance_bits = (matched >> 4) as u32;
        let distance = (1 << distance_bits) + bits.peek(distance_bits);
        bits.skip(distance_bits)?;
        output.repeat(distance as usize, length)?;
    }
    Ok(())
}

/// Returns the length of a match whose symbol contains `short`.
fn length(input: &mut Input<'_>, short: usize) -> Result<usize, Damage> {
    if short < 15 {
        return Ok(short + SHORTEST);
    }
    let byte = input.byte()?;
    if byte < 255 {
        return Ok(usize::from(byte) + 15 + SHORTEST);
    }
    let whole = match input.word()? {
        0 => input.long()? as usize,
        word => usize::from(word),
    };
    if whole < 15 { Err(Damage::Length) } else { Ok(whole.saturating_add(SHORTEST)) }
}

/// Which symbol begins with which bits.
struct Codes {
    /// By the next 15 bits.
    symbols: Vec<u16>,
    /// By symbol, in bits.
    lengths: [u8; SYMBOLS],
}

impl Codes {
    fn new() -> Self {
        Self { symbols: vec![0; 1 << LONGEST_CODE], lengths: [0; SYMBOLS] }
    }

    /// From the lengths of all codes, half a byte each: codes are given out by length, then by symbol.
    fn read(&mut self, table: &[u8]) -> Result<(), Damage> {
        for (symbol, length) in self.lengths.iter_mut().enumerate() {
            *length = table[symbol / 2] >> (4 * (symbol & 1)) & 15;
        }
        let mut at = 0;
        for length in 1..=LONGEST_CODE {
            let share = 1 << (LONGEST_CODE - length);
            for (symbol, _) in
                self.lengths.iter().enumerate().filter(|(_, it)| u32::from(**it) == length)
            {
                let end = at + share;
                self.symbols.get_mut(at..end).ok_or(Damage::Codes)?.fill(symbol as u16);
                at = end;
            }
        }
        if at == self.symbols.len() { Ok(()) } else { Err(Damage::Codes) }
    }

    /// The symbol that comes next.
    fn next(&self, bits: &mut Bits<'_, '_>) -> Result<u16, Damage> {
        let symbol = self.symbols[bits.peek(LONGEST_CODE) as usize];
        bits.skip(u32::from(self.lengths[usize::from(symbol)]))?;
        Ok(symbol)
    }
}
