//! Which probe map an id is a number of.

use std::fmt;

/// The short form of a map's id: the first eight hexadecimal digits of the SHA-256 of its bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct ShortId(pub u32);

impl ShortId {
    /// From its eight digits, lower case.
    pub fn parse(text: &[u8]) -> Option<Self> {
        let is_hex = text.iter().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'));
        if text.len() != 8 || !is_hex {
            return None;
        }
        u32::from_str_radix(std::str::from_utf8(text).ok()?, 16).ok().map(Self)
    }

    /// From the whole id's first bytes.
    pub fn from_id(id: &[u8]) -> Option<Self> {
        Some(Self(u32::from_be_bytes(id.get(..4)?.try_into().ok()?)))
    }
}

impl fmt::Display for ShortId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:08x}", self.0)
    }
}

/// A number in base 36, lower case, as labels and log lines have ids and times.
pub(crate) fn base36(text: &[u8]) -> Option<u64> {
    if text.is_empty() {
        return None;
    }
    text.iter().try_fold(0_u64, |value, byte| {
        let digit = match byte {
            b'0'..=b'9' => byte - b'0',
            b'a'..=b'z' => byte - b'a' + 10,
            _ => return None,
        };
        value.checked_mul(36)?.checked_add(u64::from(digit))
    })
}

/// An id in base 36.
pub(crate) fn to_base36(mut id: u32) -> String {
    let mut digits = Vec::new();
    loop {
        digits.push(char::from_digit(id % 36, 36).unwrap_or('0'));
        id /= 36;
        if id == 0 {
            return digits.iter().rev().collect();
        }
    }
}
