//! Fingerprints that distinguish results, and are the same after the next recording.

use std::collections::BTreeMap;

/// The name and version of the fingerprint.
pub const NAME: &str = "wattleResult/v1";

/// Fingerprints given out so far: results that nothing stable tells apart are numbered.
#[derive(Default)]
pub struct Fingerprints {
    given: BTreeMap<u64, usize>,
}

impl Fingerprints {
    /// Of a result by what is stable about it.
    pub fn of<'a>(
        &mut self,
        parts: impl IntoIterator<Item = &'a str>,
    ) -> BTreeMap<&'static str, String> {
        let mut hash = Fnv::default();
        for part in parts {
            hash.part(part);
        }
        let number = self.given.entry(hash.0).or_default();
        *number += 1;
        BTreeMap::from([(NAME, format!("{:016x}:{number}", hash.0))])
    }
}

/// A frame as far as it is the same in the next process: an address of no module is not.
pub fn stable(frame: &str) -> &str {
    if frame.starts_with("0x") { "0x" } else { frame }
}

/// FNV-1a, which is the same on every machine and in every version.
struct Fnv(u64);

impl Default for Fnv {
    fn default() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }
}

impl Fnv {
    /// A text and its end.
    fn part(&mut self, text: &str) {
        for byte in text.bytes().chain([0xff]) {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Test vectors of the function's authors, which end at the text's end.
    #[test]
    fn it_is_that_function() {
        for (text, expected) in [
            ("", 0xcbf2_9ce4_8422_2325),
            ("a", 0xaf63_dc4c_8601_ec8c),
            ("foobar", 0x8594_4171_f739_67e8),
        ] {
            let mut hash = Fnv::default();
            for byte in text.bytes() {
                hash.0 = (hash.0 ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
            }
            assert_eq!(hash.0, expected, "{text}");
        }
    }

    #[test]
    fn parts_are_apart_and_equals_are_numbered() {
        let mut fingerprints = Fingerprints::default();
        let text = |print: BTreeMap<&str, String>| print[NAME].clone();
        let first = text(fingerprints.of(["ab", "c"]));
        let other = text(fingerprints.of(["a", "bc"]));
        let again = text(fingerprints.of(["ab", "c"]));
        assert_ne!(first[..16], other[..16]);
        assert_eq!(first[..16], again[..16]);
        assert!(first.ends_with(":1") && again.ends_with(":2"), "{first} {again}");
    }
}
