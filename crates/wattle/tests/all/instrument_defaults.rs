//! `wattle instrument` without flags: which classes it reaches, and which key signs.

use std::fs;

use wattle_testdata::requires;

use crate::support::wattle;

const A2DP: &str = "apk/androguard-a2dp.Vol_137.apk";

fn real(name: &str) -> String {
    wattle_testdata::path(name).to_str().expect("UTF-8").to_owned()
}

/// Returns the output of a dry run.
fn dry_run(input: &str, flags: &[&str]) -> String {
    let run = wattle([&["instrument", input, "--dry-run"], flags].concat());
    assert_eq!(run.code, Some(0), "{flags:?}: {}", run.stderr);
    run.stdout
}

/// The lines of a dry run that warn of a scope that leaves nearly all of an app out.
#[track_caller]
fn check_scope_warning(apk: &str, flags: &[&str], expected: Option<&str>) {
    let text = dry_run(&real(&format!("apk/{apk}")), flags);
    let warning = text.lines().find(|line| line.starts_with("note       only "));
    match expected {
        Some(words) => assert!(warning.is_some_and(|it| it.contains(words)), "{apk}: {text}"),
        None => assert_eq!(warning, None, "{apk}"),
    }
}

#[requires(data)]
#[test]
fn a_scope_that_leaves_nearly_all_out_is_warned_of() {
    let shrunk = "nowinandroid-release-b227394536.apk";
    check_scope_warning(shrunk, &[], Some("a code shrinker renamed"));
    check_scope_warning(shrunk, &["--all"], None);
    check_scope_warning(
        "tools-base-parserTest-app.apk",
        &[],
        Some("If the app's code is elsewhere"),
    );
    check_scope_warning("androguard-TestActivity.apk", &[], None);
}

#[requires(data, program = "keytool")]
#[test]
fn the_debug_key_of_android_studio_is_the_usual_one() {
    for kind in ["PKCS12", "JKS"] {
        let home = tempfile::tempdir().expect("a folder");
        let store = home.path().join(".android/debug.keystore");
        fs::create_dir(home.path().join(".android")).expect("a folder");
        let made = std::process::Command::new("keytool")
            .args(["-genkeypair", "-alias", "androiddebugkey", "-storepass", "android"])
            .args(["-keypass", "android", "-keyalg", "RSA", "-dname", "CN=Android Debug"])
            .args(["-storetype", kind, "-keystore"])
            .arg(&store)
            .output()
            .expect("keytool");
        assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
        let output = home.path().join("out.apk");
        let run = std::process::Command::new(env!("CARGO_BIN_EXE_wattle"))
            .args(["instrument", &real(A2DP), "--output"])
            .arg(&output)
            .env("HOME", home.path())
            .env_remove("ANDROID_USER_HOME")
            .env_remove("ANDROID_SDK_HOME")
            .output()
            .expect("the program runs");
        let text = String::from_utf8_lossy(&run.stdout);
        assert!(text.contains(&format!("signed     with {}", store.display())), "{kind}: {text}");
        let package = fs::read(&output).expect("a package");
        let report = wattle_apk::verify(&package).expect("signed");
        let signer = format!("{report:?}");
        assert!(signer.contains("Android Debug"), "{kind}: {signer}");
    }
}
