//! The key to sign with.

use std::path::Path;
use std::time::SystemTime;

use anyhow::Context as _;
use wattle_apk::{GeneratedKey, SigningKey, data_folder, load_or_create_debug_key};

use crate::cli::Signing;
use crate::exit::Failure;

/// First API level that verifies signatures of elliptic curves.
const CURVES_SINCE: u32 = 18;

/// The key that the flags name, else the debug key; nothing for `--unsigned`.
pub fn choose(
    signing: &Signing,
    min_sdk: u32,
    dry_run: bool,
) -> Result<Option<SigningKey>, Failure> {
    if signing.unsigned {
        return Ok(None);
    }
    match &signing.key {
        Some(path) => named(signing, path).map(Some),
        None => debug_key(min_sdk, dry_run).map(Some),
    }
}

fn named(signing: &Signing, path: &Path) -> Result<SigningKey, Failure> {
    let read = |path: &Path| {
        std::fs::read(path).with_context(|| path.display().to_string()).map_err(Failure::Input)
    };
    let key = read(path)?;
    let certificate = signing.certificate.as_deref().map(read).transpose()?;
    let password = match &signing.key_password {
        Some(variable) => Some(
            std::env::var(variable)
                .with_context(|| format!("--key-password: environment variable {variable}"))
                .map_err(Failure::Usage)?,
        ),
        None => None,
    };
    if !is_key_file(&key) {
        return Err(Failure::Input(anyhow::anyhow!(
            "{}: neither PEM nor a PKCS#12 key store",
            path.display()
        )));
    }
    SigningKey::parse(
        &key,
        certificate.as_deref(),
        password.as_deref(),
        signing.key_alias.as_deref(),
    )
    .with_context(|| path.display().to_string())
    .map_err(Failure::Input)
}

/// PEM, DER (as PKCS#12 is), or a Java key store, which is refused with words of its own.
fn is_key_file(bytes: &[u8]) -> bool {
    let begin = b"-----BEGIN ";
    let is_pem = bytes.windows(begin.len()).any(|window| window == begin);
    is_pem || bytes.starts_with(&[0x30]) || bytes.starts_with(&[0xfe, 0xed, 0xfe, 0xed])
}

fn debug_key(min_sdk: u32, dry_run: bool) -> Result<SigningKey, Failure> {
    // Signing with a curve takes a fortieth of the time.
    let kind = if min_sdk >= CURVES_SINCE { GeneratedKey::EcP256 } else { GeneratedKey::Rsa2048 };
    let folder = data_folder();
    let is_there = folder.as_ref().is_some_and(|folder| folder.join(file_name(kind)).exists());
    let now = SystemTime::now();
    if dry_run && !is_there {
        return SigningKey::generate(kind, "Wattle Debug", now)
            .context("debug key")
            .map_err(Failure::Environment);
    }
    let folder = folder.ok_or_else(|| {
        Failure::Environment(anyhow::anyhow!(
            "no folder for a debug key: set $XDG_DATA_HOME or $HOME, or choose a key with --key"
        ))
    })?;
    load_or_create_debug_key(&folder, kind, now)
        .with_context(|| format!("debug key in {}", folder.display()))
        .map_err(Failure::Environment)
}

/// Returns the file name that [`load_or_create_debug_key`] uses.
const fn file_name(kind: GeneratedKey) -> &'static str {
    match kind {
        GeneratedKey::Rsa2048 => "debug-rsa.pem",
        GeneratedKey::EcP256 => "debug-ec.pem",
    }
}
