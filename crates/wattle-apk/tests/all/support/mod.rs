//! Parts that the tests share: packages, keys, and outside tools to compare with.

pub mod made;

use std::path::Path;
use std::process::{Command, Output};
use std::sync::OnceLock;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use wattle_apk::{GeneratedKey, SigningKey};

/// A fixed instant: 2026-09-21.
pub fn now() -> SystemTime {
    UNIX_EPOCH + Duration::from_secs(1_790_000_000)
}

/// One RSA key for all tests of a binary: making one takes a while.
pub fn rsa_key() -> &'static SigningKey {
    static KEY: OnceLock<SigningKey> = OnceLock::new();
    KEY.get_or_init(|| SigningKey::generate(GeneratedKey::Rsa2048, "Test", now()).unwrap())
}

pub fn ec_key() -> SigningKey {
    SigningKey::generate(GeneratedKey::EcP256, "Test EC", now()).unwrap()
}

/// All real packages (`.apk`), by path below `apk/`.
pub fn real_packages() -> Vec<(String, Vec<u8>)> {
    let root = wattle_testdata::path("apk");
    let is_package = |name: &str| Path::new(name).extension().is_some_and(|it| it == "apk");
    let files = [("apk", 16), ("apk/apksig", 5), ("apk/splits", 3)]
        .into_iter()
        .flat_map(|(folder, count)| wattle_testdata::files(folder, count, is_package));
    let named = files.map(|path| {
        let name = path.strip_prefix(&root).unwrap().to_string_lossy().into_owned();
        (name, std::fs::read(path).unwrap())
    });
    named.collect()
}

/// A real package without a signature.
pub const REAL_UNSIGNED: &str = "apk/fdroid-urzip-release-unsigned.apk";

/// Runs an outside program, which the test requires to be installed.
#[track_caller]
pub fn tool(name: &str, arguments: &[&str]) -> Output {
    Command::new(name).args(arguments).output().unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// Standard output and standard error of a tool in one.
pub fn printed(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

/// The content in a file of its own, which is called `*.apk`.
pub fn package_file(content: &[u8]) -> tempfile::NamedTempFile {
    let file = tempfile::NamedTempFile::with_suffix(".apk").unwrap();
    std::fs::write(file.path(), content).unwrap();
    file
}
