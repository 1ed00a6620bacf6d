//! Public keys, and checking signatures with them.

use std::fmt;

use const_oid::db::rfc5912;
use der::Sequence;
use der::asn1::{AnyRef, ObjectIdentifier};
use md5::Md5;
use p256::ecdsa::signature::hazmat::PrehashVerifier;
use rsa::pkcs8::DecodePublicKey;
use rsa::traits::PublicKeyParts;
use rsa::{Pkcs1v15Sign, Pss, RsaPublicKey};
use sha1::Sha1;
use sha2::{Sha256, Sha384, Sha512};
use spki::SubjectPublicKeyInfoRef;

use crate::ApkError;
use crate::crypto::asn1::{self, malformed, unsigned};
use crate::crypto::dsa::DsaKey;
use crate::crypto::hash::Hash;

/// The kind of a key.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum KeyAlgorithm {
    /// RSA, with the bits of its modulus.
    Rsa {
        /// Size of the modulus.
        bits: usize,
    },
    /// EC on P-256.
    EcP256,
    /// EC on P-384: checked, but not signed with.
    EcP384,
    /// DSA, with the bits of its prime: checked, but not signed with.
    Dsa {
        /// Size of the prime.
        bits: usize,
    },
    /// Another one, which cannot be checked here.
    Other {
        /// Its name or object identifier.
        name: String,
    },
}

impl fmt::Display for KeyAlgorithm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Rsa { bits } => write!(f, "RSA {bits}"),
            Self::EcP256 => f.write_str("EC P-256"),
            Self::EcP384 => f.write_str("EC P-384"),
            Self::Dsa { bits } => write!(f, "DSA {bits}"),
            Self::Other { name } => f.write_str(name),
        }
    }
}

/// A signature algorithm with its message digest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SignatureAlgorithm {
    /// RSASSA-PKCS1-v1_5.
    RsaPkcs1(Hash),
    /// RSASSA-PSS with a salt as long as the digest.
    RsaPss(Hash),
    /// ECDSA.
    Ecdsa(Hash),
    /// DSA.
    Dsa(Hash),
}

impl SignatureAlgorithm {
    /// The message digest.
    pub const fn hash(self) -> Hash {
        match self {
            Self::RsaPkcs1(hash) | Self::RsaPss(hash) | Self::Ecdsa(hash) | Self::Dsa(hash) => hash,
        }
    }
}

impl fmt::Display for SignatureAlgorithm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = match self {
            Self::RsaPkcs1(_) => "RSA PKCS#1 v1.5",
            Self::RsaPss(_) => "RSA-PSS",
            Self::Ecdsa(_) => "ECDSA",
            Self::Dsa(_) => "DSA",
        };
        write!(f, "{name} with {}", self.hash().name())
    }
}

/// Why a signature does not hold.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SignatureProblem {
    /// It is not the signature of this message by this key.
    #[error("the signature does not verify")]
    Invalid,
    /// It could be right, but cannot be checked.
    #[error("a signature of {algorithm} with a key of type {key} cannot be checked here")]
    Unsupported {
        /// Algorithm of the signature.
        algorithm: String,
        /// Kind of the key.
        key: String,
    },
}

/// `RSAPublicKey` (RFC 8017, A.1.1).
#[derive(Sequence)]
struct RsaNumbers<'a> {
    modulus: AnyRef<'a>,
    exponent: AnyRef<'a>,
}

/// A public key.
#[derive(Debug, Clone)]
pub(crate) enum PublicKey {
    Rsa(Box<RsaPublicKey>),
    P256(Box<p256::ecdsa::VerifyingKey>),
    P384(Box<p384::ecdsa::VerifyingKey>),
    Dsa(Box<DsaKey>),
    Other(String),
}

impl PublicKey {
    /// The largest modulus that is computed with. The signature schemes go to 16384 bits.
    const MOST_RSA_BITS: usize = 16384;

    /// Reads a `SubjectPublicKeyInfo` (RFC 5280).
    pub(crate) fn parse(info: &[u8]) -> Result<Self, ApkError> {
        const WHAT: &str = "a public key";
        let info = asn1::to_der(info, WHAT)?;
        let SubjectPublicKeyInfoRef { algorithm, subject_public_key } = asn1::read(&info, WHAT)?;
        let key = subject_public_key.raw_bytes();
        match algorithm.oid {
            rfc5912::RSA_ENCRYPTION => Self::rsa(key),
            rfc5912::ID_EC_PUBLIC_KEY => {
                let curve = algorithm.parameters.map(AnyRef::decode_as::<ObjectIdentifier>);
                Self::elliptic(curve.and_then(Result::ok), &info)
            }
            rfc5912::ID_DSA => {
                DsaKey::parse(algorithm.parameters, key).map(|key| Self::Dsa(Box::new(key)))
            }
            other => Ok(Self::Other(other.to_string())),
        }
    }

    fn rsa(key: &[u8]) -> Result<Self, ApkError> {
        const WHAT: &str = "an RSA public key";
        let failed = |error| malformed(WHAT, error);
        let der = asn1::to_der(key, WHAT)?;
        let RsaNumbers { modulus, exponent } = asn1::read(&der, WHAT)?;
        let modulus = unsigned(modulus).map_err(failed)?;
        let exponent = unsigned(exponent).map_err(failed)?;
        RsaPublicKey::new_with_max_size(modulus, exponent, Self::MOST_RSA_BITS)
            .map(|key| Self::Rsa(Box::new(key)))
            .map_err(|error| ApkError::Unusable { what: WHAT, problem: error.to_string() })
    }

    fn elliptic(curve: Option<ObjectIdentifier>, info: &[u8]) -> Result<Self, ApkError> {
        let no_point = |curve| ApkError::Unusable {
            what: "an EC public key",
            problem: format!("it is no point on {curve}"),
        };
        match curve {
            Some(rfc5912::SECP_256_R_1) => p256::ecdsa::VerifyingKey::from_public_key_der(info)
                .map(|key| Self::P256(Box::new(key)))
                .map_err(|_| no_point("P-256")),
            Some(rfc5912::SECP_384_R_1) => p384::ecdsa::VerifyingKey::from_public_key_der(info)
                .map(|key| Self::P384(Box::new(key)))
                .map_err(|_| no_point("P-384")),
            Some(rfc5912::SECP_521_R_1) => Ok(Self::Other("EC P-521".to_owned())),
            Some(other) => Ok(Self::Other(format!("EC on curve {other}"))),
            None => Ok(Self::Other("EC on a curve of its own".to_owned())),
        }
    }

    pub(crate) fn algorithm(&self) -> KeyAlgorithm {
        match self {
            Self::Rsa(key) => KeyAlgorithm::Rsa { bits: key.n().bits() },
            Self::P256(_) => KeyAlgorithm::EcP256,
            Self::P384(_) => KeyAlgorithm::EcP384,
            Self::Dsa(key) => KeyAlgorithm::Dsa { bits: key.bits() },
            Self::Other(name) => KeyAlgorithm::Other { name: name.clone() },
        }
    }

    /// Whether `signature` is this key's for the message made of these parts.
    pub(crate) fn verify(
        &self,
        algorithm: SignatureAlgorithm,
        parts: &[&[u8]],
        signature: &[u8],
    ) -> Result<(), SignatureProblem> {
        let digest = algorithm.hash().digest(parts);
        let holds = match (self, algorithm) {
            (Self::Rsa(key), SignatureAlgorithm::RsaPkcs1(hash)) => {
                key.verify(pkcs1(hash), &digest, signature).is_ok()
            }
            (Self::Rsa(key), SignatureAlgorithm::RsaPss(hash)) => {
                key.verify(pss(hash), &digest, signature).is_ok()
            }
            (Self::P256(key), SignatureAlgorithm::Ecdsa(_)) => {
                p256::ecdsa::Signature::from_der(signature)
                    .is_ok_and(|signature| key.verify_prehash(&digest, &signature).is_ok())
            }
            (Self::P384(key), SignatureAlgorithm::Ecdsa(_)) => {
                p384::ecdsa::Signature::from_der(signature)
                    .is_ok_and(|signature| key.verify_prehash(&digest, &signature).is_ok())
            }
            (Self::Dsa(key), SignatureAlgorithm::Dsa(_)) => key.verify(&digest, signature),
            _ => {
                return Err(SignatureProblem::Unsupported {
                    algorithm: algorithm.to_string(),
                    key: self.algorithm().to_string(),
                });
            }
        };
        if holds { Ok(()) } else { Err(SignatureProblem::Invalid) }
    }
}

pub(super) fn pkcs1(hash: Hash) -> Pkcs1v15Sign {
    match hash {
        Hash::Md5 => Pkcs1v15Sign::new::<Md5>(),
        Hash::Sha1 => Pkcs1v15Sign::new::<Sha1>(),
        Hash::Sha256 => Pkcs1v15Sign::new::<Sha256>(),
        Hash::Sha384 => Pkcs1v15Sign::new::<Sha384>(),
        Hash::Sha512 => Pkcs1v15Sign::new::<Sha512>(),
    }
}

fn pss(hash: Hash) -> Pss {
    match hash {
        Hash::Md5 => Pss::new::<Md5>(),
        Hash::Sha1 => Pss::new::<Sha1>(),
        Hash::Sha256 => Pss::new::<Sha256>(),
        Hash::Sha384 => Pss::new::<Sha384>(),
        Hash::Sha512 => Pss::new::<Sha512>(),
    }
}
