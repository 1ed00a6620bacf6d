//! PKCS#7 `SignedData` (RFC 2315) of JAR signatures: one detached signature with its certificate.

use crate::ApkError;
use crate::crypto::{Certificate, Der, Hash, KeyAlgorithm, SignatureAlgorithm, SigningKey};
use crate::crypto::{oid, tag, tlv};

/// More signers than any package has (apksig allows ten).
pub(super) const MOST_SIGNERS: usize = 10;

/// The block of a signature file.
pub(super) fn write(key: &SigningKey, hash: Hash, content: &[u8]) -> Result<Vec<u8>, ApkError> {
    let certificate = key.certificate();
    let null = tlv(tag::NULL, &[]);
    let digest = tlv(tag::SEQUENCE, &[&tlv(tag::OID, &[hash.oid()]), &null]);
    // The plain key type, not the combination with a digest: old platforms know no other.
    let algorithm = match key.algorithm() {
        KeyAlgorithm::EcP256 => tlv(tag::SEQUENCE, &[&tlv(tag::OID, &[oid::EC]), &null]),
        _ => tlv(tag::SEQUENCE, &[&tlv(tag::OID, &[oid::RSA]), &null]),
    };
    let serial = tlv(tag::INTEGER, &[certificate.serial()]);
    let signer = tlv(
        tag::SEQUENCE,
        &[
            &tlv(tag::INTEGER, &[&[1]]),
            &tlv(tag::SEQUENCE, &[certificate.issuer(), &serial]),
            &digest,
            &algorithm,
            &tlv(tag::OCTET_STRING, &[&key.sign(hash, &[content])?]),
        ],
    );
    let signed = tlv(
        tag::SEQUENCE,
        &[
            &tlv(tag::INTEGER, &[&[1]]),
            &tlv(tag::SET, &[&digest]),
            &tlv(tag::SEQUENCE, &[&tlv(tag::OID, &[oid::DATA])]),
            &tlv(tag::context(0), &[certificate.der()]),
            &tlv(tag::SET, &[&signer]),
        ],
    );
    let kind = tlv(tag::OID, &[oid::SIGNED_DATA]);
    Ok(tlv(tag::SEQUENCE, &[&kind, &tlv(tag::context(0), &[&signed])]))
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
    const WHAT: &str = "a PKCS#7 signature block";
    let mut info = Der::new(block, WHAT).sequence("ContentInfo")?;
    if info.oid()? != oid::SIGNED_DATA {
        return Err(info.error("SignedData"));
    }
    let content = info.expect(tag::context(0), "the content")?;
    let mut signed = content.inside().sequence("SignedData")?;
    signed.small_integer()?;
    signed.expect(tag::SET, "the digest algorithms")?;
    signed.sequence("the signed content")?;
    let mut certificates = Vec::new();
    if let Some(set) = signed.optional(tag::context(0))? {
        let mut set = set.inside();
        while !set.is_empty() {
            certificates.extend(Certificate::parse(set.next()?.whole).ok());
        }
    }
    signed.optional(tag::context(1))?;
    let mut infos = signed.expect(tag::SET, "the signers")?.inside();
    let mut signers = Vec::new();
    while !infos.is_empty() {
        if signers.len() == MOST_SIGNERS {
            return Err(infos.error("at most ten signers"));
        }
        signers.push(signer(infos.sequence("SignerInfo")?, &certificates)?);
    }
    Ok(signers)
}

fn signer(mut info: Der<'_>, certificates: &[Certificate]) -> Result<SignerInfo, ApkError> {
    info.small_integer()?;
    let mut id = info.sequence("the issuer and serial number of the certificate")?;
    let issuer = id.expect(tag::SEQUENCE, "the issuer")?;
    let serial = id.expect(tag::INTEGER, "the serial number")?.content;
    let no_certificate = info.error("a signer whose certificate is in the block");
    let unknown = info.error("a known digest and signature algorithm");
    let hash = Hash::from_oid(info.sequence("the digest algorithm")?.oid()?);
    let attributes = info.optional(tag::context(0))?;
    let algorithm = info.sequence("the signature algorithm")?.oid()?;
    let signature = info.expect(tag::OCTET_STRING, "the signature")?.content.to_vec();
    let algorithm = hash.and_then(|hash| signature_algorithm(algorithm, hash)).ok_or(unknown)?;

    let certificate = certificates
        .iter()
        .find(|found| found.serial() == serial && found.is_issued_by(&issuer))
        .cloned()
        .ok_or(no_certificate)?;
    let attributes = match attributes {
        None => None,
        Some(attributes) => {
            // Signed as a SET, though written with the tag [0] (RFC 2315, 9.3).
            let mut signed = attributes.whole.to_vec();
            if let Some(first) = signed.first_mut() {
                *first = tag::SET;
            }
            let mut digest = None;
            let mut list = attributes.inside();
            while !list.is_empty() {
                let mut attribute = list.sequence("an attribute")?;
                if attribute.oid()? == oid::MESSAGE_DIGEST {
                    let values = attribute.expect(tag::SET, "the values of an attribute")?;
                    digest = Some(values.inside().next()?.content.to_vec());
                }
            }
            let digest = digest.ok_or_else(|| list.error("the attribute messageDigest"))?;
            Some((signed, digest))
        }
    };
    Ok(SignerInfo { certificate, algorithm, signature, attributes })
}

/// The algorithm that an identifier names: of itself, or together with the digest's.
fn signature_algorithm(id: &[u8], hash: Hash) -> Option<SignatureAlgorithm> {
    if let Some([last]) = id.strip_prefix(oid::PKCS1) {
        let hash = match last {
            1 => hash,
            4 => Hash::Md5,
            5 => Hash::Sha1,
            11 => Hash::Sha256,
            12 => Hash::Sha384,
            13 => Hash::Sha512,
            _ => return None,
        };
        return Some(SignatureAlgorithm::RsaPkcs1(hash));
    }
    Some(match id {
        oid::EC => SignatureAlgorithm::Ecdsa(hash),
        oid::ECDSA_SHA1 => SignatureAlgorithm::Ecdsa(Hash::Sha1),
        oid::ECDSA_SHA256 => SignatureAlgorithm::Ecdsa(Hash::Sha256),
        oid::ECDSA_SHA384 => SignatureAlgorithm::Ecdsa(Hash::Sha384),
        oid::ECDSA_SHA512 => SignatureAlgorithm::Ecdsa(Hash::Sha512),
        oid::DSA => SignatureAlgorithm::Dsa(hash),
        oid::DSA_SHA1 => SignatureAlgorithm::Dsa(Hash::Sha1),
        oid::DSA_SHA256 => SignatureAlgorithm::Dsa(Hash::Sha256),
        _ => return None,
    })
}
