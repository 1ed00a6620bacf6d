//! Public keys, and checking signatures with them.

use std::fmt;

use md5::Md5;
use p256::ecdsa::signature::hazmat::PrehashVerifier;
use rsa::pkcs8::DecodePublicKey;
use rsa::traits::PublicKeyParts;
use rsa::{BigUint, Pkcs1v15Sign, Pss, RsaPublicKey};
use sha1::Sha1;
use sha2::{Sha256, Sha384, Sha512};

use crate::ApkError;
use crate::crypto::der::{Der, tag};
use crate::crypto::dsa::DsaKey;
use crate::crypto::hash::Hash;
use crate::crypto::oid;

/// What kind of key it is.
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
        let what = "a public key";
        let mut fields = Der::new(info, what).sequence("SubjectPublicKeyInfo")?;
        let mut algorithm = fields.sequence("AlgorithmIdentifier")?;
        let kind = algorithm.oid()?;
        let key = fields.expect(tag::BIT_STRING, "the key in a BIT STRING")?.content;
        let key = key.get(1..).unwrap_or_default();
        if kind == oid::RSA {
            let mut numbers = Der::new(key, what).sequence("RSAPublicKey")?;
            let modulus = numbers.expect(tag::INTEGER, "the modulus")?.content;
            let exponent = numbers.expect(tag::INTEGER, "the exponent")?.content;
            let (modulus, exponent) =
                (BigUint::from_bytes_be(modulus), BigUint::from_bytes_be(exponent));
            return RsaPublicKey::new_with_max_size(modulus, exponent, Self::MOST_RSA_BITS)
                .map(|key| Self::Rsa(Box::new(key)))
                .map_err(|_| fields.error("an RSA key of at most 16384 bits"));
        }
        if kind == oid::EC {
            let curve = algorithm.optional(tag::OID)?.map_or(&[][..], |curve| curve.content);
            return match curve {
                oid::P256 => p256::ecdsa::VerifyingKey::from_public_key_der(info)
                    .map(|key| Self::P256(Box::new(key)))
                    .map_err(|_| fields.error("a point on P-256")),
                oid::P384 => p384::ecdsa::VerifyingKey::from_public_key_der(info)
                    .map(|key| Self::P384(Box::new(key)))
                    .map_err(|_| fields.error("a point on P-384")),
                oid::P521 => Ok(Self::Other("EC P-521".to_owned())),
                other => Ok(Self::Other(format!("EC on curve {}", oid::dotted(other)))),
            };
        }
        if kind == oid::DSA {
            return DsaKey::parse(&mut algorithm, key).map(|key| Self::Dsa(Box::new(key)));
        }
        Ok(Self::Other(oid::dotted(kind)))
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
