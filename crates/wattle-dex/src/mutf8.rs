//! Modified UTF-8: the encoding of strings.
//!
//! Quirks: NUL is two bytes, characters past U+FFFF are two surrogates of three bytes each, and unpaired
//! surrogates are allowed. Strings are sorted by their UTF-16 code units, which differs from byte order
//! exactly where a NUL or a surrogate is concerned.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::fmt;

/// A string as the file holds it, without the closing NUL.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Mutf8<'a>(&'a [u8]);

impl<'a> Mutf8<'a> {
    /// Takes the bytes as they are; defects show when they are decoded.
    pub const fn new(bytes: &'a [u8]) -> Self {
        Self(bytes)
    }

    /// The bytes in the file.
    pub const fn bytes(self) -> &'a [u8] {
        self.0
    }

    /// The UTF-16 code units, ill-formed bytes as `None`.
    pub fn units(self) -> impl Iterator<Item = Option<u16>> + 'a {
        let bytes = self.0;
        let mut at = 0;
        std::iter::from_fn(move || {
            let &first = bytes.get(at)?;
            let follow = |n: usize| {
                bytes
                    .get(at + n)
                    .filter(|&&byte| byte & 0xc0 == 0x80)
                    .map(|byte| u16::from(byte & 0x3f))
            };
            let (length, unit) = match first {
                0x01..=0x7f => (1, Some(u16::from(first))),
                0xc0..=0xdf => (2, follow(1).map(|low| u16::from(first & 0x1f) << 6 | low)),
                0xe0..=0xef => (
                    3,
                    follow(1)
                        .zip(follow(2))
                        .map(|(mid, low)| u16::from(first & 0x0f) << 12 | mid << 6 | low),
                ),
                _ => (1, None),
            };
            at += if unit.is_some() { length } else { 1 };
            Some(unit)
        })
    }

    /// Whether every byte belongs to a well-formed code unit.
    pub fn is_well_formed(self) -> bool {
        let is_plain = self.0.is_ascii() && memchr::memchr(0, self.0).is_none();
        is_plain || self.units().all(|unit| unit.is_some())
    }

    /// Its length in UTF-16 code units.
    pub fn utf16_len(self) -> u32 {
        if self.0.is_ascii() { self.0.len() as u32 } else { self.units().count() as u32 }
    }

    /// The text; what is no text (unpaired surrogates, broken bytes) becomes U+FFFD.
    pub fn to_str(self) -> Cow<'a, str> {
        if self.0.is_ascii()
            && let Ok(text) = std::str::from_utf8(self.0)
        {
            return Cow::Borrowed(text);
        }
        let units = self.units().map(|unit| unit.unwrap_or(0xfffd));
        let text =
            char::decode_utf16(units).map(|unit| unit.unwrap_or(char::REPLACEMENT_CHARACTER));
        Cow::Owned(text.collect())
    }
}

/// The order of the string table: by UTF-16 code units.
impl Ord for Mutf8<'_> {
    fn cmp(&self, other: &Self) -> Ordering {
        let same = common_prefix(self.0, other.0);
        let differs = |bytes: &[u8]| bytes.get(same).is_none_or(u8::is_ascii);
        if differs(self.0) && differs(other.0) {
            return self.0.get(same).cmp(&other.0.get(same));
        }
        self.units().cmp(other.units())
    }
}

/// Number of bytes that two strings begin with together. Names that are compared share much of their start.
fn common_prefix(one: &[u8], other: &[u8]) -> usize {
    let mut same = 0;
    let (ones, others) = (one.as_chunks::<8>().0, other.as_chunks::<8>().0);
    for (a, b) in ones.iter().zip(others) {
        let differs = u64::from_le_bytes(*a) ^ u64::from_le_bytes(*b);
        if differs != 0 {
            return same + differs.trailing_zeros() as usize / 8;
        }
        same += 8;
    }
    let (rest, other) = (one.get(same..), other.get(same..));
    let rest = rest.unwrap_or_default().iter().zip(other.unwrap_or_default());
    same + rest.take_while(|(a, b)| a == b).count()
}

impl PartialOrd for Mutf8<'_> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl fmt::Debug for Mutf8<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.to_str(), f)
    }
}

impl fmt::Display for Mutf8<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.to_str())
    }
}

/// Encodes a text as modified UTF-8.
pub fn encode_mutf8(text: &str) -> Vec<u8> {
    if text.bytes().all(|byte| (1..0x80).contains(&byte)) {
        return text.as_bytes().to_vec();
    }
    let mut bytes = Vec::with_capacity(text.len() + 8);
    for unit in text.encode_utf16() {
        match unit {
            0x01..=0x7f => bytes.push(unit as u8),
            0 | 0x80..=0x7ff => {
                bytes.extend([0xc0 | (unit >> 6) as u8, 0x80 | (unit & 0x3f) as u8]);
            }
            0x800.. => bytes.extend([
                0xe0 | (unit >> 12) as u8,
                0x80 | (unit >> 6 & 0x3f) as u8,
                0x80 | (unit & 0x3f) as u8,
            ]),
        }
    }
    bytes
}
