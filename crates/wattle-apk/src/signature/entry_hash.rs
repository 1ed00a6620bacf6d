//! The digest of entries in JAR signatures.

use crate::crypto::{Hash, KeyAlgorithm, SigningKey};
use crate::{ApkError, KeyProblem};

/// First API level that knows ECDSA and SHA-256 in JAR signatures.
const SHA256_SINCE: u32 = 18;

/// The digest of entries for a platform, if a key can sign with it.
pub(super) fn entry_hash(key: &SigningKey, min_sdk: u32) -> Result<Hash, ApkError> {
    let old = min_sdk < SHA256_SINCE;
    match key.algorithm() {
        KeyAlgorithm::EcP256 if old => Err(ApkError::Key(KeyProblem::EcTooOld { min_sdk })),
        KeyAlgorithm::EcP256 => Ok(Hash::Sha256),
        _ if old => Ok(Hash::Sha1),
        _ => Ok(Hash::Sha256),
    }
}
