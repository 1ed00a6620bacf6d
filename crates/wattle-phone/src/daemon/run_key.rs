//! The key of this run: who has it may use the phones of this process.

use std::io;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;
use std::sync::OnceLock;

use rand_core::{OsRng, RngCore as _};
use rsa::pkcs8::{EncodePrivateKey as _, LineEnding};
use rsa::{Pkcs1v15Sign, RsaPrivateKey, RsaPublicKey};
use sha1::Sha1;

/// Bits of adb's keys: it takes no others.
const BITS: usize = 2048;

/// Bytes of what a host has to sign (`TOKEN_SIZE` of `adb_auth.h`).
pub(super) const TOKEN: usize = 20;

/// A key that is made when it is needed first, and is nowhere when the process is gone.
#[derive(Debug)]
pub(crate) struct RunKey {
    public: RsaPublicKey,
    /// The private key as adb reads it.
    file: String,
}

impl RunKey {
    /// The key of this process.
    pub(crate) fn get() -> io::Result<&'static Self> {
        static KEY: OnceLock<Result<RunKey, String>> = OnceLock::new();
        KEY.get_or_init(Self::make).as_ref().map_err(|error| io::Error::other(error.clone()))
    }

    fn make() -> Result<Self, String> {
        let private = RsaPrivateKey::new(&mut OsRng, BITS)
            .map_err(|error| format!("making a key: {error}"))?;
        let file = private
            .to_pkcs8_pem(LineEnding::LF)
            .map_err(|error| format!("writing a key: {error}"))?;
        Ok(Self { public: private.to_public_key(), file: file.to_string() })
    }

    /// Writes it where only this user reads it.
    pub(crate) fn write(&self, path: &Path) -> io::Result<()> {
        let mut options = std::fs::OpenOptions::new();
        let mut file = options.write(true).create_new(true).mode(0o600).open(path)?;
        io::Write::write_all(&mut file, self.file.as_bytes())
    }

    /// Whether a signature of a token was made with it. adb takes the token for a SHA-1 sum.
    pub(super) fn has_signed(&self, token: &[u8; TOKEN], signature: &[u8]) -> bool {
        self.public.verify(Pkcs1v15Sign::new::<Sha1>(), token, signature).is_ok()
    }
}

/// A new token for a host to sign.
pub(super) fn new_token() -> io::Result<[u8; TOKEN]> {
    let mut token = [0; TOKEN];
    OsRng.try_fill_bytes(&mut token).map_err(io::Error::other)?;
    Ok(token)
}
