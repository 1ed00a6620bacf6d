//! A device of long ago, which has neither the shell protocol nor `cmd`, behind an adb server that follows a script.

#![allow(dead_code, reason = "each test uses a part of the common module")]

use std::time::Duration;

use crate::scripted::*;
use wattle_device::adb::AdbDevice;
use wattle_device::{Device, DeviceError, InstallOptions, ShellEvent, ShellOutput};

const LIMIT: Duration = Duration::from_secs(20);

/// A command without the shell protocol.
fn plain(command: &str, output: &str, end: &str) -> Talk {
    vec![
        request("host:transport:S1"),
        okay(),
        Step::PlainShell {
            command: command.to_owned(),
            output: output.as_bytes().to_vec(),
            end: end.to_owned(),
        },
    ]
}

/// A file that is pushed whole. Its name is the client's choice.
fn pushed(path: &str, mode: u32, content: &str) -> Talk {
    service(
        "sync:",
        [
            expect(framed("SEND", format!("{path},{mode}").as_bytes())),
            expect(framed("DATA", content.as_bytes())),
            expect("DONE"),
            Step::Swallow(4),
            send(frame("OKAY", 0)),
        ],
    )
}

fn state(word: &str) -> Talk {
    question("host-serial:S1:get-state", word)
}

fn run(device: &AdbDevice) -> Result<ShellOutput, DeviceError> {
    device.shell("id", LIMIT)
}

#[test]
fn the_status_is_behind_the_output() {
    for (output, end, status) in [
        ("a\n", "$marker0\n", Some(0)),
        ("", "$marker255\n", Some(255)),
        // Android 5 and older write through a terminal.
        ("a\r\n", "$marker1\r\n", Some(1)),
        ("wattle-", "$marker3\n", Some(3)),
        // A killed shell tells nothing, and what it wrote is kept.
        ("half of", "", None),
        ("half of", "$marker999\n", None),
    ] {
        let mut talks = vec![plain("id", output, end)];
        if status.is_none() {
            talks.push(state("device"));
        }
        let found = check("", talks, run, "well", &[]).expect("well");
        assert_eq!(found.status, status, "{output:?}");
        assert!(found.text().starts_with(output) && found.stderr.is_empty(), "{found:?}");
    }
    for word in ["offline", "recovery"] {
        let talks = vec![plain("id", "half of", ""), state(word)];
        let _ = check("", talks, run, "disconnected", &["S1", "`id`"]);
    }
    let gone = vec![request("host-serial:S1:get-state"), fail("device 'S1' not found")];
    let _ = check("", vec![plain("id", "", ""), gone], run, "disconnected", &["S1"]);
}

#[test]
fn a_stream_holds_nothing_back_but_the_end() {
    let (device, script, _) = device("", vec![plain("logcat", "line\n", "$marker2\n")]);
    let mut stream = device.stream("logcat").expect("a stream");
    let next = stream.next(LIMIT).expect("goes on");
    assert_eq!(next, Some(ShellEvent::Stdout(b"line\n".to_vec())));
    assert_eq!(stream.next(LIMIT).expect("goes on"), Some(ShellEvent::Exit(Some(2))));
    let refused = stream.close_input();
    assert_eq!(outcome(&refused), "unsupported", "{refused:?}");
    drop(stream);
    script.finish();
}

fn temporary(count: usize, name: &str) -> String {
    format!("/data/local/tmp/wattle-{:x}-{count}-{name}", std::process::id())
}

fn removed(file: &str) -> Talk {
    plain(&format!("rm -f {file}"), "", "$marker0\n")
}

fn exec(command: &str, answer: &str) -> Talk {
    service(&format!("exec:{command}"), [send(answer)])
}

/// One test, because the files of a process are counted.
#[test]
fn what_cannot_be_streamed_is_a_file_that_is_taken_away_again() {
    let input = temporary(0, "input");
    let talks = vec![
        pushed(&input, 0o100_600, "words"),
        plain(&format!("(\nwc -c\n) < {input}"), "5\n", "$marker0\n"),
        removed(&input),
    ];
    let count =
        |device: &AdbDevice| device.shell_with_input("wc -c", &mut b"words".as_slice(), LIMIT);
    let output = check("", talks, count, "well", &[]).expect("well");
    assert_eq!((output.text().as_ref(), output.status), ("5\n", Some(0)));

    let folder = tempfile::tempdir().expect("a folder");
    let packages = ["base", "split"].map(|content| {
        let path = folder.path().join(content);
        std::fs::write(&path, content).expect("a package");
        path
    });
    let [base, _] = &packages;
    for (count, answer, expected) in [
        (1, "\tpkg: x\nSuccess\n", "well"),
        (2, "Failure [INSTALL_FAILED_OLDER_SDK]\n", "not installed"),
    ] {
        let file = temporary(count, "package.apk");
        let talks = vec![
            pushed(&file, 0o100_644, "base"),
            exec(&format!("pm install -r -d {file}"), answer),
            removed(&file),
        ];
        let options = InstallOptions { downgrade: true, ..InstallOptions::default() };
        let install = |device: &AdbDevice| device.install(std::slice::from_ref(base), &options);
        let _ = check("", talks, install, expected, &[]);
    }
    let mut talks =
        vec![exec("pm install-create -r -S 9", "Success: created install session [3]\n")];
    for (number, content) in ["base", "split"].into_iter().enumerate() {
        let name = format!("{number}.apk");
        let file = temporary(number + 3, &name);
        let write = format!("pm install-write -S {} 3 {name} {file}", content.len());
        talks.extend([
            pushed(&file, 0o100_644, content),
            exec(&write, "Success\n"),
            removed(&file),
        ]);
    }
    talks.push(exec("pm install-commit 3", "Success\n"));
    let install = |device: &AdbDevice| device.install(&packages, &InstallOptions::default());
    check("", talks, install, "well", &[]).expect("installed");
}
