//! Self-signed certificates for generated keys.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use const_oid::db::{rfc4519, rfc5280, rfc5912};
use der::asn1::{
    Any, AnyRef, BitStringRef, GeneralizedTime, ObjectIdentifier, OctetString, OctetStringRef,
    PrintableStringRef, UtcTime, Utf8StringRef,
};
use der::{Encode as _, Sequence, Tag};
use spki::AlgorithmIdentifierRef;

use crate::crypto::asn1::SetOf;
use crate::crypto::certificate::{Certificate, Fields, Name, NamePart, SignedFields};
use crate::crypto::hash::Hash;
use crate::crypto::private_key::PrivateKey;
use crate::{ApkError, KeyProblem};

/// As long as Android Studio's debug key is valid.
const VALIDITY: Duration = Duration::from_hours(30 * 365 * 24);

/// `Extension` (RFC 5280, 4.1).
#[derive(Debug, Clone, PartialEq, Eq, Sequence)]
struct Extension {
    id: ObjectIdentifier,
    value: OctetString,
}

/// `Certificate` (RFC 5280, 4.1) of this key, signed by itself.
pub(super) fn certificate(
    key: &PrivateKey,
    common_name: &str,
    now: SystemTime,
) -> Result<Certificate, ApkError> {
    let info = key.public_key_info()?;
    let algorithm = match key {
        PrivateKey::Rsa(_) => AlgorithmIdentifierRef {
            oid: rfc5912::SHA_256_WITH_RSA_ENCRYPTION,
            parameters: Some(AnyRef::NULL),
        },
        PrivateKey::P256(_) => {
            AlgorithmIdentifierRef { oid: rfc5912::ECDSA_WITH_SHA_256, parameters: None }
        }
    };
    let failed = |error: der::Error| ApkError::Key(KeyProblem::Signing(error.to_string()));
    let fields = fields(&info, algorithm, common_name, now).map_err(failed)?;
    let signature = key.sign(Hash::Sha256, &[&fields])?;
    let signed = || {
        let fields: Fields<'_> = der::Decode::from_der(&fields)?;
        let signature = BitStringRef::from_bytes(&signature)?;
        SignedFields { fields, algorithm, signature }.to_der()
    };
    Certificate::parse(&signed().map_err(failed)?)
}

/// The part that is signed, in DER.
fn fields(
    info: &[u8],
    algorithm: AlgorithmIdentifierRef<'_>,
    common_name: &str,
    now: SystemTime,
) -> der::Result<Vec<u8>> {
    let key_digest = Hash::Sha1.digest(&[info]);
    // Unique per key, positive, without a leading zero.
    let mut serial = key_digest.get(..8).unwrap_or_default().to_vec();
    if let Some(first) = serial.first_mut() {
        *first = *first & 0x3f | 0x40;
    }
    let part = |kind, value| SetOf(vec![NamePart { kind, value }]);
    let name: Name<'_> = vec![
        part(rfc4519::C, PrintableStringRef::new("US")?.into()),
        part(rfc4519::O, Utf8StringRef::new("Android")?.into()),
        part(rfc4519::CN, Utf8StringRef::new(common_name)?.into()),
    ];
    let name = Any::encode_from(&name)?;
    let validity = Any::encode_from(&vec![time(now)?, time(now + VALIDITY)?])?;
    let extension = Extension {
        id: rfc5280::ID_CE_SUBJECT_KEY_IDENTIFIER,
        value: OctetString::new(OctetStringRef::new(&key_digest)?.to_der()?)?,
    };
    let extensions = Any::encode_from(&vec![extension])?;
    let fields = Fields {
        // Version 3, which has extensions.
        version: Some(AnyRef::new(Tag::Integer, &[2])?),
        serial: AnyRef::new(Tag::Integer, &serial)?,
        algorithm,
        issuer: (&name).into(),
        validity: (&validity).into(),
        subject: (&name).into(),
        public_key_info: AnyRef::try_from(info)?,
        issuer_id: None,
        subject_id: None,
        extensions: Some((&extensions).into()),
    };
    fields.to_der()
}

/// `Time`: two-digit years to 2049, four digits from then on (RFC 5280, 4.1.2.5).
fn time(at: SystemTime) -> der::Result<Any> {
    let since = at.duration_since(UNIX_EPOCH).unwrap_or_default();
    UtcTime::from_unix_duration(since).map_or_else(
        |_| Any::encode_from(&GeneralizedTime::from_unix_duration(since)?),
        |time| Any::encode_from(&time),
    )
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, UNIX_EPOCH};

    use der::Encode as _;

    use super::time;

    #[test]
    fn years_have_two_digits_to_2049() {
        // GNU date: `date -u -d @SECONDS +%Y%m%d%H%M%S`.
        for (seconds, tag, text) in [
            (0, 0x17, "700101000000Z"),
            (1_795_132_800, 0x17, "261120000000Z"),
            (2_524_607_999, 0x17, "491231235959Z"),
            (2_524_608_000, 0x18, "20500101000000Z"),
        ] {
            let der = time(UNIX_EPOCH + Duration::from_secs(seconds)).unwrap().to_der().unwrap();
            assert_eq!(der, [&[tag, text.len() as u8], text.as_bytes()].concat());
        }
    }
}
