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
pub fn choose(signing: &Signing, min_sdk: u32) -> Result<Option<SigningKey>, Failure> {
    if signing.unsigned {
        return Ok(None);
    }
    match &signing.key {
        Some(path) => named(signing, path).map(Some),
        None => debug_key(min_sdk).map(Some),
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
    SigningKey::parse(
        &key,
        certificate.as_deref(),
        password.as_deref(),
        signing.key_alias.as_deref(),
    )
    .with_context(|| path.display().to_string())
    .map_err(Failure::Input)
}

fn debug_key(min_sdk: u32) -> Result<SigningKey, Failure> {
    let folder = data_folder().ok_or_else(|| {
        Failure::Environment(anyhow::anyhow!(
            "no place for a debug key: expected $XDG_DATA_HOME or $HOME; or name a key with --key"
        ))
    })?;
    // Signing with a curve takes a fortieth of the time.
    let kind = if min_sdk >= CURVES_SINCE { GeneratedKey::EcP256 } else { GeneratedKey::Rsa2048 };
    load_or_create_debug_key(&folder, kind, SystemTime::now())
        .with_context(|| format!("debug key in {}", folder.display()))
        .map_err(Failure::Environment)
}
