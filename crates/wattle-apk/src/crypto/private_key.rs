//! Private keys without a certificate: reading, generating, signing.

use p256::ecdsa::signature::hazmat::PrehashSigner;
use pkcs8::{DecodePrivateKey, EncodePrivateKey, EncodePublicKey, EncryptedPrivateKeyInfo};
use rand_core::OsRng;
use rsa::pkcs1::DecodeRsaPrivateKey;
use rsa::traits::PublicKeyParts;
use rsa::{RsaPrivateKey, RsaPublicKey};

use crate::crypto::hash::Hash;
use crate::crypto::pbes2;
use crate::crypto::pem::{self, PemBlock};
use crate::crypto::public_key::{PublicKey, pkcs1};
use crate::{ApkError, KeyProblem};

/// The kind of key to generate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum GeneratedKey {
    /// RSA with 2048 bits: understood by every platform.
    #[default]
    Rsa2048,
    /// EC on P-256: smaller and faster, from API level 18.
    EcP256,
}

/// A private key.
#[derive(Clone)]
pub(super) enum PrivateKey {
    Rsa(Box<RsaPrivateKey>),
    P256(Box<p256::SecretKey>),
}

impl PrivateKey {
    /// A new random key.
    pub(super) fn generate(kind: GeneratedKey) -> Result<Self, ApkError> {
        Ok(match kind {
            GeneratedKey::Rsa2048 => {
                let key = RsaPrivateKey::new(&mut OsRng, 2048);
                let failed =
                    |error: rsa::Error| ApkError::Key(KeyProblem::Signing(error.to_string()));
                Self::Rsa(Box::new(key.map_err(failed)?))
            }
            GeneratedKey::EcP256 => Self::P256(Box::new(p256::SecretKey::random(&mut OsRng))),
        })
    }

    /// The key in a PEM block; `None` for blocks of other kinds.
    pub(super) fn from_pem(
        block: &PemBlock,
        password: Option<&str>,
    ) -> Result<Option<Self>, ApkError> {
        let der = &block.der;
        let unreadable =
            |algorithm: &str| ApkError::Key(KeyProblem::Algorithm(format!("this {algorithm} key")));
        Ok(Some(match block.label.as_str() {
            "PRIVATE KEY" => Self::from_pkcs8(der)?,
            "RSA PRIVATE KEY" => {
                let key = RsaPrivateKey::from_pkcs1_der(der).map_err(|_| unreadable("RSA"))?;
                Self::Rsa(Box::new(key))
            }
            "EC PRIVATE KEY" => {
                let key = p256::SecretKey::from_sec1_der(der).map_err(|_| unreadable("EC"))?;
                Self::P256(Box::new(key))
            }
            "ENCRYPTED PRIVATE KEY" => {
                let password = password.ok_or(ApkError::Key(KeyProblem::PasswordNeeded))?;
                let info = EncryptedPrivateKeyInfo::try_from(der.as_slice()).map_err(|_| {
                    ApkError::Key(KeyProblem::Encryption("of an encrypted PKCS#8 key".to_owned()))
                })?;
                let key =
                    pbes2::decrypt(&info.encryption_algorithm, info.encrypted_data, password)?;
                // One wrong password in 256 leaves what looks like padding.
                if pkcs8::PrivateKeyInfo::try_from(key.as_slice()).is_err() {
                    return Err(ApkError::Key(KeyProblem::WrongPassword));
                }
                Self::from_pkcs8(&key)?
            }
            _ => return Ok(None),
        }))
    }

    pub(super) fn from_pkcs8(der: &[u8]) -> Result<Self, ApkError> {
        if let Ok(key) = RsaPrivateKey::from_pkcs8_der(der) {
            return Ok(Self::Rsa(Box::new(key)));
        }
        if let Ok(key) = p256::SecretKey::from_pkcs8_der(der) {
            return Ok(Self::P256(Box::new(key)));
        }
        let kind = pkcs8::PrivateKeyInfo::try_from(der)
            .map_or_else(|_| "this PKCS#8 key".to_owned(), |info| info.algorithm.oid.to_string());
        Err(ApkError::Key(KeyProblem::Algorithm(kind)))
    }

    pub(super) fn belongs_to(&self, public: &PublicKey) -> bool {
        match (self, public) {
            (Self::Rsa(key), PublicKey::Rsa(public)) => {
                key.n() == public.n() && key.e() == public.e()
            }
            (Self::P256(key), PublicKey::P256(public)) => {
                p256::ecdsa::VerifyingKey::from(key.public_key()) == **public
            }
            _ => false,
        }
    }

    /// The `SubjectPublicKeyInfo` in DER.
    pub(super) fn public_key_info(&self) -> Result<Vec<u8>, ApkError> {
        let info = match self {
            Self::Rsa(key) => RsaPublicKey::from(key.as_ref()).to_public_key_der(),
            Self::P256(key) => key.public_key().to_public_key_der(),
        };
        info.map(|info| info.as_bytes().to_vec())
            .map_err(|error| ApkError::Key(KeyProblem::Signing(error.to_string())))
    }

    /// Key in PKCS#8 as PEM, not encrypted.
    pub(super) fn to_pem(&self) -> Result<String, ApkError> {
        let key = match self {
            Self::Rsa(key) => key.to_pkcs8_der(),
            Self::P256(key) => key.to_pkcs8_der(),
        };
        let key = key.map_err(|error| ApkError::Key(KeyProblem::Signing(error.to_string())))?;
        pem::write("PRIVATE KEY", key.as_bytes())
    }

    /// Signs the message made of these parts.
    pub(super) fn sign(&self, hash: Hash, parts: &[&[u8]]) -> Result<Vec<u8>, ApkError> {
        let digest = hash.digest(parts);
        let failed =
            |error: &dyn std::fmt::Display| ApkError::Key(KeyProblem::Signing(error.to_string()));
        match self {
            Self::Rsa(key) => key.sign(pkcs1(hash), &digest).map_err(|e| failed(&e)),
            Self::P256(key) => {
                let key = p256::ecdsa::SigningKey::from(key.as_ref());
                let signature: Result<p256::ecdsa::Signature, _> = key.sign_prehash(&digest);
                signature.map(|s| s.to_der().as_bytes().to_vec()).map_err(|e| failed(&e))
            }
        }
    }
}
