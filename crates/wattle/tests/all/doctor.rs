//! `wattle doctor`: with a simulated phone behind the real adb, without adb, and with one that hangs.

use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use serde_json::Value;
use wattle_testdata::requires;

use crate::phone_bench::{PhoneBench, options};
use crate::support::{Run, list};

/// The program in a home of its own, in which no server of adb runs.
fn doctor(home: &Path, path: &str, flags: &[&str]) -> Run {
    let output = Command::new(env!("CARGO_BIN_EXE_wattle"))
        .arg("doctor")
        .args(flags)
        .current_dir(home)
        .env("HOME", home)
        .env("XDG_DATA_HOME", home)
        .env("PATH", path)
        .env("ANDROID_ADB_SERVER_PORT", wattle_testdata::server_port().to_string())
        .env_remove("ANDROID_HOME")
        .env_remove("ANDROID_SDK_ROOT")
        .env_remove("ANDROID_SERIAL")
        .output()
        .expect("the program runs");
    Run {
        code: output.status.code(),
        stdout: String::from_utf8(output.stdout).expect("UTF-8"),
        stderr: String::from_utf8(output.stderr).expect("UTF-8"),
    }
}

/// Returns the state of a check by its subject.
#[track_caller]
fn state<'a>(checks: &'a [Value], subject: &str) -> &'a str {
    let check = checks.iter().find(|check| check["subject"] == subject);
    check.and_then(|check| check["state"].as_str()).unwrap_or_else(|| panic!("no {subject}"))
}

#[requires(program = "adb")]
#[test]
fn a_phone_and_what_it_can_measure() {
    let bench = PhoneBench::new(options());
    let checkup = bench.run(["doctor", "--json", "-"]).json();
    assert_eq!(checkup["schema"], "wattle-doctor/1");
    assert_eq!(state(list(&checkup, "/adb"), "adb"), "ok");
    assert_eq!(state(list(&checkup, "/adb"), "adb server"), "ok");
    let device = &list(&checkup, "/devices")[0];
    assert_eq!(device["serial"], bench.phone.serial().as_str());
    let checks = list(device, "/checks");
    for subject in ["power rails", "fuel gauge", "perfetto", "ART tracing"] {
        assert_eq!(state(checks, subject), "ok", "{subject}");
    }
    let text = bench.run(["doctor"]);
    assert_eq!(text.code, Some(0), "{}", text.stderr);
    assert!(text.stdout.contains("(ODPM): energy is measured"), "{}", text.stdout);
    bench.assert_restored("doctor");
}

#[test]
fn without_adb_it_says_how_to_get_it() {
    let home = tempfile::tempdir().expect("a folder");
    let run = doctor(home.path(), "/nowhere", &[]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    for words in ["missing   adb", "platform tools", "built in: no Java"] {
        assert!(run.stdout.contains(words), "no {words:?} in\n{}", run.stdout);
    }
}

#[cfg(unix)]
#[test]
fn an_adb_that_hangs_is_given_up() {
    use std::os::unix::fs::PermissionsExt as _;

    let home = tempfile::tempdir().expect("a folder");
    let adb = home.path().join("adb");
    std::fs::write(&adb, "#!/bin/sh\nexec sleep 600\n").expect("written");
    std::fs::set_permissions(&adb, std::fs::Permissions::from_mode(0o755)).expect("executable");
    let started = Instant::now();
    let run = doctor(home.path(), "/usr/bin:/bin", &["--adb", adb.to_str().expect("UTF-8")]);
    assert!(started.elapsed() < Duration::from_mins(1), "{:?}", started.elapsed());
    assert_eq!(run.code, Some(4), "{}", run.stderr);
    assert!(run.stdout.contains("did not answer within 5 s"), "{}", run.stdout);
    assert!(run.stderr.contains("not working: adb"), "{}", run.stderr);
}

#[cfg(unix)]
#[test]
fn a_data_folder_that_takes_no_file_is_broken() {
    let home = tempfile::tempdir().expect("a folder");
    // A file where the folder should be: also root cannot write into it.
    std::fs::write(home.path().join("wattle"), "").expect("written");
    let run = doctor(home.path(), "/nowhere", &["--json", "-"]);
    assert_eq!(run.code, Some(4), "{}", run.stderr);
    let checkup: Value = serde_json::from_str(&run.stdout).expect("JSON");
    assert_eq!(state(list(&checkup, "/machine"), "data folder"), "broken");
}
