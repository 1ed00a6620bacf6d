//! The way to what probes have written. Real shells run what is meant for an app's folder.

use std::process::Command;

use crate::support::{Phone, ScriptedDevice};
use wattle_device::package::{AppAccess, ProbeFile};
use wattle_testdata::requires;

const RUN_AS: &str = "run-as com.example sh -c";

/// A phone on which commands that contain these words say this.
fn device(answers: &[(&str, u8, &str)]) -> ScriptedDevice {
    let mut phone = Phone::default();
    for (part, status, text) in answers {
        phone.containing.push(((*part).to_owned(), (*status, (*text).to_owned())));
    }
    ScriptedDevice::new(phone)
}

#[track_caller]
fn check_way(answers: &[(&str, u8, &str)], user: Option<u32>, command: Result<&str, &str>) {
    let device = device(answers);
    let access = AppAccess::find(&device, "com.example", user);
    match (access, command) {
        (Ok(access), Ok(part)) => {
            access.remove_probe_files(&device).expect("removed");
            let last = device.calls().pop().expect("a call");
            assert!(
                last.contains(part) && last.contains("rm -f files/*.probes cache/*.probes"),
                "{last}"
            );
        }
        (Err(error), Err(part)) => assert!(error.to_string().contains(part), "{error}"),
        (access, command) => panic!("expected {command:?}, found {access:?}"),
    }
}

#[test]
fn every_way_is_tried() {
    let no_run_as = ("run-as", 1, "run-as: package not debuggable: com.example\n");
    let cannot = ("cd /data/", 1, "cd: /data/data/com.example: Permission denied\n");
    check_way(&[("run-as com.example sh", 0, "reached\n")], None, Ok(RUN_AS));
    check_way(&[("run-as com.example --user 10 sh", 0, "reached\n")], Some(10), Ok("--user 10"));
    check_way(&[no_run_as, ("su -c", 0, "reached\n"), cannot], None, Ok("su -c"));
    check_way(
        &[no_run_as, ("su 0 sh -c", 0, "reached\n"), ("su -c", 1, "su: invalid uid"), cannot],
        None,
        Ok("su 0 sh -c"),
    );
    check_way(
        &[no_run_as, ("su ", 127, "su: not found"), ("cd /data/data/com.example", 0, "reached\n")],
        None,
        Ok("cd /data/data/com.example && {"),
    );
    check_way(
        &[
            no_run_as,
            ("su ", 127, "su: not found"),
            ("cd /data/user/10/com.example", 0, "reached\n"),
        ],
        Some(10),
        Ok("cd /data/user/10"),
    );
    let all = [no_run_as, ("su ", 127, "su: not found"), cannot];
    check_way(&all, None, Err("package not debuggable"));
    check_way(&all, None, Err("su: not found"));
    check_way(&all, None, Err("use a debuggable build"));
}

#[test]
fn files_are_listed_and_copied() {
    let record = "x".repeat(2500);
    let device = device(&[
        ("echo reached", 0, "reached\n"),
        (
            "wc -c",
            0,
            "    2500 files/wattle-7-1700000000000.probes\n12 cache/wattle-8-1.probes\n3 ../../secret.probes\n9 files/note.txt\nnonsense\n",
        ),
        ("cat files/wattle-7", 0, &record),
        ("cat cache/wattle-8", 0, "short"),
    ]);
    let access = AppAccess::find(&device, "com.example", None).expect("a way");
    assert_eq!(access.package(), "com.example");
    let files = access.probe_files(&device).expect("files");
    let file = |path: &str, bytes| ProbeFile { path: path.to_owned(), bytes };
    assert_eq!(
        files,
        [file("cache/wattle-8-1.probes", 12), file("files/wattle-7-1700000000000.probes", 2500)]
    );
    assert_eq!(files[1].name(), "wattle-7-1700000000000.probes");
    let mut copy = Vec::new();
    assert_eq!(access.pull_probe_file(&device, &files[1], &mut copy).expect("copied"), 2500);
    assert_eq!(copy, record.as_bytes());
    // Less than was listed is a loss; what came is kept.
    let mut copy = Vec::new();
    let error = access.pull_probe_file(&device, &files[0], &mut copy).expect_err("too short");
    assert!(error.to_string().contains("12 bytes") && copy == b"short", "{error}");
    let gone = file("files/gone.probes", 1);
    assert!(access.pull_probe_file(&device, &gone, &mut Vec::new()).is_err());
}

#[test]
fn the_scripts_work_in_the_shell_of_this_machine() {
    check_scripts("sh");
}

#[requires(program = "mksh")]
#[test]
fn the_scripts_work_in_androids_shell() {
    check_scripts("mksh");
}

#[track_caller]
fn check_scripts(shell: &str) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name);
    for name in ["files", "cache"] {
        std::fs::create_dir_all(path(name)).expect("a folder");
    }
    std::fs::write(path("files/wattle-1-2.probes"), b"12345").expect("written");
    std::fs::write(path("files/other.txt"), b"1").expect("written");
    let device = device(&[("echo reached", 0, "reached\n"), ("run-as", 0, "")]);
    let access = AppAccess::find(&device, "com.example", None).expect("a way");
    access.probe_files(&device).expect("asked");
    access.remove_probe_files(&device).expect("asked");
    let calls = device.calls();
    let run = |call: &str| {
        // What `run-as` does: the command runs in the app's folder.
        let script =
            call.replace("run-as com.example ", &format!("cd {}; ", folder.path().display()));
        let output = Command::new(shell).arg("-c").arg(script).output().expect("a shell");
        assert!(output.status.success(), "{shell}: {call}: {output:?}");
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    std::fs::write(path("files/wattle-1-2.probes"), b"12345").expect("written");
    assert_eq!(run(&calls[1]).trim(), "5 files/wattle-1-2.probes", "{shell}");
    run(&calls[2]);
    let is_gone = !path("files/wattle-1-2.probes").exists();
    assert!(is_gone && path("files/other.txt").exists(), "{shell}");
    assert_eq!(run(&calls[1]).trim(), "", "{shell}");
}
