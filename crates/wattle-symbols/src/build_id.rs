//! Identities of linked files.

use std::fmt;

/// `NT_GNU_BUILD_ID`: bytes that the linker made of a file's content.
///
/// `perf` keeps 20 bytes and fills shorter ones up with zeros, so zeros at the end are no part of it.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BuildId(Box<[u8]>);

impl BuildId {
    /// More bytes than these have no linker's build id.
    const MOST: usize = 64;

    /// From the bytes of the note; `None` where they are none, too many, or all zero.
    pub fn new(bytes: &[u8]) -> Option<Self> {
        let end = bytes.iter().rposition(|byte| *byte != 0)? + 1;
        (bytes.len() <= Self::MOST).then(|| Self(bytes[..end].into()))
    }

    /// The bytes, without zeros at the end.
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.0
    }

    /// From hexadecimal digits, with or without `0x`.
    pub fn parse(text: &str) -> Option<Self> {
        let digits = text.trim().strip_prefix("0x").unwrap_or(text.trim()).as_bytes();
        if !digits.len().is_multiple_of(2) || digits.len() > 2 * Self::MOST {
            return None;
        }
        let digit = |byte: u8| char::from(byte).to_digit(16);
        let bytes: Option<Vec<u8>> = digits
            .chunks_exact(2)
            .map(|pair| Some((digit(pair[0])? * 16 + digit(pair[1])?) as u8))
            .collect();
        Self::new(&bytes?)
    }
}

impl fmt::Display for BuildId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for BuildId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "BuildId({self})")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: Option<&str>) {
        assert_eq!(BuildId::parse(text).map(|id| id.to_string()).as_deref(), expected, "{text}");
    }

    #[test]
    fn digits_are_read_and_padding_is_not() {
        check("0xABCD", Some("abcd"));
        check("abcd0000", Some("abcd"));
        check("00abcd", Some("00abcd"));
        check("0000", None);
        check("abc", None);
        check("xy", None);
        check("", None);
        check(&"ab".repeat(65), None);
    }
}
