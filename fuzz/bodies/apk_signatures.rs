//! Verifies any bytes as a signed package, and reads them as a key.

use wattle_apk::{Certificate, SigningKey, verify_for};

pub fn run(bytes: &[u8]) {
    if let Ok(report) = verify_for(bytes, 1) {
        assert!(!report.is_verified() || report.problems().count() == 0 || report.is_signed());
    }
    let _ = Certificate::parse(bytes);
    let _ = SigningKey::parse(bytes, None, Some("android"), None);
}
