//! Private keys with their certificate.

use std::time::SystemTime;

use p256::ecdsa::signature::hazmat::PrehashSigner;
use pkcs8::{DecodePrivateKey, EncodePrivateKey, EncodePublicKey, EncryptedPrivateKeyInfo};
use rand_core::OsRng;
use rsa::pkcs1::DecodeRsaPrivateKey;
use rsa::traits::PublicKeyParts;
use rsa::{RsaPrivateKey, RsaPublicKey};

use crate::crypto::certificate::Certificate;
use crate::crypto::der::{Der, tag};
use crate::crypto::hash::Hash;
use crate::crypto::pbes2;
use crate::crypto::pem::{self, PemBlock};
use crate::crypto::pkcs12::KeyStore;
use crate::crypto::public_key::{KeyAlgorithm, PublicKey, SignatureAlgorithm, pkcs1};
use crate::crypto::self_signed;
use crate::{ApkError, KeyProblem};

/// A private key.
#[derive(Clone)]
pub(super) enum PrivateKey {
    Rsa(Box<RsaPrivateKey>),
    P256(Box<p256::SecretKey>),
}

/// A private key and its certificate, which together sign packages.
///
/// RSA signatures are computed without protection against timing measurements, which needs an attacker on the
/// same machine while it signs.
#[derive(Clone)]
pub struct SigningKey {
    key: PrivateKey,
    certificate: Certificate,
}

impl std::fmt::Debug for SigningKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // Never the private key.
        f.debug_struct("SigningKey")
            .field("certificate", &self.certificate.subject())
            .finish_non_exhaustive()
    }
}

/// What kind of key to generate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum GeneratedKey {
    /// RSA with 2048 bits: understood by every platform.
    #[default]
    Rsa2048,
    /// EC on P-256: smaller and faster, from API level 18.
    EcP256,
}

impl SigningKey {
    /// Reads a key in PEM (PKCS#8, also encrypted; PKCS#1; SEC 1) or PKCS#8 in DER (`.pk8`), and its certificate.
    ///
    /// The certificate may be in the same text or apart, in PEM or DER; of several certificates the one of the
    /// key is taken.
    pub fn from_pem(
        key: &[u8],
        certificate: Option<&[u8]>,
        password: Option<&str>,
    ) -> Result<Self, ApkError> {
        let mut blocks = blocks(key, pkcs8_label(key))?;
        if let Some(certificate) = certificate {
            blocks.extend(self::blocks(certificate, "CERTIFICATE")?);
        }
        let key = blocks.iter().find_map(|block| PrivateKey::from_pem(block, password).transpose());
        let key = key.ok_or(ApkError::Key(KeyProblem::NoKey))??;
        let certificates = blocks
            .iter()
            .filter(|block| block.label.ends_with("CERTIFICATE"))
            .map(|block| Certificate::parse(&block.der));
        Self::with_own_certificate(key, certificates.collect::<Result<_, _>>()?)
    }

    /// Reads a PKCS#12 key store; `alias` chooses one of several keys.
    pub fn from_pkcs12(
        store: &[u8],
        password: &str,
        alias: Option<&str>,
    ) -> Result<Self, ApkError> {
        if store.starts_with(&[0xfe, 0xed, 0xfe, 0xed]) {
            return Err(ApkError::Key(KeyProblem::JavaKeyStore));
        }
        let store = KeyStore::open(store, password)?;
        let chosen: Vec<_> = store
            .keys
            .iter()
            .filter(|key| {
                // keytool does not distinguish upper and lower case.
                let name = key.name.as_deref().unwrap_or_default();
                alias.is_none_or(|alias| name.eq_ignore_ascii_case(alias))
            })
            .collect();
        let names = || {
            let names = store.keys.iter().map(|key| key.name.as_deref().unwrap_or("unnamed"));
            names.collect::<Vec<_>>().join(", ")
        };
        let key = match (chosen.as_slice(), alias) {
            ([key], _) => key,
            ([], Some(alias)) => return Err(ApkError::Key(KeyProblem::NoAlias(alias.to_owned()))),
            ([], None) => return Err(ApkError::Key(KeyProblem::NoKey)),
            _ => return Err(ApkError::Key(KeyProblem::Ambiguous(names()))),
        };
        let key = PrivateKey::from_pkcs8(&key.pkcs8)?;
        let certificates = store.certificates.iter().map(|der| Certificate::parse(der));
        Self::with_own_certificate(key, certificates.collect::<Result<_, _>>()?)
    }

    /// Reads a key file of either kind, by its content.
    pub fn parse(
        key: &[u8],
        certificate: Option<&[u8]>,
        password: Option<&str>,
        alias: Option<&str>,
    ) -> Result<Self, ApkError> {
        // A key store holds its certificate itself; one given apart means a key in DER.
        let is_der = certificate.is_some() && key.starts_with(&[tag::SEQUENCE]);
        if pem::is_pem(key) || is_der {
            Self::from_pem(key, certificate, password)
        } else {
            Self::from_pkcs12(key, password.unwrap_or_default(), alias).map_err(|error| {
                let no_password =
                    password.is_none() && matches!(error, ApkError::Key(KeyProblem::WrongPassword));
                if no_password { ApkError::Key(KeyProblem::PasswordNeeded) } else { error }
            })
        }
    }

    /// Makes a new key with a self-signed certificate for `common_name`, valid for thirty years from `now`.
    pub fn generate(
        kind: GeneratedKey,
        common_name: &str,
        now: SystemTime,
    ) -> Result<Self, ApkError> {
        let failed =
            |error: &dyn std::fmt::Display| ApkError::Key(KeyProblem::Signing(error.to_string()));
        let key = match kind {
            GeneratedKey::Rsa2048 => {
                let key = RsaPrivateKey::new(&mut OsRng, 2048).map_err(|e| failed(&e))?;
                PrivateKey::Rsa(Box::new(key))
            }
            GeneratedKey::EcP256 => PrivateKey::P256(Box::new(p256::SecretKey::random(&mut OsRng))),
        };
        let certificate = self_signed::certificate(&key, common_name, now)?;
        Ok(Self { key, certificate })
    }

    fn with_own_certificate(
        key: PrivateKey,
        certificates: Vec<Certificate>,
    ) -> Result<Self, ApkError> {
        let none = certificates.is_empty();
        let own = certificates.into_iter().find(|found| key.belongs_to(found.public_key()));
        match own {
            Some(certificate) => Ok(Self { key, certificate }),
            None if none => Err(ApkError::Key(KeyProblem::NoCertificate)),
            None => Err(ApkError::Key(KeyProblem::Mismatch)),
        }
    }

    /// The certificate.
    pub const fn certificate(&self) -> &Certificate {
        &self.certificate
    }

    /// The kind of key.
    pub fn algorithm(&self) -> KeyAlgorithm {
        self.certificate.key_algorithm()
    }

    /// Key and certificate as PEM, the key not encrypted.
    pub fn to_pem(&self) -> Result<String, ApkError> {
        let key = match &self.key {
            PrivateKey::Rsa(key) => key.to_pkcs8_der(),
            PrivateKey::P256(key) => key.to_pkcs8_der(),
        };
        let key = key.map_err(|error| ApkError::Key(KeyProblem::Signing(error.to_string())))?;
        Ok(pem::write("PRIVATE KEY", key.as_bytes())
            + &pem::write("CERTIFICATE", self.certificate.der()))
    }

    /// The algorithm that this key signs with, for a message digest.
    pub(crate) const fn signature_algorithm(&self, hash: Hash) -> SignatureAlgorithm {
        match self.key {
            PrivateKey::Rsa(_) => SignatureAlgorithm::RsaPkcs1(hash),
            PrivateKey::P256(_) => SignatureAlgorithm::Ecdsa(hash),
        }
    }

    /// Signs the message made of these parts.
    pub(crate) fn sign(&self, hash: Hash, parts: &[&[u8]]) -> Result<Vec<u8>, ApkError> {
        self.key.sign(hash, parts)
    }
}

/// The blocks of a PEM file, or a DER file as the one block it would be.
fn blocks(file: &[u8], label: &str) -> Result<Vec<PemBlock>, ApkError> {
    if pem::is_pem(file) || !file.starts_with(&[tag::SEQUENCE]) {
        return pem::parse(file);
    }
    Ok(vec![PemBlock { label: label.to_owned(), der: file.to_vec() }])
}

/// What a PKCS#8 file in DER is: an encrypted key begins with its algorithm, a plain one with its version.
fn pkcs8_label(der: &[u8]) -> &'static str {
    let inside = Der::new(der, "a private key").sequence("PKCS#8");
    match inside.ok().and_then(|inside| inside.peek()) {
        Some(tag::SEQUENCE) => "ENCRYPTED PRIVATE KEY",
        _ => "PRIVATE KEY",
    }
}

impl PrivateKey {
    fn from_pem(block: &PemBlock, password: Option<&str>) -> Result<Option<Self>, ApkError> {
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

    fn from_pkcs8(der: &[u8]) -> Result<Self, ApkError> {
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

    fn belongs_to(&self, public: &PublicKey) -> bool {
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
