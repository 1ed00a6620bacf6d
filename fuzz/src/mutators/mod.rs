//! Mutations that know the form of an input: it is taken apart, its parts are changed, dropped, repeated and moved, and lengths,
//! counts, offsets and checksums are made to fit again, so that readers get past their first checks.

mod axml;
mod dex_mutator;
mod etl;
mod perf_data;
mod protobuf;
mod zip;

use wattle_random::SplitMix64;

use crate::target_list::Structure;

/// Numbers at which readers go wrong.
const TELLING: [u64; 16] = [
    0,
    1,
    2,
    7,
    8,
    0x7f,
    0xff,
    0x7fff,
    0xffff,
    0x1_0000,
    0x7fff_ffff,
    0x8000_0000,
    0xffff_ffff,
    0x7fff_ffff_ffff_ffff,
    0x8000_0000_0000_0000,
    u64::MAX,
];

/// Changes inputs.
pub struct Mutator<'m> {
    pub random: &'m mut SplitMix64,
    /// The engine's own mutation of bytes.
    pub plain: &'m mut dyn FnMut(&mut Vec<u8>),
}

impl Mutator<'_> {
    /// The input with a change; `None` if it is not of the structure, or this is the turn of plain bytes.
    pub fn mutated(&mut self, structure: Structure, bytes: &[u8]) -> Option<Vec<u8>> {
        if self.one_in(5) {
            return None;
        }
        match structure {
            Structure::Bytes => None,
            Structure::Axml => axml::mutated(self, bytes),
            Structure::Dex => dex_mutator::mutated(self, bytes),
            Structure::Etl => etl::mutated(self, bytes),
            Structure::PerfData => perf_data::mutated(self, bytes),
            Structure::Protobuf => protobuf::mutated(self, bytes, 0),
            Structure::Zip => zip::mutated(self, bytes),
        }
    }

    fn below(&mut self, count: usize) -> usize {
        self.random.below(count.max(1) as u64) as usize
    }

    fn one_in(&mut self, count: usize) -> bool {
        self.below(count) == 0
    }

    /// A number near another one, or one of those at which readers go wrong.
    fn number(&mut self, from: u64) -> u64 {
        match self.below(6) {
            0 => from.wrapping_add(1),
            1 => from.wrapping_sub(1),
            2 => from ^ (1 << self.below(64)),
            3 => self.below(64) as u64,
            _ => TELLING[self.below(TELLING.len())],
        }
    }

    /// Drops, repeats, swaps or moves parts.
    fn rearrange<T: Clone>(&mut self, parts: &mut Vec<T>) {
        if parts.is_empty() {
            return;
        }
        let (at, other) = (self.below(parts.len()), self.below(parts.len()));
        match self.below(5) {
            0 => {
                parts.remove(at);
            }
            1 => {
                let part = parts[at].clone();
                parts.insert(other, part);
            }
            2 => parts.swap(at, other),
            3 => {
                let part = parts.remove(at);
                parts.insert(other.min(parts.len()), part);
            }
            _ => parts.truncate(at + 1),
        }
    }

    /// Changes a number of 1, 2, 4 or 8 bytes at a multiple of its width.
    fn word(&mut self, bytes: &mut [u8]) {
        let width = 1 << self.below(4);
        if bytes.len() < width {
            return;
        }
        let at = self.below(bytes.len() / width) * width;
        let mut word = [0; 8];
        word[..width].copy_from_slice(&bytes[at..at + width]);
        let changed = self.number(u64::from_le_bytes(word)).to_le_bytes();
        bytes[at..at + width].copy_from_slice(&changed[..width]);
    }

    /// Changes bytes of which nothing is known: a number, or whatever the engine does.
    fn content(&mut self, bytes: &mut Vec<u8>) {
        if self.one_in(2) {
            self.word(bytes);
        } else {
            (self.plain)(bytes);
        }
    }
}

/// The number of two bytes at an offset.
fn u16_at(bytes: &[u8], at: usize) -> Option<usize> {
    Some(u16::from_le_bytes(*bytes.get(at..)?.first_chunk()?).into())
}

/// The number of four bytes at an offset.
fn u32_at(bytes: &[u8], at: usize) -> Option<usize> {
    Some(u32::from_le_bytes(*bytes.get(at..)?.first_chunk()?) as usize)
}

/// The number of eight bytes at an offset.
fn u64_at(bytes: &[u8], at: usize) -> Option<u64> {
    Some(u64::from_le_bytes(*bytes.get(at..)?.first_chunk()?))
}

/// Writes bytes at an offset, if there is room.
fn put(bytes: &mut [u8], at: usize, value: &[u8]) {
    if let Some(place) = bytes.get_mut(at..at + value.len()) {
        place.copy_from_slice(value);
    }
}
