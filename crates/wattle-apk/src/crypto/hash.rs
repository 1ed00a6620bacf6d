//! Message digests.

use const_oid::{AssociatedOid as _, ObjectIdentifier};
use md5::Md5;
use sha1::Sha1;
use sha2::digest::DynDigest;
use sha2::{Digest, Sha256, Sha384, Sha512};

/// A message digest algorithm.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Hash {
    /// MD5, only in signatures of very old packages.
    Md5,
    /// SHA-1, which v1 signatures need before API level 18.
    Sha1,
    /// SHA-256.
    Sha256,
    /// SHA-384.
    Sha384,
    /// SHA-512.
    Sha512,
}

impl Hash {
    /// All of them, the strongest first.
    pub(crate) const STRONGEST_FIRST: [Self; 5] =
        [Self::Sha512, Self::Sha384, Self::Sha256, Self::Sha1, Self::Md5];

    /// The digest of these parts, one after the other.
    pub fn digest(self, parts: &[&[u8]]) -> Vec<u8> {
        match self {
            Self::Md5 => digest::<Md5>(parts),
            Self::Sha1 => digest::<Sha1>(parts),
            Self::Sha256 => digest::<Sha256>(parts),
            Self::Sha384 => digest::<Sha384>(parts),
            Self::Sha512 => digest::<Sha512>(parts),
        }
    }

    /// A digest that is fed in parts.
    pub(crate) fn start(self) -> Box<dyn DynDigest> {
        match self {
            Self::Md5 => Box::<Md5>::default(),
            Self::Sha1 => Box::<Sha1>::default(),
            Self::Sha256 => Box::<Sha256>::default(),
            Self::Sha384 => Box::<Sha384>::default(),
            Self::Sha512 => Box::<Sha512>::default(),
        }
    }

    /// Its name as messages and JAR manifests have it, except that JAR writes `SHA1`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Md5 => "MD5",
            Self::Sha1 => "SHA-1",
            Self::Sha256 => "SHA-256",
            Self::Sha384 => "SHA-384",
            Self::Sha512 => "SHA-512",
        }
    }

    /// Its name in the attributes of a JAR manifest.
    pub(crate) const fn jar_name(self) -> &'static str {
        match self {
            Self::Sha1 => "SHA1",
            _ => self.name(),
        }
    }

    pub(crate) const fn oid(self) -> ObjectIdentifier {
        match self {
            Self::Md5 => Md5::OID,
            Self::Sha1 => Sha1::OID,
            Self::Sha256 => Sha256::OID,
            Self::Sha384 => Sha384::OID,
            Self::Sha512 => Sha512::OID,
        }
    }

    pub(crate) fn from_oid(oid: ObjectIdentifier) -> Option<Self> {
        Self::STRONGEST_FIRST.into_iter().find(|hash| hash.oid() == oid)
    }
}

fn digest<D: Digest>(parts: &[&[u8]]) -> Vec<u8> {
    let mut digest = D::new();
    for part in parts {
        digest.update(part);
    }
    digest.finalize().to_vec()
}

/// Bytes as lower-case hexadecimal digits.
pub(crate) fn hex(bytes: &[u8]) -> String {
    use std::fmt::Write as _;
    bytes.iter().fold(String::with_capacity(bytes.len() * 2), |mut hex, byte| {
        let _ = write!(hex, "{byte:02x}");
        hex
    })
}
