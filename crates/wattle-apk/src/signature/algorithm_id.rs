//! Numbers of signature algorithms in the schemes v2 and later.

use crate::crypto::{Hash, SignatureAlgorithm};

/// The way in which the content of the package is digested.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum ContentDigest {
    /// In chunks of 1 MiB.
    Chunked(Hash),
    /// As an fs-verity tree (`VERITY_CHUNKED_SHA256`).
    Verity,
}

/// The algorithms that a number stands for (AOSP `SignatureAlgorithm`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct BlockAlgorithm {
    pub(super) signature: SignatureAlgorithm,
    pub(super) content: ContentDigest,
}

const KNOWN: [(u32, SignatureAlgorithm, ContentDigest); 10] = [
    (0x0101, SignatureAlgorithm::RsaPss(Hash::Sha256), ContentDigest::Chunked(Hash::Sha256)),
    (0x0102, SignatureAlgorithm::RsaPss(Hash::Sha512), ContentDigest::Chunked(Hash::Sha512)),
    (0x0103, SignatureAlgorithm::RsaPkcs1(Hash::Sha256), ContentDigest::Chunked(Hash::Sha256)),
    (0x0104, SignatureAlgorithm::RsaPkcs1(Hash::Sha512), ContentDigest::Chunked(Hash::Sha512)),
    (0x0201, SignatureAlgorithm::Ecdsa(Hash::Sha256), ContentDigest::Chunked(Hash::Sha256)),
    (0x0202, SignatureAlgorithm::Ecdsa(Hash::Sha512), ContentDigest::Chunked(Hash::Sha512)),
    (0x0301, SignatureAlgorithm::Dsa(Hash::Sha256), ContentDigest::Chunked(Hash::Sha256)),
    (0x0421, SignatureAlgorithm::RsaPkcs1(Hash::Sha256), ContentDigest::Verity),
    (0x0423, SignatureAlgorithm::Ecdsa(Hash::Sha256), ContentDigest::Verity),
    (0x0425, SignatureAlgorithm::Dsa(Hash::Sha256), ContentDigest::Verity),
];

impl BlockAlgorithm {
    pub(super) fn from_id(id: u32) -> Option<Self> {
        let &(_, signature, content) = KNOWN.iter().find(|(known, ..)| *known == id)?;
        Some(Self { signature, content })
    }

    /// The number of a signature over chunked digests.
    pub(super) fn chunked_id(signature: SignatureAlgorithm) -> Option<u32> {
        let content = ContentDigest::Chunked(signature.hash());
        KNOWN.iter().find(|known| (known.1, known.2) == (signature, content)).map(|known| known.0)
    }
}
