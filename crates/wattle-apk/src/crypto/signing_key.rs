//! Private keys with their certificate.

use std::time::SystemTime;

use der::asn1::AnyRef;
use der::{Decode as _, Tag, Tagged};

use crate::crypto::certificate::Certificate;
use crate::crypto::hash::Hash;
use crate::crypto::jks;
use crate::crypto::pem::{self, PemBlock};
use crate::crypto::pkcs12::KeyStore;
use crate::crypto::private_key::{GeneratedKey, PrivateKey};
use crate::crypto::public_key::{KeyAlgorithm, SignatureAlgorithm};
use crate::crypto::self_signed;
use crate::{ApkError, KeyProblem};

/// The first byte of everything in DER that is read here.
const SEQUENCE: u8 = 0x30;
/// The first bytes of a JCEKS key store.
const JCEKS: [u8; 4] = [0xce; 4];

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

    /// Reads a key store in PKCS#12 or JKS; `alias` chooses one of several keys.
    pub fn from_key_store(
        store: &[u8],
        password: &str,
        alias: Option<&str>,
    ) -> Result<Self, ApkError> {
        if store.starts_with(&JCEKS) {
            return Err(ApkError::Key(KeyProblem::JavaKeyStore));
        }
        let store = if jks::is_jks(store) {
            jks::open(store, password)?
        } else {
            KeyStore::open(store, password)?
        };
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
        let is_der = certificate.is_some() && key.starts_with(&[SEQUENCE]);
        if pem::is_pem(key) || is_der {
            Self::from_pem(key, certificate, password)
        } else {
            Self::from_key_store(key, password.unwrap_or_default(), alias).map_err(|error| {
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
        let key = PrivateKey::generate(kind)?;
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
        let key = self.key.to_pem()?;
        let certificate = pem::write("CERTIFICATE", self.certificate.der())?;
        Ok(key + &certificate)
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
    if pem::is_pem(file) || !file.starts_with(&[SEQUENCE]) {
        return pem::parse(file);
    }
    Ok(vec![PemBlock { label: label.to_owned(), der: file.to_vec() }])
}

/// The PEM label of a PKCS#8 file in DER: an encrypted key begins with its algorithm, a plain one with its version.
fn pkcs8_label(der: &[u8]) -> &'static str {
    let fields = Vec::<AnyRef<'_>>::from_der(der).unwrap_or_default();
    match fields.first().map(Tagged::tag) {
        Some(Tag::Sequence) => "ENCRYPTED PRIVATE KEY",
        _ => "PRIVATE KEY",
    }
}
