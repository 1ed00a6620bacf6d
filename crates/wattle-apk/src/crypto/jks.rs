//! Java key stores in the format JKS, the default of `keytool` before Java 9 and of old installations of Android Studio.
//!
//! Everything is big-endian: magic, version, the number of entries, the entries, and at the end a SHA-1 digest of all
//! that is before it, keyed with the password. Source: OpenJDK `sun/security/provider/JavaKeyStore.java` and
//! `KeyProtector.java`.

use der::Sequence;
use der::asn1::{ObjectIdentifier, OctetStringRef};
use spki::AlgorithmIdentifierRef;

use crate::crypto::asn1;
use crate::crypto::hash::Hash;
use crate::crypto::pkcs12::{KeyStore, StoredKey};
use crate::{ApkError, KeyProblem};

const WHAT: &str = "a Java key store (JKS)";
const MAGIC: [u8; 4] = [0xfe, 0xed, 0xfe, 0xed];
/// Versions: the second writes the kind of each certificate.
const VERSIONS: [u32; 2] = [1, 2];
const KEY_ENTRY: u32 = 1;
const CERTIFICATE_ENTRY: u32 = 2;
/// Written into the digest of the store, between the password and the content.
const WHITENER: &[u8] = b"Mighty Aphrodite";
/// Sun's protection of single keys, `KeyProtector.java`.
const KEY_PROTECTOR: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.3.6.1.4.1.42.2.17.1.1");
/// Bytes of a SHA-1 digest, of the salt before an encrypted key and of the check behind it.
const DIGEST: usize = 20;

/// `EncryptedPrivateKeyInfo` (RFC 5208, 6).
#[derive(Sequence)]
struct ProtectedKey<'a> {
    algorithm: AlgorithmIdentifierRef<'a>,
    encrypted: OctetStringRef<'a>,
}

/// Whether a file begins as these key stores do.
pub(crate) fn is_jks(bytes: &[u8]) -> bool {
    bytes.starts_with(&MAGIC)
}

/// Opens a key store; the password is the one of the store and of its keys.
pub(crate) fn open(bytes: &[u8], password: &str) -> Result<KeyStore, ApkError> {
    let password: Vec<u8> = password.encode_utf16().flat_map(u16::to_be_bytes).collect();
    let content = bytes.len().checked_sub(DIGEST).and_then(|end| bytes.split_at_checked(end));
    let (content, digest) = content.ok_or_else(|| unusable("it ends before its digest"))?;
    let mut fields = Fields { rest: content };
    if fields.take(MAGIC.len())? != MAGIC {
        return Err(unusable("it does not begin with FE ED FE ED"));
    }
    let version = fields.number()?;
    if !VERSIONS.contains(&version) {
        return Err(unusable(format!("version {version} found, 1 or 2 expected")));
    }
    if Hash::Sha1.digest(&[&password, WHITENER, content]) != digest {
        return Err(ApkError::Key(KeyProblem::WrongPassword));
    }
    let mut store = KeyStore::default();
    for _ in 0..fields.number()? {
        let kind = fields.number()?;
        let name = fields.text()?;
        // The time of the entry, milliseconds.
        fields.take(8)?;
        match kind {
            KEY_ENTRY => {
                let pkcs8 = plain_key(fields.bytes()?, &password)?;
                store.keys.push(StoredKey { pkcs8, name: Some(name) });
                for _ in 0..fields.number()? {
                    store.certificates.push(fields.certificate(version)?);
                }
            }
            CERTIFICATE_ENTRY => store.certificates.push(fields.certificate(version)?),
            other => return Err(unusable(format!("an entry of the unknown kind {other}"))),
        }
    }
    Ok(store)
}

/// The PKCS#8 key in its protection: XOR with a chain of digests of the password, then a digest as a check.
fn plain_key(protected: &[u8], password: &[u8]) -> Result<Vec<u8>, ApkError> {
    let key: ProtectedKey<'_> = asn1::read(protected, WHAT)?;
    if key.algorithm.oid != KEY_PROTECTOR {
        return Err(ApkError::Key(KeyProblem::Encryption(key.algorithm.oid.to_string())));
    }
    let bytes = key.encrypted.as_bytes();
    let parts = bytes.split_at_checked(DIGEST).and_then(|(salt, rest)| {
        let (encrypted, check) = rest.split_at_checked(rest.len().checked_sub(DIGEST)?)?;
        Some((salt, encrypted, check))
    });
    let (salt, encrypted, check) = parts.ok_or_else(|| unusable("a key is too short"))?;
    let mut plain = Vec::with_capacity(encrypted.len());
    let mut digest = salt.to_vec();
    for block in encrypted.chunks(DIGEST) {
        digest = Hash::Sha1.digest(&[password, &digest]);
        plain.extend(block.iter().zip(&digest).map(|(byte, mask)| byte ^ mask));
    }
    if Hash::Sha1.digest(&[password, &plain]) != check {
        return Err(ApkError::Key(KeyProblem::WrongPassword));
    }
    Ok(plain)
}

/// The fields of a store, one after the other.
struct Fields<'a> {
    rest: &'a [u8],
}

impl<'a> Fields<'a> {
    fn take(&mut self, length: usize) -> Result<&'a [u8], ApkError> {
        let parts = self.rest.split_at_checked(length);
        let (taken, rest) = parts.ok_or_else(|| unusable("it ends within an entry"))?;
        self.rest = rest;
        Ok(taken)
    }

    fn number(&mut self) -> Result<u32, ApkError> {
        Ok(self.take(4)?.iter().fold(0, |sum, byte| sum << 8 | u32::from(*byte)))
    }

    /// Bytes behind their number.
    fn bytes(&mut self) -> Result<&'a [u8], ApkError> {
        let length = self.number()?;
        self.take(length as usize)
    }

    /// Text as `DataOutputStream.writeUTF` writes it; names beyond ASCII are compared as far as they are UTF-8.
    fn text(&mut self) -> Result<String, ApkError> {
        let length = self.take(2)?.iter().fold(0, |sum, byte| sum << 8 | usize::from(*byte));
        Ok(String::from_utf8_lossy(self.take(length)?).into_owned())
    }

    /// An X.509 certificate.
    fn certificate(&mut self, version: u32) -> Result<Vec<u8>, ApkError> {
        if version > 1 {
            self.text()?;
        }
        Ok(self.bytes()?.to_vec())
    }
}

fn unusable(problem: impl Into<String>) -> ApkError {
    ApkError::Unusable { what: WHAT, problem: problem.into() }
}
