//! X.509 certificates, as far as signatures of packages need them.

use std::str;

use const_oid::db::{rfc3280, rfc4519};
use der::asn1::{AnyRef, BitStringRef, ObjectIdentifier};
use der::{Encode as _, Sequence, Tag, Tagged as _};
use spki::AlgorithmIdentifierRef;

use crate::ApkError;
use crate::crypto::asn1::{self, SetOf, malformed};
use crate::crypto::hash::{Hash, hex};
use crate::crypto::public_key::{KeyAlgorithm, PublicKey};

const WHAT: &str = "a certificate";

/// `Certificate` (RFC 5280, 4.1).
#[derive(Debug, Clone, PartialEq, Eq, Sequence)]
pub(super) struct SignedFields<'a> {
    pub(super) fields: Fields<'a>,
    pub(super) algorithm: AlgorithmIdentifierRef<'a>,
    pub(super) signature: BitStringRef<'a>,
}

/// `TBSCertificate` (RFC 5280, 4.1). Android reads neither dates nor extensions, so they may be anything.
#[derive(Debug, Clone, PartialEq, Eq, Sequence)]
pub(super) struct Fields<'a> {
    #[asn1(context_specific = "0", tag_mode = "EXPLICIT", optional = "true")]
    pub(super) version: Option<AnyRef<'a>>,
    pub(super) serial: AnyRef<'a>,
    pub(super) algorithm: AlgorithmIdentifierRef<'a>,
    pub(super) issuer: AnyRef<'a>,
    pub(super) validity: AnyRef<'a>,
    pub(super) subject: AnyRef<'a>,
    pub(super) public_key_info: AnyRef<'a>,
    #[asn1(context_specific = "1", tag_mode = "IMPLICIT", optional = "true")]
    pub(super) issuer_id: Option<BitStringRef<'a>>,
    #[asn1(context_specific = "2", tag_mode = "IMPLICIT", optional = "true")]
    pub(super) subject_id: Option<BitStringRef<'a>>,
    #[asn1(context_specific = "3", tag_mode = "EXPLICIT", optional = "true")]
    pub(super) extensions: Option<AnyRef<'a>>,
}

/// `Name` (RFC 5280, 4.1.2.4).
pub(super) type Name<'a> = Vec<SetOf<NamePart<'a>>>;

/// `AttributeTypeAndValue` (RFC 5280, 4.1.2.4).
#[derive(Debug, Clone, PartialEq, Eq, Sequence)]
pub(super) struct NamePart<'a> {
    pub(super) kind: ObjectIdentifier,
    pub(super) value: AnyRef<'a>,
}

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
        // Android compares the bytes as they are, so those are kept, whatever their encoding.
        let (whole, canonical) = asn1::first(der, WHAT)?;
        let SignedFields { fields, .. } = asn1::read(&canonical, WHAT)?;
        let failed = |error| malformed(WHAT, error);
        fields.serial.tag().assert_eq(Tag::Integer).map_err(failed)?;
        let public_key_info = fields.public_key_info.to_der().map_err(failed)?;
        Ok(Self {
            serial: fields.serial.value().to_vec(),
            issuer: fields.issuer.to_der().map_err(failed)?,
            subject: distinguished_name(fields.subject).map_err(failed)?,
            public_key: PublicKey::parse(&public_key_info)?,
            public_key_info,
            der: whole.to_vec(),
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
    pub(crate) fn is_issued_by(&self, issuer: AnyRef<'_>) -> bool {
        let own = AnyRef::try_from(self.issuer.as_slice()).and_then(distinguished_name);
        let names = own.and_then(|own| Ok((own, distinguished_name(issuer)?)));
        names.is_ok_and(|(own, other)| own.eq_ignore_ascii_case(&other))
    }

    /// The digits of the serial number.
    pub(crate) fn serial(&self) -> &[u8] {
        &self.serial
    }
}

/// A name as RFC 2253 writes it, as far as the attribute types are known.
fn distinguished_name(name: AnyRef<'_>) -> der::Result<String> {
    let name: Name<'_> = name.decode_as()?;
    let mut parts: Vec<String> = name.iter().flat_map(|set| &set.0).map(NamePart::text).collect();
    parts.reverse();
    Ok(parts.join(", "))
}

impl NamePart<'_> {
    fn text(&self) -> String {
        let kind = match self.kind {
            rfc4519::CN => "CN",
            rfc4519::L => "L",
            rfc4519::ST => "ST",
            rfc4519::O => "O",
            rfc4519::OU => "OU",
            rfc4519::C => "C",
            rfc3280::EMAIL_ADDRESS => "EMAILADDRESS",
            other => return format!("{other}={}", text(self.value)),
        };
        format!("{kind}={}", text(self.value))
    }
}

fn text(value: AnyRef<'_>) -> String {
    if value.tag() == Tag::BmpString {
        return asn1::utf16(value.value());
    }
    str::from_utf8(value.value()).map_or_else(
        // T61String and the like: read as Latin-1.
        |_| value.value().iter().copied().map(char::from).collect(),
        str::to_owned,
    )
}
