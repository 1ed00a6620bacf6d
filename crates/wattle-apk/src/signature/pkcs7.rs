//! PKCS#7 `SignedData` (RFC 2315) of JAR signatures: one detached signature with its certificate.

use const_oid::db::{rfc5911, rfc5912};
use der::asn1::{AnyRef, ObjectIdentifier, OctetStringRef};
use der::{Encode as _, Sequence, Tag};
use spki::AlgorithmIdentifierRef;

use crate::ApkError;
use crate::crypto::asn1::{self, Attribute, ContentInfo, SetOf, malformed};
use crate::crypto::{Certificate, Hash, KeyAlgorithm, SignatureAlgorithm, SigningKey};

const WHAT: &str = "a PKCS#7 signature block";
/// More signers than any package has (apksig allows ten).
pub(super) const MOST_SIGNERS: usize = 10;

/// `ecdsa-with-SHA1` (RFC 3279, 2.2.3).
const ECDSA_WITH_SHA_1: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.10045.4.1");

/// `SignedData` (RFC 2315, 9.1). Certificates are read only when a signer names them.
#[derive(Sequence)]
struct SignedData<'a> {
    version: u32,
    digest_algorithms: SetOf<AnyRef<'a>>,
    content: ContentInfo<'a>,
    #[asn1(context_specific = "0", tag_mode = "IMPLICIT", optional = "true")]
    certificates: Option<SetOf<AnyRef<'a>>>,
    #[asn1(context_specific = "1", tag_mode = "IMPLICIT", optional = "true")]
    revoked: Option<SetOf<AnyRef<'a>>>,
    signers: SetOf<SignerFields<'a>>,
}

/// `SignerInfo` (RFC 2315, 9.2).
#[derive(Sequence)]
struct SignerFields<'a> {
    version: u32,
    id: IssuerAndSerial<'a>,
    digest_algorithm: AlgorithmIdentifierRef<'a>,
    #[asn1(context_specific = "0", tag_mode = "IMPLICIT", optional = "true")]
    attributes: Option<SetOf<Attribute<'a>>>,
    signature_algorithm: AlgorithmIdentifierRef<'a>,
    signature: OctetStringRef<'a>,
    #[asn1(context_specific = "1", tag_mode = "IMPLICIT", optional = "true")]
    unsigned_attributes: Option<SetOf<AnyRef<'a>>>,
}

/// `IssuerAndSerialNumber` (RFC 2315, 6.7).
#[derive(Sequence)]
struct IssuerAndSerial<'a> {
    issuer: AnyRef<'a>,
    serial: AnyRef<'a>,
}

fn failed(error: der::Error) -> ApkError {
    malformed(WHAT, error)
}

fn unusable(problem: String) -> ApkError {
    ApkError::Unusable { what: WHAT, problem }
}

/// The block of a signature file.
pub(super) fn write(key: &SigningKey, hash: Hash, content: &[u8]) -> Result<Vec<u8>, ApkError> {
    let signature = key.sign(hash, &[content])?;
    encode(key, hash, &signature).map_err(failed)
}

fn encode(key: &SigningKey, hash: Hash, signature: &[u8]) -> der::Result<Vec<u8>> {
    let certificate = key.certificate();
    let null = Some(AnyRef::NULL);
    let digest_algorithm = AlgorithmIdentifierRef { oid: hash.oid(), parameters: null };
    let digest_algorithms = digest_algorithm.to_der()?;
    // The plain key type, not the combination with a digest: old platforms know no other.
    let oid = match key.algorithm() {
        KeyAlgorithm::EcP256 => rfc5912::ID_EC_PUBLIC_KEY,
        _ => rfc5912::RSA_ENCRYPTION,
    };
    let signer = SignerFields {
        version: 1,
        id: IssuerAndSerial {
            issuer: AnyRef::try_from(certificate.issuer())?,
            serial: AnyRef::new(Tag::Integer, certificate.serial())?,
        },
        digest_algorithm,
        attributes: None,
        signature_algorithm: AlgorithmIdentifierRef { oid, parameters: null },
        signature: OctetStringRef::new(signature)?,
        unsigned_attributes: None,
    };
    let signed = SignedData {
        version: 1,
        digest_algorithms: SetOf(vec![AnyRef::try_from(digest_algorithms.as_slice())?]),
        content: ContentInfo { kind: rfc5911::ID_DATA, content: None },
        certificates: Some(SetOf(vec![AnyRef::try_from(certificate.der())?])),
        revoked: None,
        signers: SetOf(vec![signer]),
    };
    let signed = signed.to_der()?;
    let content = Some(AnyRef::try_from(signed.as_slice())?);
    ContentInfo { kind: rfc5911::ID_SIGNED_DATA, content }.to_der()
}

/// One `SignerInfo` of a block, ready to be checked against the signature file.
#[derive(Debug, Clone)]
pub(super) struct SignerInfo {
    pub(super) certificate: Certificate,
    pub(super) algorithm: SignatureAlgorithm,
    pub(super) signature: Vec<u8>,
    /// The signed attributes as they are signed, and the digest of the content that they state.
    pub(super) attributes: Option<(Vec<u8>, Vec<u8>)>,
}

/// The signers of a block. A certificate that no signer uses is not read.
pub(super) fn parse(block: &[u8]) -> Result<Vec<SignerInfo>, ApkError> {
    let der = asn1::to_der(block, WHAT)?;
    let info: ContentInfo<'_> = asn1::read(&der, WHAT)?;
    if info.kind != rfc5911::ID_SIGNED_DATA {
        return Err(unusable(format!("SignedData expected, content of type {} found", info.kind)));
    }
    let content = info.content.ok_or_else(|| unusable("it has no content".to_owned()))?;
    let signed: SignedData<'_> = content.decode_as().map_err(failed)?;
    if signed.signers.0.len() > MOST_SIGNERS {
        let found = signed.signers.0.len();
        return Err(unusable(format!("at most {MOST_SIGNERS} signers expected, {found} found")));
    }
    let certificates = signed.certificates.iter().flat_map(|set| &set.0);
    let certificates: Vec<Certificate> = certificates
        .filter_map(|certificate| Certificate::parse(&certificate.to_der().ok()?).ok())
        .collect();
    signed.signers.0.into_iter().map(|signer| signer.resolve(&certificates)).collect()
}

impl SignerFields<'_> {
    fn resolve(self, certificates: &[Certificate]) -> Result<SignerInfo, ApkError> {
        let (digest, signature) = (self.digest_algorithm.oid, self.signature_algorithm.oid);
        let algorithm =
            Hash::from_oid(digest).and_then(|hash| signature_algorithm(signature, hash));
        let unknown = || format!("signature algorithm {signature} with digest {digest} is unknown");
        let IssuerAndSerial { issuer, serial } = self.id;
        let certificate = certificates
            .iter()
            .find(|found| found.serial() == serial.value() && found.is_issued_by(issuer))
            .cloned();
        Ok(SignerInfo {
            algorithm: algorithm.ok_or_else(|| unusable(unknown()))?,
            certificate: certificate
                .ok_or_else(|| unusable("the certificate of a signer is not in it".to_owned()))?,
            signature: self.signature.as_bytes().to_vec(),
            attributes: self
                .attributes
                .map(|attributes| signed_attributes(&attributes))
                .transpose()?,
        })
    }
}

/// The attributes as they are signed, and their `messageDigest`.
fn signed_attributes(attributes: &SetOf<Attribute<'_>>) -> Result<(Vec<u8>, Vec<u8>), ApkError> {
    let mut digests = attributes.0.iter().filter(|one| one.kind == rfc5911::ID_MESSAGE_DIGEST);
    let digest = digests.next_back().and_then(|attribute| attribute.values.0.first());
    let digest =
        digest.ok_or_else(|| unusable("a signer has no attribute messageDigest".to_owned()))?;
    // Signed as a SET, though written with the tag [0] (RFC 2315, 9.3).
    Ok((attributes.to_der().map_err(failed)?, digest.value().to_vec()))
}

/// The algorithm that an identifier names: of itself, or together with the digest's.
fn signature_algorithm(id: ObjectIdentifier, hash: Hash) -> Option<SignatureAlgorithm> {
    use SignatureAlgorithm::{Dsa, Ecdsa, RsaPkcs1};
    Some(match id {
        rfc5912::RSA_ENCRYPTION => RsaPkcs1(hash),
        rfc5912::MD_5_WITH_RSA_ENCRYPTION => RsaPkcs1(Hash::Md5),
        rfc5912::SHA_1_WITH_RSA_ENCRYPTION => RsaPkcs1(Hash::Sha1),
        rfc5912::SHA_256_WITH_RSA_ENCRYPTION => RsaPkcs1(Hash::Sha256),
        rfc5912::SHA_384_WITH_RSA_ENCRYPTION => RsaPkcs1(Hash::Sha384),
        rfc5912::SHA_512_WITH_RSA_ENCRYPTION => RsaPkcs1(Hash::Sha512),
        rfc5912::ID_EC_PUBLIC_KEY => Ecdsa(hash),
        ECDSA_WITH_SHA_1 => Ecdsa(Hash::Sha1),
        rfc5912::ECDSA_WITH_SHA_256 => Ecdsa(Hash::Sha256),
        rfc5912::ECDSA_WITH_SHA_384 => Ecdsa(Hash::Sha384),
        rfc5912::ECDSA_WITH_SHA_512 => Ecdsa(Hash::Sha512),
        rfc5912::ID_DSA => Dsa(hash),
        rfc5912::DSA_WITH_SHA_1 => Dsa(Hash::Sha1),
        rfc5912::DSA_WITH_SHA_256 => Dsa(Hash::Sha256),
        _ => return None,
    })
}
