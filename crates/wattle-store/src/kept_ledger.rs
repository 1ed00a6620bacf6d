//! The identity of a ledger.

use sha2::{Digest as _, Sha256};

/// A ledger as it is stored: by its content.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeptLedger {
    /// SHA-256 of its bytes, in hexadecimal digits.
    pub sha256: String,
    /// Its size in bytes.
    pub bytes: u64,
}

impl KeptLedger {
    /// The identity of these bytes.
    pub fn of_bytes(bytes: &[u8]) -> Self {
        use std::fmt::Write as _;
        let mut sha256 = String::with_capacity(64);
        for byte in Sha256::digest(bytes) {
            // Writing to a String does not fail.
            let _ = write!(sha256, "{byte:02x}");
        }
        Self { sha256, bytes: bytes.len() as u64 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digests_are_those_of_sha256() {
        // FIPS 180-2, appendix B.1.
        let expected = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(KeptLedger::of_bytes(b"abc").sha256, expected);
    }
}
