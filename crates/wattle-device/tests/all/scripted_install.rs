//! Apps onto a device behind an adb server that follows a script, faults included.

#![allow(dead_code, reason = "each test uses a part of the common module")]

use std::path::PathBuf;

use crate::scripted::*;
use wattle_device::adb::{AdbDevice, InstallCause};
use wattle_device::{Device, DeviceError, InstallOptions};

fn packages(contents: &[&str]) -> (tempfile::TempDir, Vec<PathBuf>) {
    let folder = tempfile::tempdir().expect("a folder");
    let paths = contents.iter().enumerate().map(|(number, content)| {
        let path = folder.path().join(format!("{number} it's.apk"));
        std::fs::write(&path, content).expect("a file");
        path
    });
    let paths = paths.collect();
    (folder, paths)
}

#[track_caller]
fn check_install(
    features: &str,
    contents: &[&str],
    talks: Vec<Talk>,
    expected: &str,
    says: &[&str],
) -> Result<(), DeviceError> {
    let (_folder, paths) = packages(contents);
    let options = InstallOptions { test_only: true, ..InstallOptions::default() };
    check(features, talks, |device| device.install(&paths, &options), expected, says)
}

fn exec(command: &str, input: &str, answer: &str) -> Talk {
    service(&format!("exec:{command}"), [expect(input), send(answer)])
}

#[test]
fn one_package_is_streamed() {
    let command = "cmd package install -r -t -S 5";
    for (answer, cause) in [
        ("Success\n", None),
        ("Failure [INSTALL_FAILED_TEST_ONLY: x]\n", Some(InstallCause::TestOnly)),
        ("Failure [INSTALL_FAILED_OLDER_SDK]", Some(InstallCause::OlderSdk)),
        ("cmd: Can't find service: package", Some(InstallCause::Other)),
    ] {
        let expected = if cause.is_some() { "not installed" } else { "well" };
        let talk = exec(command, "bytes", answer);
        let result = check_install("cmd", &["bytes"], vec![talk], expected, &[answer.trim()]);
        let found = match result {
            Err(DeviceError::NotInstalled { refusal, .. }) => Some(refusal.cause),
            _ => None,
        };
        assert_eq!(found, cause);
    }
    // Silence of the package manager, and the loss of the device, look alike but for the server's word.
    for (state, expected) in [("device", "not installed"), ("offline", "disconnected")] {
        let talks = vec![exec(command, "bytes", ""), question("host-serial:S1:get-state", state)];
        let _ = check_install("cmd", &["bytes"], talks, expected, &[]);
    }
    let mut silent = exec(command, "bytes", "");
    silent.push(Step::Silence);
    let _ = check_install("cmd", &["bytes"], vec![silent], "timed out", &["installing"]);
    let endless = exec(command, "bytes", &"x".repeat(100_000));
    let _ = check_install("cmd", &["bytes"], vec![endless], "too long", &[]);
}

#[test]
fn several_packages_are_one_session() {
    let create = || {
        let answer = "Success: created install session [7]\n";
        exec("cmd package install-create -r -t -S 9", "", answer)
    };
    let write = |number: usize, content: &str, answer: &str| {
        let length = content.len();
        exec(&format!("cmd package install-write -S {length} 7 {number}.apk -"), content, answer)
    };
    let commit = |answer: &str| exec("cmd package install-commit 7", "", answer);
    let abandon = || exec("cmd package install-abandon 7", "", "Success\n");
    let streamed = "Success: streamed 5 bytes\n";
    let contents = ["bytes", "more"];
    let good = vec![
        create(),
        write(0, "bytes", streamed),
        write(1, "more", streamed),
        commit("Success\n"),
    ];
    check_install("cmd", &contents, good, "well", &[]).expect("installed");
    let refused = "Failure [INSTALL_FAILED_INVALID_APK: Split null was defined multiple times]";
    let talks = vec![
        create(),
        write(0, "bytes", streamed),
        write(1, "more", streamed),
        commit(refused),
        abandon(),
    ];
    let _ = check_install("cmd", &contents, talks, "not installed", &["broken", refused]);
    // A part that does not get there takes the session with it.
    let talks = vec![create(), write(0, "bytes", "Error: no"), abandon()];
    let _ = check_install("cmd", &contents, talks, "not installed", &["Error: no"]);
    let unnumbered = exec("cmd package install-create -r -t -S 9", "", "Success");
    let _ = check_install("cmd", &contents, vec![unnumbered], "refused", &["session"]);
}

#[test]
fn what_is_not_there_is_told_before_the_device_is_touched() {
    let missing = [PathBuf::from("/nowhere/a.apk")];
    let options = InstallOptions::default();
    let install = |device: &AdbDevice| device.install(&missing, &options);
    let _ = check("cmd", vec![], install, "file", &["/nowhere/a.apk"]);
    let folder = [PathBuf::from("/")];
    let install = |device: &AdbDevice| device.install(&folder, &options);
    let _ = check("cmd", vec![], install, "file", &["no ordinary file"]);
    let install = |device: &AdbDevice| device.install(&[], &options);
    let _ = check("cmd", vec![], install, "unsupported", &["at least one package"]);
}
