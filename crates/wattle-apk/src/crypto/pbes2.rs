//! Decrypting keys and key stores with a password (PBES2, RFC 8018), at a cost that is bounded.

use pkcs5::EncryptionScheme;
use pkcs5::pbes2::Kdf;

use crate::{ApkError, KeyProblem};

/// More rounds than any tool asks for; a key should not stop the program for minutes.
pub(super) const MOST_ITERATIONS: u32 = 10_000_000;
/// Memory that scrypt may take, and passes over it.
const MOST_MEMORY: u64 = 1 << 30;
const MOST_PASSES: u16 = 16;

/// The plain text of what this scheme and password encrypted.
pub(super) fn decrypt(
    scheme: &EncryptionScheme<'_>,
    encrypted: &[u8],
    password: &str,
) -> Result<Vec<u8>, ApkError> {
    let too_costly = |what: String| Err(ApkError::Key(KeyProblem::Encryption(what)));
    match scheme.pbes2().map(|parameters| &parameters.kdf) {
        Some(Kdf::Pbkdf2(kdf)) if kdf.iteration_count > MOST_ITERATIONS => {
            return too_costly(format!("PBKDF2 with {} rounds", kdf.iteration_count));
        }
        Some(Kdf::Scrypt(kdf)) => {
            let memory =
                kdf.cost_parameter.saturating_mul(u64::from(kdf.block_size)).saturating_mul(128);
            if memory > MOST_MEMORY || kdf.parallelization > MOST_PASSES {
                return too_costly(format!("scrypt over {memory} bytes"));
            }
        }
        _ => {}
    }
    scheme.decrypt(password, encrypted).map_err(|_| ApkError::Key(KeyProblem::WrongPassword))
}
