//! PKCS#12 key stores (RFC 7292), as OpenSSL, `keytool` and Android Studio write them.

use cbc::cipher::block_padding::Pkcs7;
use cbc::cipher::{BlockDecryptMut, InnerIvInit, KeyIvInit};
use const_oid::db::rfc5911;
use der::asn1::{AnyRef, ObjectIdentifier, OctetStringRef};
use der::{Encode as _, Sequence};
use des::TdesEde3;
use hmac::{Hmac, Mac};
use rc2::Rc2;
use sha1::Sha1;
use sha2::{Sha256, Sha384, Sha512};
use spki::AlgorithmIdentifierRef;

use crate::crypto::asn1::{self, Attribute, ContentInfo, SetOf, malformed, octets};
use crate::crypto::hash::Hash;
use crate::crypto::pbes2::{self, MOST_ITERATIONS};
use crate::crypto::pkcs12_kdf::{KeyDerivation, Purpose};
use crate::{ApkError, KeyProblem};

/// A private key of the store.
#[derive(Debug, Clone)]
pub(crate) struct StoredKey {
    /// `PrivateKeyInfo` (PKCS#8) in DER.
    pub(crate) pkcs8: Vec<u8>,
    /// Its name, which `keytool` calls the alias.
    pub(crate) name: Option<String>,
}

/// The content of a key store.
#[derive(Debug, Clone, Default)]
pub(crate) struct KeyStore {
    pub(crate) keys: Vec<StoredKey>,
    /// Certificates in DER.
    pub(crate) certificates: Vec<Vec<u8>>,
}

const WHAT: &str = "a PKCS#12 key store";

const fn oid(text: &str) -> ObjectIdentifier {
    ObjectIdentifier::new_unwrap(text)
}

/// RFC 7292, D.
const KEY_BAG: ObjectIdentifier = oid("1.2.840.113549.1.12.10.1.1");
const SHROUDED_KEY_BAG: ObjectIdentifier = oid("1.2.840.113549.1.12.10.1.2");
const CERT_BAG: ObjectIdentifier = oid("1.2.840.113549.1.12.10.1.3");
const PBE_SHA1_3DES: ObjectIdentifier = oid("1.2.840.113549.1.12.1.3");
const PBE_SHA1_RC2_40: ObjectIdentifier = oid("1.2.840.113549.1.12.1.6");
/// RFC 2985, A.
const FRIENDLY_NAME: ObjectIdentifier = oid("1.2.840.113549.1.9.20");
const X509_CERTIFICATE: ObjectIdentifier = oid("1.2.840.113549.1.9.22.1");

/// `PFX` (RFC 7292, 4).
#[derive(Sequence)]
struct Pfx<'a> {
    version: u32,
    safe: ContentInfo<'a>,
    mac: Option<MacData<'a>>,
}

/// `MacData` (RFC 7292, 4).
#[derive(Sequence)]
struct MacData<'a> {
    mac: DigestInfo<'a>,
    salt: OctetStringRef<'a>,
    #[asn1(default = "one")]
    iterations: u32,
}

fn one() -> u32 {
    1
}

/// `DigestInfo` (RFC 2315, 9.4).
#[derive(Sequence)]
struct DigestInfo<'a> {
    algorithm: AlgorithmIdentifierRef<'a>,
    digest: OctetStringRef<'a>,
}

/// `SafeBag` (RFC 7292, 4.2).
#[derive(Sequence)]
struct SafeBag<'a> {
    kind: ObjectIdentifier,
    #[asn1(context_specific = "0", tag_mode = "EXPLICIT")]
    value: AnyRef<'a>,
    attributes: Option<SetOf<Attribute<'a>>>,
}

/// `CertBag` (RFC 7292, 4.2.3).
#[derive(Sequence)]
struct CertBag<'a> {
    kind: ObjectIdentifier,
    #[asn1(context_specific = "0", tag_mode = "EXPLICIT")]
    certificate: AnyRef<'a>,
}

/// `EncryptedPrivateKeyInfo` (RFC 5208, 6), whose algorithm may be one of PKCS#12.
#[derive(Sequence)]
struct ShroudedKey<'a> {
    algorithm: AlgorithmIdentifierRef<'a>,
    encrypted: AnyRef<'a>,
}

/// `EncryptedData` (RFC 2315, 13).
#[derive(Sequence)]
struct EncryptedData<'a> {
    version: u32,
    content: EncryptedContent<'a>,
    #[asn1(context_specific = "1", tag_mode = "IMPLICIT", optional = "true")]
    attributes: Option<SetOf<AnyRef<'a>>>,
}

/// `EncryptedContentInfo` (RFC 2315, 10.1); the content is an OCTET STRING with the implicit tag `[0]`.
#[derive(Sequence)]
struct EncryptedContent<'a> {
    kind: ObjectIdentifier,
    algorithm: AlgorithmIdentifierRef<'a>,
    encrypted: AnyRef<'a>,
}

/// `pkcs-12PbeParams` (RFC 7292, C).
#[derive(Sequence)]
struct PbeParameters<'a> {
    salt: OctetStringRef<'a>,
    iterations: u32,
}

fn failed(error: der::Error) -> ApkError {
    malformed(WHAT, error)
}

impl KeyStore {
    /// Opens a key store; the password is the one of the store and of its keys.
    pub(crate) fn open(bytes: &[u8], password: &str) -> Result<Self, ApkError> {
        let der = asn1::to_der(bytes, WHAT)?;
        let pfx: Pfx<'_> = asn1::read(&der, WHAT)?;
        if pfx.safe.kind != rfc5911::ID_DATA {
            let encryption = "a store sealed with a public key".to_owned();
            return Err(ApkError::Key(KeyProblem::Encryption(encryption)));
        }
        let no_content = || ApkError::Unusable { what: WHAT, problem: "it is empty".to_owned() };
        let safe = octets(pfx.safe.content.ok_or_else(no_content)?).map_err(failed)?;
        if let Some(mac) = pfx.mac {
            check_mac(&mac, &safe, password)?;
        }
        let mut store = Self::default();
        let safe = asn1::to_der(&safe, WHAT)?;
        for part in asn1::read::<Vec<ContentInfo<'_>>>(&safe, WHAT)? {
            let Some(content) = part.content else { continue };
            let bags = match part.kind {
                rfc5911::ID_DATA => octets(content).map_err(failed)?,
                rfc5911::ID_ENCRYPTED_DATA => {
                    let data: EncryptedData<'_> = content.decode_as().map_err(failed)?;
                    let encrypted = octets(data.content.encrypted).map_err(failed)?;
                    decrypt(data.content.algorithm, &encrypted, password)?
                }
                _ => continue,
            };
            store.read_bags(&bags, password)?;
        }
        Ok(store)
    }

    fn read_bags(&mut self, bags: &[u8], password: &str) -> Result<(), ApkError> {
        let bags = asn1::to_der(bags, WHAT)?;
        for bag in asn1::read::<Vec<SafeBag<'_>>>(&bags, WHAT)? {
            match bag.kind {
                KEY_BAG => {
                    let pkcs8 = bag.value.to_der().map_err(failed)?;
                    self.keys.push(StoredKey { pkcs8, name: bag.friendly_name() });
                }
                SHROUDED_KEY_BAG => {
                    let key: ShroudedKey<'_> = bag.value.decode_as().map_err(failed)?;
                    let encrypted = octets(key.encrypted).map_err(failed)?;
                    let pkcs8 = decrypt(key.algorithm, &encrypted, password)?;
                    self.keys.push(StoredKey { pkcs8, name: bag.friendly_name() });
                }
                CERT_BAG => {
                    let bag: CertBag<'_> = bag.value.decode_as().map_err(failed)?;
                    if bag.kind == X509_CERTIFICATE {
                        self.certificates.push(octets(bag.certificate).map_err(failed)?);
                    }
                }
                _ => {}
            }
        }
        Ok(())
    }
}

impl SafeBag<'_> {
    fn friendly_name(&self) -> Option<String> {
        let attributes = self.attributes.iter().flat_map(|attributes| &attributes.0);
        let name = attributes.into_iter().find(|attribute| attribute.kind == FRIENDLY_NAME)?;
        name.values.0.first().map(|name| asn1::utf16(name.value()))
    }
}

fn decrypt(
    algorithm: AlgorithmIdentifierRef<'_>,
    encrypted: &[u8],
    password: &str,
) -> Result<Vec<u8>, ApkError> {
    let wrong = || ApkError::Key(KeyProblem::WrongPassword);
    let kind = algorithm.oid;
    let unknown = || ApkError::Key(KeyProblem::Encryption(kind.to_string()));
    if kind == pkcs5::pbes2::PBES2_OID {
        let scheme = pkcs5::EncryptionScheme::try_from(algorithm).map_err(|_| unknown())?;
        return pbes2::decrypt(&scheme, encrypted, password);
    }
    if kind != PBE_SHA1_3DES && kind != PBE_SHA1_RC2_40 {
        return Err(unknown());
    }
    let parameters = algorithm.parameters.unwrap_or(AnyRef::NULL);
    let PbeParameters { salt, iterations } = parameters.decode_as().map_err(failed)?;
    check_iterations(iterations)?;
    let salt = salt.as_bytes();
    let derivation = KeyDerivation { hash: Hash::Sha1, password, salt, iterations };
    let iv = derivation.derive(Purpose::Iv, 8);
    if kind == PBE_SHA1_3DES {
        let cipher =
            cbc::Decryptor::<TdesEde3>::new_from_slices(&derivation.derive(Purpose::Key, 24), &iv);
        let cipher = cipher.map_err(|_| unknown())?;
        cipher.decrypt_padded_vec_mut::<Pkcs7>(encrypted).map_err(|_| wrong())
    } else {
        let cipher = Rc2::new_with_eff_key_len(&derivation.derive(Purpose::Key, 5), 40);
        let cipher = cbc::Decryptor::inner_iv_slice_init(cipher, &iv).map_err(|_| unknown())?;
        cipher.decrypt_padded_vec_mut::<Pkcs7>(encrypted).map_err(|_| wrong())
    }
}

fn check_iterations(iterations: u32) -> Result<(), ApkError> {
    if iterations <= MOST_ITERATIONS {
        return Ok(());
    }
    let problem = format!("{iterations} iterations found, at most {MOST_ITERATIONS} expected");
    Err(ApkError::Unusable { what: WHAT, problem })
}

/// Compares the store's `MacData`, which tells a wrong password from a broken store.
fn check_mac(mac: &MacData<'_>, content: &[u8], password: &str) -> Result<(), ApkError> {
    let MacData { mac: DigestInfo { algorithm, digest: expected }, salt, iterations } = mac;
    let (expected, iterations) = (expected.as_bytes(), *iterations);
    check_iterations(iterations)?;
    // PBMAC1 (RFC 9579) is not compared: decrypting tells a wrong password, too.
    let Some(hash) = Hash::from_oid(algorithm.oid) else { return Ok(()) };
    let length = hash.digest(&[]).len();
    let derivation = KeyDerivation { hash, password, salt: salt.as_bytes(), iterations };
    let key = derivation.derive(Purpose::Mac, length);
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
