//! Secrets of 256 random bits, and their hashes.

use std::fmt::{self, Write as _};

use sha2::{Digest as _, Sha256};

use super::ServerError;

/// The use of a secret, which its first characters say, so that programs that look for leaked secrets find it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SecretKind {
    /// A session of a browser.
    Session,
    /// An API token.
    Token,
    /// A share link.
    Link,
    /// A value that a form has to send back.
    Csrf,
}

impl SecretKind {
    const fn prefix(self) -> &'static str {
        match self {
            Self::Session => "wattle_s_",
            Self::Token => "wattle_t_",
            Self::Link => "wattle_l_",
            Self::Csrf => "wattle_c_",
        }
    }
}

/// A secret of 256 random bits. It is shown once; what is stored is its [`SecretHash`].
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

/// SHA-256 of a secret, in hexadecimal digits. Enough for 256 random bits, which nobody guesses; passwords are hashed slowly.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SecretHash(String);

impl Secret {
    /// Characters that a text may have to be looked up as a secret.
    const MOST: usize = 256;

    /// A new one, from the system's random numbers.
    pub fn random(kind: SecretKind) -> Result<Self, ServerError> {
        Ok(Self(format!("{}{}", kind.prefix(), random_digits::<32>()?)))
    }

    /// One that was sent; `None` if it cannot be one of this kind.
    pub fn from_text(text: &str, kind: SecretKind) -> Option<Self> {
        let digits = text.strip_prefix(kind.prefix())?;
        let is_one = text.len() <= Self::MOST && digits.bytes().all(|it| it.is_ascii_hexdigit());
        is_one.then(|| Self(text.to_owned()))
    }

    /// The text, to be shown to its owner.
    pub fn reveal(&self) -> &str {
        &self.0
    }

    /// Its hash, to be stored and looked up by.
    pub fn hash(&self) -> SecretHash {
        SecretHash(hex(&Sha256::digest(self.0.as_bytes())))
    }
}

/// Without the secret, so that no log has it.
impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(…)")
    }
}

impl SecretHash {
    /// The digits.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Random bytes as hexadecimal digits.
pub(crate) fn random_digits<const BYTES: usize>() -> Result<String, ServerError> {
    let mut bytes = [0; BYTES];
    getrandom::fill(&mut bytes).map_err(|error| ServerError::Machine {
        task: "random numbers",
        reason: error.to_string(),
    })?;
    Ok(hex(&bytes))
}

/// Hexadecimal digits.
pub(crate) fn hex(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len() * 2);
    for byte in bytes {
        // Writing to a String does not fail.
        let _ = write!(text, "{byte:02x}");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_differ_and_are_not_printed() {
        let [one, two] = [(), ()].map(|()| Secret::random(SecretKind::Token).expect("random"));
        assert_ne!(one, two);
        assert_eq!(one.reveal().len(), "wattle_t_".len() + 64);
        assert!(!format!("{one:?}").contains(one.reveal()));
        assert_eq!(Secret::from_text(one.reveal(), SecretKind::Token), Some(one.clone()));
        assert_eq!(Secret::from_text(one.reveal(), SecretKind::Session), None);
        assert_eq!(Secret::from_text("wattle_t_' OR 1=1", SecretKind::Token), None);
        assert_eq!(one.hash().as_str().len(), 64);
    }
}
