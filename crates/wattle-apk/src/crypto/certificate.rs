//! X.509 certificates, as far as signatures of packages need them.

use std::str;

use crate::ApkError;
use crate::crypto::der::{Der, Value, tag};
use crate::crypto::hash::{Hash, hex};
use crate::crypto::oid;
use crate::crypto::public_key::{KeyAlgorithm, PublicKey};

/// An X.509 certificate. Android compares it byte for byte; its validity and its issuer do not count.
#[derive(Debug, Clone)]
pub struct Certificate {
    der: Vec<u8>,
    serial: Vec<u8>,
    issuer: Vec<u8>,
    subject: String,
    public_key_info: Vec<u8>,
    public_key: PublicKey,
}

impl PartialEq for Certificate {
    fn eq(&self, other: &Self) -> bool {
        self.der == other.der
    }
}

impl Eq for Certificate {}

impl Certificate {
    /// Reads a certificate in its DER encoding (RFC 5280).
    pub fn parse(der: &[u8]) -> Result<Self, ApkError> {
        let whole = Der::new(der, "a certificate").next()?;
        let mut certificate = Der::new(der, "a certificate").sequence("Certificate")?;
        let mut tbs = certificate.sequence("TBSCertificate")?;
        tbs.optional(tag::context(0))?;
        let serial = tbs.expect(tag::INTEGER, "the serial number")?;
        tbs.sequence("the signature algorithm")?;
        let issuer = tbs.expect(tag::SEQUENCE, "the issuer")?;
        tbs.sequence("the validity")?;
        let subject = tbs.expect(tag::SEQUENCE, "the subject")?;
        let info = tbs.expect(tag::SEQUENCE, "the public key")?;
        Ok(Self {
            der: whole.whole.to_vec(),
            serial: serial.content.to_vec(),
            issuer: issuer.whole.to_vec(),
            subject: distinguished_name(&subject)?,
            public_key_info: info.whole.to_vec(),
            public_key: PublicKey::parse(info.whole)?,
        })
    }

    /// Its DER encoding.
    pub fn der(&self) -> &[u8] {
        &self.der
    }

    /// SHA-256 of the certificate in hexadecimal digits, the way stores and `apksigner` name a signer.
    pub fn sha256(&self) -> String {
        hex(&Hash::Sha256.digest(&[&self.der]))
    }

    /// Whom it names, most specific part first: `CN=Android Debug, O=Android, C=US`.
    pub fn subject(&self) -> &str {
        &self.subject
    }

    /// The kind of its key.
    pub fn key_algorithm(&self) -> KeyAlgorithm {
        self.public_key.algorithm()
    }

    /// The `SubjectPublicKeyInfo` in its DER encoding.
    pub fn public_key_info(&self) -> &[u8] {
        &self.public_key_info
    }

    pub(crate) const fn public_key(&self) -> &PublicKey {
        &self.public_key
    }

    /// The issuer's name in its DER encoding.
    pub(crate) fn issuer(&self) -> &[u8] {
        &self.issuer
    }

    /// Whether this is the issuer's name; the kinds of its strings do not count, as in Android (X.500 names).
    pub(crate) fn is_issued_by(&self, issuer: &Value<'_>) -> bool {
        let own = Der::new(&self.issuer, "a certificate").next();
        let names =
            own.and_then(|own| Ok((distinguished_name(&own)?, distinguished_name(issuer)?)));
        names.is_ok_and(|(own, other)| own.eq_ignore_ascii_case(&other))
    }

    /// The digits of the serial number.
    pub(crate) fn serial(&self) -> &[u8] {
        &self.serial
    }
}

/// A name as RFC 2253 writes it, as far as the attribute types are known.
fn distinguished_name(name: &Value<'_>) -> Result<String, ApkError> {
    let mut parts = Vec::new();
    let mut sets = name.inside();
    while !sets.is_empty() {
        let mut attributes = sets.expect(tag::SET, "a part of the subject")?.inside();
        while !attributes.is_empty() {
            let mut attribute = attributes.sequence("an attribute of the subject")?;
            let kind = attribute.oid()?;
            let text = text(&attribute.next()?);
            let kind = match kind {
                oid::COMMON_NAME => "CN".to_owned(),
                [0x55, 4, 7] => "L".to_owned(),
                [0x55, 4, 8] => "ST".to_owned(),
                oid::ORGANIZATION => "O".to_owned(),
                [0x55, 4, 11] => "OU".to_owned(),
                oid::COUNTRY => "C".to_owned(),
                [0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 1, 9, 1] => "EMAILADDRESS".to_owned(),
                other => oid::dotted(other),
            };
            parts.push(format!("{kind}={text}"));
        }
    }
    parts.reverse();
    Ok(parts.join(", "))
}

fn text(value: &Value<'_>) -> String {
    if value.tag == tag::BMP_STRING {
        let units =
            value.content.chunks_exact(2).map(|unit| unit.try_into().map_or(0, u16::from_be_bytes));
        return char::decode_utf16(units)
            .map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER))
            .collect();
    }
    str::from_utf8(value.content).map_or_else(
        // T61String and the like: read as Latin-1.
        |_| value.content.iter().copied().map(char::from).collect(),
        str::to_owned,
    )
}
