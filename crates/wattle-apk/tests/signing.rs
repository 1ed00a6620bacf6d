//! Packages are signed so that Android's own tools accept them.

use std::path::Path;
use std::process::Command;
use std::time::{Duration, UNIX_EPOCH};

use wattle_apk::{Apk, GeneratedKey, SignOptions, SigningKey, sign};

#[test]
fn signed_packages_pass_apksigner() {
    let now = UNIX_EPOCH + Duration::from_secs(1_790_000_000);
    let key = SigningKey::generate(GeneratedKey::EcP256, "Test", now).unwrap();
    let Some(folder) = wattle_testdata::find("apk") else { return };
    let out = tempfile::tempdir().unwrap();
    for file in std::fs::read_dir(folder).unwrap() {
        let path = file.unwrap().path();
        if path.extension().is_none_or(|e| e != "apk") {
            continue;
        }
        let bytes = std::fs::read(&path).unwrap();
        let apk = match Apk::open(&bytes) {
            Ok(a) => a,
            Err(e) => {
                println!("{path:?}: {e}");
                continue;
            }
        };
        let mut o = SignOptions::for_min_sdk(18);
        o.v1 = true;
        let t = std::time::Instant::now();
        let signed = match sign(&bytes, &key, &o) {
            Ok(a) => a,
            Err(e) => {
                println!("{path:?}: {e}");
                continue;
            }
        };
        println!("{} {:?}", apk.entries().len(), t.elapsed());
        let f = out.path().join("x.apk");
        std::fs::write(&f, signed).unwrap();
        let r = Command::new("apksigner")
            .args(["verify", "--verbose", "--min-sdk-version", "18"])
            .arg(&f)
            .output()
            .unwrap();
        println!(
            "{path:?} {} {}",
            String::from_utf8_lossy(&r.stdout).lines().take(5).collect::<Vec<_>>().join("|"),
            String::from_utf8_lossy(&r.stderr)
        );
        let r = Command::new("zipalign").args(["-c", "-p", "4"]).arg(&f).output().unwrap();
        println!("{} {}", r.status, String::from_utf8_lossy(&r.stdout));
    }
    let _ = Path::new("");
}
