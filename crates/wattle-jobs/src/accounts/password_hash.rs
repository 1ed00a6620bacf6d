//! Passwords, and their hashes by Argon2id.

use std::fmt;
use std::sync::{LazyLock, Mutex, PoisonError};

use argon2::password_hash::{Output, ParamsString, PasswordHash, SaltString};
use argon2::{ARGON2ID_IDENT, Algorithm, Argon2, Block, Params, Version};
use tokio::sync::Semaphore;

use crate::base::ServerError;

/// Bytes of a password, at least.
const LEAST: usize = 12;
/// Bytes of a password, at most: more is no safer, and costs time.
const MOST: usize = 512;
/// Hashes that are computed at once: each takes 19 MiB.
const MOST_AT_ONCE: usize = 2;
/// Places for them.
static AT_ONCE: Semaphore = Semaphore::const_new(MOST_AT_ONCE);
/// Memory of hashes that have been computed. Were it freed and allocated again on whichever thread comes next, the allocator would keep some of
/// it for each of those threads.
static MEMORY: Mutex<Vec<Vec<Block>>> = Mutex::new(Vec::new());

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
            hash_of(text.as_bytes(), &salt).map_err(|error| machine(&error))
        })
        .await
    }

    /// Whether it is the password with this hash. Without a hash, or with one that cannot be read, it takes as long and is not.
    pub(crate) async fn is(&self, hash: Option<String>) -> Result<bool, ServerError> {
        // Longer ones cannot be right.
        let text = if self.0.len() > MOST { String::new() } else { self.0.clone() };
        slowly(move || {
            let known = hash.as_deref().and_then(|hash| PasswordHash::new(hash).ok());
            if let Some(hash) = known {
                return Ok(is_of(text.as_bytes(), &hash));
            }
            if let Ok(hash) = PasswordHash::new(&NOBODY) {
                is_of(text.as_bytes(), &hash);
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
    salt.and_then(|salt| hash_of(b"nobody", &salt)).unwrap_or_default()
});

/// The hash of a password, in PHC format.
fn hash_of(password: &[u8], salt: &SaltString) -> argon2::password_hash::Result<String> {
    let mut bytes = [0; 64];
    let salt_bytes = salt.as_salt().decode_b64(&mut bytes)?;
    let mut output = [0; Params::DEFAULT_OUTPUT_LEN];
    with_memory(Params::DEFAULT.block_count(), |memory| {
        hasher(Params::DEFAULT).hash_password_into_with_memory(
            password,
            salt_bytes,
            &mut output,
            memory,
        )
    })?;
    let hash = PasswordHash {
        algorithm: ARGON2ID_IDENT,
        version: Some(Version::V0x13.into()),
        params: ParamsString::try_from(&Params::DEFAULT)?,
        salt: Some(salt.as_salt()),
        hash: Some(Output::new(&output)?),
    };
    Ok(hash.to_string())
}

/// Whether it is the password of a hash. The comparison takes as long whatever is different.
fn is_of(password: &[u8], known: &PasswordHash<'_>) -> bool {
    let found = || {
        if known.algorithm != ARGON2ID_IDENT || known.version != Some(Version::V0x13.into()) {
            return None;
        }
        let params = Params::try_from(known).ok().filter(|it| it.block_count() <= MOST_BLOCKS)?;
        let (mut bytes, expected) = ([0; 64], known.hash?);
        let salt = known.salt?.decode_b64(&mut bytes).ok()?;
        let mut output = vec![0; expected.len()];
        let blocks = params.block_count();
        let hasher = hasher(params);
        with_memory(blocks, |memory| {
            hasher.hash_password_into_with_memory(password, salt, &mut output, memory)
        })
        .ok()?;
        Output::new(&output).ok().map(|found| found == expected)
    };
    found().unwrap_or(false)
}

/// Blocks of a hash at most: four times as many as new ones have.
const MOST_BLOCKS: usize = 4 * 19 * 1024;

/// Computes with memory that was used before.
fn with_memory<T>(blocks: usize, work: impl FnOnce(&mut [Block]) -> T) -> T {
    let lock = || MEMORY.lock().unwrap_or_else(PoisonError::into_inner);
    let mut memory = lock().pop().unwrap_or_default();
    memory.resize(blocks, Block::default());
    let result = work(&mut memory);
    let mut kept = lock();
    if kept.len() < MOST_AT_ONCE && blocks <= Params::DEFAULT.block_count() {
        kept.push(memory);
    }
    result
}

/// 19 MiB, two passes, one lane: the first choice of OWASP's password storage cheat sheet.
fn hasher(params: Params) -> Argon2<'static> {
    Argon2::new(Algorithm::Argon2id, Version::V0x13, params)
}

async fn slowly<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, ServerError> + Send + 'static,
) -> Result<T, ServerError> {
    let turn = AT_ONCE.acquire().await.map_err(|error| machine(&error))?;
    // The turn ends with the work, also where the client has hung up.
    let done = tokio::task::spawn_blocking(move || {
        let done = work();
        drop(turn);
        done
    });
    done.await.map_err(|error| machine(&error))?
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
            // As another program computes it (the reference implementation's command line).
            let known = "$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4";
            let password = Password::attempt("password");
            assert!(password.is(Some(known.to_owned())).await.expect("compared"));
            let long = Password::attempt("x".repeat(10_000_000));
            assert!(!long.is(Some(hash)).await.expect("compared"));
        });
        assert!(Password::new("short").is_err());
        assert!(!format!("{:?}", Password::attempt("secret")).contains("secret"));
    }
}
