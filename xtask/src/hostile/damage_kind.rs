//! Ways to damage a file of any format, the same on every machine.

use wattle_random::SplitMix64;

/// A kind of damage.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Damage {
    /// Cut off at this many thousandths of its length.
    Cut(u64),
    /// Cut off behind this many bytes.
    Head(usize),
    /// Some bits of some bytes inverted.
    Flips,
    /// Bytes inverted in the first 256, where headers are.
    HeaderFlips,
    /// A word of four bytes that becomes `u32::MAX`, `i32::MIN` or the like.
    Extreme,
    /// The same in the first 256 bytes.
    HeaderExtreme,
    /// A stretch that is there twice.
    Twice,
    /// A stretch that is missing.
    Gap,
    /// Two stretches that changed places.
    Swap,
    /// A stretch of random bytes.
    Noise,
    /// The second half zeros, as after a crash of the file system.
    Zeros,
    /// Its first half, and the beginning again.
    Again,
    /// A text's digits replaced by more of them.
    HugeNumbers,
    /// A text's digits replaced by `nan`, `-1` or `1e308`.
    OddNumbers,
    /// Bytes that are no UTF-8 within its words.
    NotUtf8,
    /// No end of line at all.
    OneLine,
}

/// The damage that each binary file is given.
pub const BINARY: &[Damage] = &[
    Damage::Head(1),
    Damage::Head(17),
    Damage::Cut(90),
    Damage::Cut(501),
    Damage::Cut(997),
    Damage::Flips,
    Damage::Flips,
    Damage::HeaderFlips,
    Damage::HeaderFlips,
    Damage::Extreme,
    Damage::Extreme,
    Damage::HeaderExtreme,
    Damage::HeaderExtreme,
    Damage::Twice,
    Damage::Gap,
    Damage::Swap,
    Damage::Noise,
    Damage::Zeros,
    Damage::Again,
];

/// The damage that each text is given.
pub const TEXT: &[Damage] = &[
    Damage::Head(1),
    Damage::Cut(90),
    Damage::Cut(501),
    Damage::Cut(997),
    Damage::Flips,
    Damage::HeaderFlips,
    Damage::Twice,
    Damage::Gap,
    Damage::Swap,
    Damage::Noise,
    Damage::Zeros,
    Damage::Again,
    Damage::HugeNumbers,
    Damage::OddNumbers,
    Damage::NotUtf8,
    Damage::OneLine,
];

/// Bytes at the beginning that are taken for a header.
const HEADER: usize = 256;

/// Values at which arithmetic and allocations go wrong.
const EXTREMES: [u32; 6] = [u32::MAX, 0x8000_0000, 0x7fff_ffff, 0xffff_0000, 0x0fff_ffff, 0];

impl Damage {
    /// Its name in the names of files.
    pub fn name(self) -> String {
        let name = format!("{self:?}").to_lowercase();
        name.replace(['(', ')'], "")
    }

    /// The file with this damage.
    pub fn apply(self, bytes: &[u8], random: &mut SplitMix64) -> Vec<u8> {
        let mut damaged = bytes.to_vec();
        let length = bytes.len();
        match self {
            Self::Cut(thousandths) => damaged.truncate(length * thousandths as usize / 1000),
            Self::Head(count) => damaged.truncate(count),
            Self::Flips => flip(&mut damaged, 1 + length / 2000, random),
            Self::HeaderFlips => flip(head(&mut damaged), 3, random),
            Self::Extreme => set_extremes(&mut damaged, 1 + length / 4000, random),
            Self::HeaderExtreme => set_extremes(head(&mut damaged), 1, random),
            Self::Twice => {
                let (from, to) = stretch(length, random);
                damaged.splice(to..to, bytes[from..to].iter().copied());
            }
            Self::Gap => {
                let (from, to) = stretch(length, random);
                damaged.drain(from..to);
            }
            Self::Swap => {
                let (from, to) = stretch(length, random);
                damaged[from..to].rotate_left((to - from) / 2);
            }
            Self::Noise => {
                let (from, to) = stretch(length, random);
                damaged[from..to].iter_mut().for_each(|byte| *byte = random.below(256) as u8);
            }
            Self::Zeros => damaged[length / 2..].fill(0),
            Self::Again => {
                damaged.truncate(length / 2);
                damaged.extend_from_slice(bytes);
            }
            Self::HugeNumbers => return replace_numbers(bytes, random, |_| HUGE),
            Self::OddNumbers => return replace_numbers(bytes, random, odd_number),
            Self::NotUtf8 => {
                for byte in &mut damaged {
                    if byte.is_ascii_alphabetic() && random.chance(0.02) {
                        *byte = 0xf0 | (random.below(16) as u8);
                    }
                }
            }
            Self::OneLine => {
                damaged.iter_mut().filter(|it| **it == b'\n').for_each(|it| *it = b' ');
            }
        }
        damaged
    }
}

const HUGE: &[u8] = b"99999999999999999999999999";

fn odd_number(random: &mut SplitMix64) -> &'static [u8] {
    const ODD: [&[u8]; 8] = [
        b"nan",
        b"-1",
        b"1e308",
        b"inf",
        b"-9223372036854775808",
        b"18446744073709551615",
        b"",
        b"0x",
    ];
    ODD[random.below(ODD.len() as u64) as usize]
}

fn head(bytes: &mut [u8]) -> &mut [u8] {
    let end = bytes.len().min(HEADER);
    &mut bytes[..end]
}

fn flip(bytes: &mut [u8], count: usize, random: &mut SplitMix64) {
    for _ in 0..count {
        let at = random.below(bytes.len().max(1) as u64) as usize;
        if let Some(byte) = bytes.get_mut(at) {
            *byte ^= 1 << random.below(8);
        }
    }
}

fn set_extremes(bytes: &mut [u8], count: usize, random: &mut SplitMix64) {
    for _ in 0..count {
        let at = random.below((bytes.len() as u64 / 4).max(1)) as usize * 4;
        let extreme = EXTREMES[random.below(EXTREMES.len() as u64) as usize].to_le_bytes();
        if let Some(word) = bytes.get_mut(at..at + 4) {
            word.copy_from_slice(&extreme);
        }
    }
}

/// A stretch of up to an eighth of the length.
fn stretch(length: usize, random: &mut SplitMix64) -> (usize, usize) {
    let from = random.below(length.max(1) as u64) as usize;
    let size = random.below((length as u64 / 8).max(1)) as usize;
    (from, (from + size).min(length))
}

/// Replaces every twentieth number of a text.
fn replace_numbers(
    text: &[u8],
    random: &mut SplitMix64,
    with: impl Fn(&mut SplitMix64) -> &'static [u8],
) -> Vec<u8> {
    let mut replaced = Vec::with_capacity(text.len() * 2);
    let mut rest = text;
    while let Some(byte) = rest.first() {
        let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
        if digits > 0 && random.chance(0.05) {
            replaced.extend_from_slice(with(random));
        } else {
            replaced.extend_from_slice(&rest[..digits.max(1)]);
        }
        let _ = byte;
        rest = &rest[digits.max(1)..];
    }
    replaced
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn damage_is_the_same_each_time_and_changes_the_file() {
        let text = b"sched_switch: prev_pid=123 next_pid=456\nnext line 7 8 9\n".repeat(40);
        for (nth, damage) in BINARY.iter().chain(TEXT).enumerate() {
            let damaged = || damage.apply(&text, &mut SplitMix64::new(nth as u64));
            assert_eq!(damaged(), damaged(), "{damage:?}");
            assert_ne!(damaged(), text, "{damage:?}");
            // Nothing to damage is no reason to fail.
            assert!(damage.apply(b"", &mut SplitMix64::new(1)).len() < 2, "{damage:?}");
        }
    }
}
