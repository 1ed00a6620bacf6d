//! PKCS#12 key stores (RFC 7292), as OpenSSL, `keytool` and Android Studio write them.

use cbc::cipher::block_padding::Pkcs7;
use cbc::cipher::{BlockDecryptMut, InnerIvInit, KeyIvInit};
use des::TdesEde3;
use hmac::{Hmac, Mac};
use rc2::Rc2;
use sha1::Sha1;
use sha2::{Sha256, Sha384, Sha512};

use crate::crypto::der::{Der, Value, tag};
use crate::crypto::hash::Hash;
use crate::crypto::oid;
use crate::crypto::pbes2::{self, MOST_ITERATIONS};
use crate::crypto::pkcs12_kdf::{Purpose, derive};
use crate::{ApkError, KeyProblem};

/// A private key of the store.
#[derive(Debug, Clone)]
pub(crate) struct StoredKey {
    /// `PrivateKeyInfo` (PKCS#8) in DER.
    pub(crate) pkcs8: Vec<u8>,
    /// What `keytool` calls the alias.
    pub(crate) name: Option<String>,
}

/// What is in a key store.
#[derive(Debug, Clone, Default)]
pub(crate) struct KeyStore {
    pub(crate) keys: Vec<StoredKey>,
    /// Certificates in DER.
    pub(crate) certificates: Vec<Vec<u8>>,
}

const WHAT: &str = "a PKCS#12 key store";

impl KeyStore {
    /// Opens a key store; the password is the one of the store and of its keys.
    pub(crate) fn open(bytes: &[u8], password: &str) -> Result<Self, ApkError> {
        let mut pfx = Der::new(bytes, WHAT).sequence("PFX")?;
        pfx.small_integer()?;
        let (kind, content) = content_info(&mut pfx)?;
        if kind != oid::DATA {
            let encryption = "a store sealed with a public key".to_owned();
            return Err(ApkError::Key(KeyProblem::Encryption(encryption)));
        }
        let content = content.ok_or_else(|| pfx.error("the content"))?;
        let safe = content.inside().next()?.octets()?;
        if let Some(mac) = pfx.optional(tag::SEQUENCE)? {
            check_mac(&mac, &safe, password)?;
        }
        let mut store = Self::default();
        let mut parts = Der::new(&safe, WHAT).sequence("AuthenticatedSafe")?;
        while !parts.is_empty() {
            let (kind, content) = content_info(&mut parts)?;
            let Some(content) = content else { continue };
            let bags = match kind {
                oid::DATA => content.inside().next()?.octets()?,
                oid::ENCRYPTED_DATA => decrypt_content(&content, password)?,
                _ => continue,
            };
            store.read_bags(&bags, password)?;
        }
        Ok(store)
    }

    fn read_bags(&mut self, bags: &[u8], password: &str) -> Result<(), ApkError> {
        let mut bags = Der::new(bags, WHAT).sequence("SafeContents")?;
        while !bags.is_empty() {
            let mut bag = bags.sequence("SafeBag")?;
            let kind = bag.oid()?;
            let value = bag.expect(tag::context(0), "the content of a bag")?;
            let name = bag.optional(tag::SET)?.map(|set| friendly_name(&set)).transpose()?;
            let name = name.flatten();
            match kind {
                oid::KEY_BAG => {
                    let pkcs8 = value.content.to_vec();
                    self.keys.push(StoredKey { pkcs8, name });
                }
                oid::SHROUDED_KEY_BAG => {
                    let mut info = value.inside().sequence("EncryptedPrivateKeyInfo")?;
                    let algorithm = info.expect(tag::SEQUENCE, "AlgorithmIdentifier")?;
                    let encrypted = info.next()?.octets()?;
                    let pkcs8 = decrypt(&algorithm, &encrypted, password)?;
                    self.keys.push(StoredKey { pkcs8, name });
                }
                oid::CERT_BAG => {
                    let mut bag = value.inside().sequence("CertBag")?;
                    if bag.oid()? == oid::X509_CERTIFICATE {
                        let content = bag.expect(tag::context(0), "a certificate")?;
                        self.certificates.push(content.inside().next()?.octets()?);
                    }
                }
                _ => {}
            }
        }
        Ok(())
    }
}

/// `ContentInfo`: what it is, and the `[0]` around its content.
fn content_info<'a>(from: &mut Der<'a>) -> Result<(&'a [u8], Option<Value<'a>>), ApkError> {
    let mut info = from.sequence("ContentInfo")?;
    let kind = info.oid()?;
    Ok((kind, info.optional(tag::context(0))?))
}

fn friendly_name(attributes: &Value<'_>) -> Result<Option<String>, ApkError> {
    let mut attributes = attributes.inside();
    while !attributes.is_empty() {
        let mut attribute = attributes.sequence("a bag's attribute")?;
        if attribute.oid()? == oid::FRIENDLY_NAME {
            let values = attribute.expect(tag::SET, "its values")?;
            let content = values.inside().next()?.content;
            let units: Vec<u16> = content
                .chunks_exact(2)
                .map(|unit| unit.try_into().map_or(0, u16::from_be_bytes))
                .collect();
            return Ok(Some(String::from_utf16_lossy(&units)));
        }
    }
    Ok(None)
}

/// `EncryptedData`, decrypted.
fn decrypt_content(content: &Value<'_>, password: &str) -> Result<Vec<u8>, ApkError> {
    let mut data = content.inside().sequence("EncryptedData")?;
    data.small_integer()?;
    let mut info = data.sequence("EncryptedContentInfo")?;
    info.oid()?;
    let algorithm = info.expect(tag::SEQUENCE, "AlgorithmIdentifier")?;
    let octets = info.next()?.octets()?;
    decrypt(&algorithm, &octets, password)
}

fn decrypt(algorithm: &Value<'_>, encrypted: &[u8], password: &str) -> Result<Vec<u8>, ApkError> {
    let wrong = || ApkError::Key(KeyProblem::WrongPassword);
    let mut fields = algorithm.inside();
    let kind = fields.oid()?;
    let unknown = || ApkError::Key(KeyProblem::Encryption(oid::dotted(kind)));
    if kind == oid::PBES2 {
        let scheme = pkcs5::EncryptionScheme::try_from(algorithm.whole).map_err(|_| unknown())?;
        return pbes2::decrypt(&scheme, encrypted, password);
    }
    if kind != oid::PBE_SHA1_3DES && kind != oid::PBE_SHA1_RC2_40 {
        return Err(unknown());
    }
    let mut parameters = fields.sequence("the parameters of the encryption")?;
    let salt = parameters.expect(tag::OCTET_STRING, "the salt")?.content;
    let iterations = iterations(&mut parameters)?;
    let derive = |purpose, length| derive(Hash::Sha1, password, salt, iterations, purpose, length);
    let iv = derive(Purpose::Iv, 8);
    if kind == oid::PBE_SHA1_3DES {
        let cipher = cbc::Decryptor::<TdesEde3>::new_from_slices(&derive(Purpose::Key, 24), &iv);
        let cipher = cipher.map_err(|_| unknown())?;
        cipher.decrypt_padded_vec_mut::<Pkcs7>(encrypted).map_err(|_| wrong())
    } else {
        let cipher = Rc2::new_with_eff_key_len(&derive(Purpose::Key, 5), 40);
        let cipher = cbc::Decryptor::inner_iv_slice_init(cipher, &iv).map_err(|_| unknown())?;
        cipher.decrypt_padded_vec_mut::<Pkcs7>(encrypted).map_err(|_| wrong())
    }
}

fn iterations(from: &mut Der<'_>) -> Result<u32, ApkError> {
    let error = from.error("at most ten million iterations");
    let iterations = from.small_integer()?;
    if iterations > MOST_ITERATIONS { Err(error) } else { Ok(iterations) }
}

/// Compares the store's `MacData`, which tells a wrong password from a broken store.
fn check_mac(mac: &Value<'_>, content: &[u8], password: &str) -> Result<(), ApkError> {
    let mut mac = mac.inside();
    let mut info = mac.sequence("DigestInfo")?;
    let algorithm = info.sequence("AlgorithmIdentifier")?.oid()?;
    let expected = info.expect(tag::OCTET_STRING, "the MAC")?.content;
    let salt = mac.expect(tag::OCTET_STRING, "the salt of the MAC")?.content;
    let iterations = if mac.is_empty() { 1 } else { iterations(&mut mac)? };
    // PBMAC1 (RFC 9579) is not compared: decrypting tells a wrong password, too.
    let Some(hash) = Hash::from_oid(algorithm) else { return Ok(()) };
    let length = hash.digest(&[]).len();
    let key = derive(hash, password, salt, iterations, Purpose::Mac, length);
    let agrees = match hash {
        Hash::Sha1 => agrees::<Hmac<Sha1>>(&key, content, expected),
        Hash::Sha256 => agrees::<Hmac<Sha256>>(&key, content, expected),
        Hash::Sha384 => agrees::<Hmac<Sha384>>(&key, content, expected),
        Hash::Sha512 => agrees::<Hmac<Sha512>>(&key, content, expected),
        Hash::Md5 => true,
    };
    if agrees { Ok(()) } else { Err(ApkError::Key(KeyProblem::WrongPassword)) }
}

fn agrees<M: Mac + hmac::digest::KeyInit>(key: &[u8], content: &[u8], expected: &[u8]) -> bool {
    <M as hmac::digest::KeyInit>::new_from_slice(key)
        .is_ok_and(|mac: M| mac.chain_update(content).verify_slice(expected).is_ok())
}
