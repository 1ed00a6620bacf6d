//! What the tests of this crate share: the real packages, and outside tools to compare with.

#![allow(dead_code, reason = "each test binary uses its own part")]

use std::io::Write as _;
use std::path::PathBuf;
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

/// All real packages (`.apk`), by path below `apk/`; nothing, said loudly, when they are not there.
pub fn packages() -> Vec<(String, Vec<u8>)> {
    let Some(root) = wattle_testdata::find("apk") else { return Vec::new() };
    let mut found = Vec::new();
    for folder in ["", "apksig", "splits"] {
        let Ok(files) = std::fs::read_dir(root.join(folder)) else { continue };
        let mut paths: Vec<PathBuf> = files.map(|file| file.unwrap().path()).collect();
        paths.sort();
        for path in paths.iter().filter(|path| path.extension().is_some_and(|e| e == "apk")) {
            let name = path.strip_prefix(&root).unwrap().to_string_lossy().into_owned();
            found.push((name, std::fs::read(path).unwrap()));
        }
    }
    assert!(found.len() >= 20, "{} packages", found.len());
    found
}

/// Runs an outside tool; `None`, said loudly, when it is not installed.
#[track_caller]
pub fn tool(name: &str, arguments: &[&str]) -> Option<Output> {
    match Command::new(name).args(arguments).output() {
        Ok(output) => Some(output),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            let caller = std::panic::Location::caller();
            // Past the test harness's capture.
            let _ = writeln!(std::io::stderr(), "SKIPPED {caller}: {name} is not installed");
            None
        }
        Err(error) => panic!("{name}: {error}"),
    }
}

/// Standard output and standard error of a tool in one.
pub fn printed(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}
