//! The key to sign with.

use std::path::{Path, PathBuf};
use std::time::SystemTime;

use anyhow::Context as _;
use wattle_apk::{GeneratedKey, SigningKey, data_folder, load_or_create_debug_key};

use crate::bounded_file;
use crate::cli::Signing;
use crate::exit::Failure;

/// First API level that verifies signatures of elliptic curves.
const CURVES_SINCE: u32 = 18;
/// Alias and password of the key store that the Android build tools make
/// (<https://developer.android.com/studio/publish/app-signing#debug-mode>).
const ANDROID_ALIAS: &str = "androiddebugkey";
const ANDROID_PASSWORD: &str = "android";

/// A key and where it comes from.
#[derive(Clone, Debug)]
pub struct ChosenKey {
    /// The key.
    pub key: SigningKey,
    /// Its origin, for summaries.
    pub origin: String,
    /// A note for the user.
    pub note: Option<String>,
}

impl ChosenKey {
    fn new(key: SigningKey, origin: impl Into<String>) -> Self {
        Self { key, origin: origin.into(), note: None }
    }
}

/// The key that the flags name, else the debug key of the Android build tools, else one of Wattle's own; nothing for
/// `--unsigned`.
pub fn choose(
    signing: &Signing,
    min_sdk: u32,
    dry_run: bool,
) -> Result<Option<ChosenKey>, Failure> {
    if signing.unsigned {
        return Ok(None);
    }
    if let Some(path) = &signing.key {
        let key = named(signing, path)?;
        return Ok(Some(ChosenKey::new(key, path.display().to_string())));
    }
    let mut note = None;
    if let Some(path) = android_debug_keystore() {
        match android_debug_key(&path) {
            Ok(key) => return Ok(Some(ChosenKey::new(key, path.display().to_string()))),
            Err(error) => {
                note = Some(format!(
                    "{error:#}; signed with Wattle's own debug key instead, which replaces no app that is installed: name the \
                     app's key with --key"
                ));
            }
        }
    }
    let key = debug_key(min_sdk, dry_run)?;
    Ok(Some(ChosenKey { note, ..ChosenKey::new(key, "Wattle's own debug key") }))
}

/// The debug key store of the Android build tools, if this user has one.
pub fn android_debug_keystore() -> Option<PathBuf> {
    let folder =
        |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let folders = [
        folder("ANDROID_USER_HOME"),
        folder("ANDROID_SDK_HOME").map(|home| home.join(".android")),
        folder("HOME").or_else(|| folder("USERPROFILE")).map(|home| home.join(".android")),
    ];
    let stores = folders.into_iter().flatten().map(|folder| folder.join("debug.keystore"));
    stores.into_iter().find(|store| store.is_file())
}

fn android_debug_key(path: &Path) -> anyhow::Result<SigningKey> {
    let name = || path.display().to_string();
    let store = bounded_file::bytes(path, bounded_file::MOST)?;
    SigningKey::from_key_store(&store, ANDROID_PASSWORD, Some(ANDROID_ALIAS)).with_context(name)
}

fn named(signing: &Signing, path: &Path) -> Result<SigningKey, Failure> {
    let read = |path: &Path| bounded_file::bytes(path, bounded_file::MOST).map_err(Failure::Input);
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
            "{}: neither PEM nor a key store in PKCS#12 or JKS",
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

/// PEM, DER (as PKCS#12 is), or a Java key store: JKS, or JCEKS, which is refused with words of its own.
fn is_key_file(bytes: &[u8]) -> bool {
    let begin = b"-----BEGIN ";
    let is_pem = bytes.windows(begin.len()).any(|window| window == begin);
    is_pem
        || [&[0x30][..], &[0xfe, 0xed, 0xfe, 0xed], &[0xce; 4]]
            .iter()
            .any(|magic| bytes.starts_with(magic))
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
