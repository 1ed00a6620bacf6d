//! Self-signed certificates for generated keys.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use crate::ApkError;
use crate::crypto::certificate::Certificate;
use crate::crypto::der::{tag, tlv};
use crate::crypto::hash::Hash;
use crate::crypto::oid;
use crate::crypto::signing_key::PrivateKey;

/// Android Studio's debug key is valid as long.
const VALIDITY: Duration = Duration::from_hours(30 * 365 * 24);

/// `Certificate` (RFC 5280, 4.1) of this key, signed by itself.
pub(super) fn certificate(
    key: &PrivateKey,
    common_name: &str,
    now: SystemTime,
) -> Result<Certificate, ApkError> {
    let info = key.public_key_info()?;
    let key_digest = Hash::Sha1.digest(&[&info]);
    // Unique per key, positive, without a leading zero.
    let mut serial = key_digest.get(..8).unwrap_or_default().to_vec();
    if let Some(first) = serial.first_mut() {
        *first = *first & 0x3f | 0x40;
    }
    let algorithm = match key {
        PrivateKey::Rsa(_) => {
            let sha256_with_rsa = [oid::PKCS1, &[11]].concat();
            tlv(tag::SEQUENCE, &[&tlv(tag::OID, &[&sha256_with_rsa]), &tlv(tag::NULL, &[])])
        }
        PrivateKey::P256(_) => tlv(tag::SEQUENCE, &[&tlv(tag::OID, &[oid::ECDSA_SHA256])]),
    };
    let name = tlv(
        tag::SEQUENCE,
        &[
            &name_part(oid::COUNTRY, tag::PRINTABLE_STRING, "US"),
            &name_part(oid::ORGANIZATION, tag::UTF8_STRING, "Android"),
            &name_part(oid::COMMON_NAME, tag::UTF8_STRING, common_name),
        ],
    );
    let validity = tlv(tag::SEQUENCE, &[&time(now), &time(now + VALIDITY)]);
    let identifier = tlv(tag::OCTET_STRING, &[&tlv(tag::OCTET_STRING, &[&key_digest])]);
    let extension =
        tlv(tag::SEQUENCE, &[&tlv(tag::OID, &[oid::SUBJECT_KEY_IDENTIFIER]), &identifier]);
    let tbs = tlv(
        tag::SEQUENCE,
        &[
            &tlv(tag::context(0), &[&tlv(tag::INTEGER, &[&[2]])]),
            &tlv(tag::INTEGER, &[&serial]),
            &algorithm,
            &name,
            &validity,
            &name,
            &info,
            &tlv(tag::context(3), &[&tlv(tag::SEQUENCE, &[&extension])]),
        ],
    );
    let signature = key.sign(Hash::Sha256, &[&tbs])?;
    let signature = tlv(tag::BIT_STRING, &[&[0], &signature]);
    Certificate::parse(&tlv(tag::SEQUENCE, &[&tbs, &algorithm, &signature]))
}

fn name_part(kind: &[u8], string: u8, text: &str) -> Vec<u8> {
    let attribute =
        tlv(tag::SEQUENCE, &[&tlv(tag::OID, &[kind]), &tlv(string, &[text.as_bytes()])]);
    tlv(tag::SET, &[&attribute])
}

/// `Time`: two-digit years to 2049, four digits from then on (RFC 5280, 4.1.2.5).
fn time(at: SystemTime) -> Vec<u8> {
    let seconds = at.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    let (days, second) = (seconds / 86_400, seconds % 86_400);
    let (year, month, day) = civil(days);
    let clock =
        format!("{month:02}{day:02}{:02}{:02}{:02}Z", second / 3600, second / 60 % 60, second % 60);
    if year < 2050 {
        tlv(tag::UTC_TIME, &[format!("{:02}{clock}", year % 100).as_bytes()])
    } else {
        tlv(tag::GENERALIZED_TIME, &[format!("{year:04}{clock}").as_bytes()])
    }
}

/// Year, month and day of a number of days since 1970-01-01 (Hinnant, `chrono`-compatible date algorithms).
const fn civil(days: u64) -> (u64, u64, u64) {
    let days = days + 719_468;
    let era = days / 146_097;
    let of_era = days % 146_097;
    let year_of_era = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let day_of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * shifted + 2) / 5 + 1;
    let month = if shifted < 10 { shifted + 3 } else { shifted - 9 };
    let year = year_of_era + era * 400 + if month <= 2 { 1 } else { 0 };
    (year, month, day)
}

#[cfg(test)]
mod tests {
    use super::civil;

    #[test]
    fn days_become_dates() {
        // GNU date: `date -u -d @$((86400 * days)) +%F`.
        for (days, date) in [
            (0, (1970, 1, 1)),
            (59, (1970, 3, 1)),
            (11_016, (2000, 2, 29)),
            (20_777, (2026, 11, 20)),
            (31_735, (2056, 11, 20)),
        ] {
            assert_eq!(civil(days), date);
        }
    }
}
