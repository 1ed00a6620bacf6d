//! Keys from passwords as PKCS#12 makes them (RFC 7292, appendix B).

use crate::crypto::hash::Hash;

/// The purpose of the derived bytes (RFC 7292, B.3).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Purpose {
    Key = 1,
    Iv = 2,
    Mac = 3,
}

/// A password with everything beside it that all bytes derived from it depend on.
#[derive(Clone, Copy)]
pub(super) struct KeyDerivation<'a> {
    pub(super) hash: Hash,
    pub(super) password: &'a str,
    pub(super) salt: &'a [u8],
    pub(super) iterations: u32,
}

impl KeyDerivation<'_> {
    /// `length` bytes from the password, which is made a BMPString with its final zero.
    pub(super) fn derive(self, purpose: Purpose, length: usize) -> Vec<u8> {
        let Self { hash, password, salt, iterations } = self;
        let block = match hash {
            Hash::Sha384 | Hash::Sha512 => 128,
            Hash::Md5 | Hash::Sha1 | Hash::Sha256 => 64,
        };
        let password: Vec<u8> =
            password.encode_utf16().chain([0]).flat_map(u16::to_be_bytes).collect();
        let fill = |bytes: &[u8]| -> Vec<u8> {
            let filled = bytes.len().next_multiple_of(block);
            bytes.iter().copied().cycle().take(filled).collect()
        };
        let diversifier = vec![purpose as u8; block];
        let mut input = fill(salt);
        input.extend(fill(&password));

        let mut derived = Vec::with_capacity(length.saturating_add(64));
        while derived.len() < length {
            let mut round = hash.digest(&[&diversifier, &input]);
            for _ in 1..iterations {
                round = hash.digest(&[&round]);
            }
            let addend: Vec<u8> = round.iter().copied().cycle().take(block).collect();
            for part in input.chunks_mut(block) {
                let mut carry = 1_u16;
                for (digit, add) in part.iter_mut().zip(&addend).rev() {
                    let sum = u16::from(*digit) + u16::from(*add) + carry;
                    *digit = sum as u8;
                    carry = sum >> 8;
                }
            }
            derived.extend(round);
        }
        derived.truncate(length);
        derived
    }
}
