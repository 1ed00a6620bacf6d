//! Passwords, and their hashes by Argon2id.

use std::fmt;
use std::sync::LazyLock;

use argon2::password_hash::{PasswordHash, PasswordHasher as _, PasswordVerifier as _, SaltString};
use argon2::{Algorithm, Argon2, Params, Version};
use tokio::sync::Semaphore;

use crate::base::ServerError;

/// Bytes of a password, at least.
const LEAST: usize = 12;
/// Bytes of a password, at most: more is no safer, and costs time.
const MOST: usize = 512;
/// Hashes that are computed at once: each takes 19 MiB.
static AT_ONCE: Semaphore = Semaphore::const_new(2);

/// A password, as its user typed it.
#[derive(Clone, PartialEq, Eq)]
pub struct Password(String);

impl Password {
    /// A password that a user chose: 12 to 512 bytes.
    pub fn new(text: impl Into<String>) -> Result<Self, ServerError> {
        let text = text.into();
        if (LEAST..=MOST).contains(&text.len()) {
            return Ok(Self(text));
        }
        let reason = format!("expected {LEAST} to {MOST} bytes, found {}", text.len());
        Err(ServerError::invalid("password", reason))
    }

    /// A password that somebody tries: of any length, and nothing but the right one is right.
    pub fn attempt(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// Its hash with a random salt, in PHC format.
    pub(crate) async fn hashed(&self) -> Result<String, ServerError> {
        let text = self.0.clone();
        slowly(move || {
            let mut salt = [0; 16];
            getrandom::fill(&mut salt).map_err(|error| machine(&error))?;
            let salt = SaltString::encode_b64(&salt).map_err(|error| machine(&error))?;
            let hash = hasher().hash_password(text.as_bytes(), &salt);
            Ok(hash.map_err(|error| machine(&error))?.to_string())
        })
        .await
    }

    /// Whether it is the password with this hash. Without a hash, or with one that cannot be read, it takes as long and is not.
    pub(crate) async fn is(&self, hash: Option<String>) -> Result<bool, ServerError> {
        // Longer ones cannot be right.
        let text = if self.0.len() > MOST { String::new() } else { self.0.clone() };
        slowly(move || {
            let known = hash.as_deref().and_then(|hash| PasswordHash::new(hash).ok());
            let is_right =
                |hash: &PasswordHash<'_>| hasher().verify_password(text.as_bytes(), hash).is_ok();
            if let Some(hash) = known {
                return Ok(is_right(&hash));
            }
            if let Ok(hash) = PasswordHash::new(&NOBODY) {
                is_right(&hash);
            }
            Ok(false)
        })
        .await
    }
}

/// Without the password, so that no log has it.
impl fmt::Debug for Password {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Password(…)")
    }
}

/// The hash that is compared where there is no user, so that the time does not say so.
static NOBODY: LazyLock<String> = LazyLock::new(|| {
    let salt = SaltString::encode_b64(&[0; 16]);
    let hash = salt.and_then(|salt| Ok(hasher().hash_password(b"nobody", &salt)?.to_string()));
    hash.unwrap_or_default()
});

/// 19 MiB, two passes, one lane: the first choice of OWASP's password storage cheat sheet.
fn hasher() -> Argon2<'static> {
    Argon2::new(Algorithm::Argon2id, Version::V0x13, Params::DEFAULT)
}

async fn slowly<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, ServerError> + Send + 'static,
) -> Result<T, ServerError> {
    let _turn = AT_ONCE.acquire().await.map_err(|error| machine(&error))?;
    tokio::task::spawn_blocking(work).await.map_err(|error| machine(&error))?
}

fn machine(error: &dyn fmt::Display) -> ServerError {
    ServerError::Machine { task: "password", reason: error.to_string() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hashes_are_argon2id_and_only_the_password_fits() {
        let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
        runtime.block_on(async {
            let password = Password::new("correct horse battery").expect("long enough");
            let hash = password.hashed().await.expect("hashed");
            assert!(hash.starts_with("$argon2id$v=19$m=19456,t=2,p=1$"), "{hash}");
            assert_ne!(hash, password.hashed().await.expect("hashed"), "the salt is random");
            assert!(password.is(Some(hash.clone())).await.expect("compared"));
            let wrong = Password::attempt("correct horse batterz");
            assert!(!wrong.is(Some(hash.clone())).await.expect("compared"));
            for hash in [None, Some(String::new()), Some(NOBODY.clone())] {
                assert!(!password.is(hash).await.expect("compared"));
            }
            let long = Password::attempt("x".repeat(10_000_000));
            assert!(!long.is(Some(hash)).await.expect("compared"));
        });
        assert!(Password::new("short").is_err());
        assert!(!format!("{:?}", Password::attempt("secret")).contains("secret"));
    }
}
