//! Commands on a device behind an adb server that follows a script, faults included.

#![allow(dead_code, reason = "each test uses a part of the common module")]

use std::time::Duration;

use crate::scripted::*;
use wattle_device::adb::AdbDevice;
use wattle_device::{Device, DeviceError, ShellEvent, ShellOutput};

const LIMIT: Duration = Duration::from_secs(20);
const SHORT: Duration = Duration::from_millis(500);

const SERVICE: &str = "shell,v2,raw:id";

fn run(device: &AdbDevice) -> Result<ShellOutput, DeviceError> {
    device.shell("id", LIMIT)
}

#[test]
fn outputs_and_status_come_apart() {
    let bytes = [packet(1, b"out"), packet(2, b"err"), packet(1, b"put"), packet(3, &[9])];
    // Each byte on its own, and all at once.
    for size in [1, 1000] {
        let steps: Vec<Step> = bytes.concat().chunks(size).map(send).collect();
        let output = check("shell_v2", vec![service(SERVICE, steps)], run, "well", &[]);
        let expected =
            ShellOutput { stdout: b"output".to_vec(), stderr: b"err".to_vec(), status: Some(9) };
        assert_eq!(output.expect("well"), expected);
    }
}

#[test]
fn a_broken_end_is_no_end() {
    let good = [packet(1, b"out"), packet(3, &[0])].concat();
    for cut in 0..good.len() {
        let talk = service(SERVICE, [send(good.get(..cut).expect("a part"))]);
        check("shell_v2", vec![talk], run, "disconnected", &["S1", "`id`"]).expect_err("cut");
    }
    for (steps, expected) in [
        (vec![send(b"\x01\xff\xff\xff\xff")], "disconnected"),
        (vec![send(packet(1, b"x")), Step::Silence], "timed out"),
    ] {
        let short = |device: &AdbDevice| device.shell("id", SHORT);
        let _ = check("shell_v2", vec![service(SERVICE, steps)], short, expected, &[]);
    }
    let refused = vec![request("host:transport:S1"), okay(), request(SERVICE), fail("closed")];
    let _ = check("shell_v2", vec![refused], run, "refused", &["closed", "`id`"]);
    let gone = vec![request("host:transport:S1"), fail("device 'S1' not found")];
    let _ = check("shell_v2", vec![gone], run, "disconnected", &["S1 disconnected"]);
}

#[test]
fn a_flood_has_a_limit() {
    let piece = packet(1, &vec![b'x'; 1 << 20]);
    let steps: Vec<Step> = (0..65).map(|_| send(&piece)).collect();
    let _ = check("shell_v2", vec![service(SERVICE, steps)], run, "too long", &["67108864"]);
}

#[test]
fn input_is_sent_with_its_end() {
    let steps = [
        expect(packet(0, b"some words")),
        expect(packet(4, b"")),
        send([packet(1, b"10"), packet(3, &[0])].concat()),
    ];
    let talk = service("shell,v2,raw:wc -c", steps);
    let count =
        |device: &AdbDevice| device.shell_with_input("wc -c", &mut b"some words".as_slice(), LIMIT);
    let output = check("shell_v2", vec![talk], count, "well", &[]);
    assert_eq!(output.expect("well").stdout, b"10");
}

#[test]
fn a_command_that_wants_no_more_input_has_ended() {
    // Answers at once and reads nothing of the megabytes.
    let steps = [send([packet(1, b"enough"), packet(3, &[0])].concat()), Step::Silence];
    let talk = service("shell,v2,raw:head", steps);
    let head = |device: &AdbDevice| {
        device.shell_with_input("head", &mut vec![0; 20_000_000].as_slice(), LIMIT)
    };
    let output = check("shell_v2", vec![talk], head, "well", &[]);
    assert_eq!(output.expect("well").stdout, b"enough");
}

/// A command that is streamed; how it is run is the client's affair, that it is run is not.
fn streamed(command: &str, steps: impl IntoIterator<Item = Step>) -> Talk {
    let start = [
        request("host:transport:S1"),
        okay(),
        Step::RequestWith("shell,v2,raw:".to_owned(), command.to_owned()),
        okay(),
    ];
    start.into_iter().chain(steps).collect()
}

#[test]
fn a_stream_tells_what_happens_and_its_end_for_ever() {
    let steps = [
        send(packet(1, b"ready")),
        expect(packet(0, b"go\n")),
        send(packet(2, b"gone")),
        expect(packet(4, b"")),
        send(packet(3, &[2])),
    ];
    let (device, script, _) = device("shell_v2", vec![streamed("x", steps)]);
    let mut stream = device.stream("x").expect("a stream");
    let next = |stream: &mut Box<dyn wattle_device::ShellStream>| {
        stream.next(LIMIT).expect("goes on").expect("something")
    };
    assert_eq!(next(&mut stream), ShellEvent::Stdout(b"ready".to_vec()));
    assert_eq!(stream.next(Duration::from_millis(30)).expect("goes on"), None);
    stream.write(b"go\n").expect("it reads");
    assert_eq!(next(&mut stream), ShellEvent::Stderr(b"gone".to_vec()));
    stream.close_input().expect("it is told");
    assert_eq!(next(&mut stream), ShellEvent::Exit(Some(2)));
    assert_eq!(next(&mut stream), ShellEvent::Exit(Some(2)));
    drop(stream);
    script.finish();
}

#[test]
fn a_dropped_stream_is_closed() {
    // The silence lasts until the client is gone; the script is over only then.
    let talk = streamed("logcat", [send(packet(1, b"line")), Step::Silence]);
    let (device, script, _) = device("shell_v2", vec![talk]);
    drop(device.stream("logcat").expect("a stream"));
    script.finish();
}

#[test]
fn a_long_command_can_be_cancelled() {
    let stream = streamed("sleep 1000", [Step::Silence]);
    let talk = service("shell,v2,raw:sleep 1000", [Step::Silence]);
    let (device, script, cancel) = device("shell_v2", vec![stream, talk]);
    let mut stream = device.stream("sleep 1000").expect("a stream");
    let later = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(100));
        cancel.cancel();
    });
    let stopped = stream.next(LIMIT);
    assert_eq!(outcome(&stopped), "cancelled", "{stopped:?}");
    drop(stream);
    later.join().expect("it cancelled");
    assert_eq!(outcome(&device.shell("sleep 1000", LIMIT)), "cancelled");
    let other = device.with_cancel(wattle_device::Cancel::new());
    assert_eq!(outcome(&other.shell("sleep 1000", SHORT)), "timed out");
    script.finish();
}

#[test]
fn a_command_longer_than_a_request_is_refused_here() {
    let long = "x".repeat(70_000);
    let talk = vec![request("host:transport:S1"), okay()];
    let run = |device: &AdbDevice| device.shell(&long, LIMIT);
    let _ = check("shell_v2", vec![talk], run, "too long", &["65535"]);
}

#[test]
fn bare_bytes_have_no_end_but_the_end() {
    let talk = service("exec:cat x", [send(b"\0\r\n\xff")]);
    let mut bytes = Vec::new();
    let exec = |device: &AdbDevice| device.exec("cat x", &mut bytes, LIMIT);
    let count = check("", vec![talk], exec, "well", &[]);
    assert_eq!((count.expect("well"), bytes.as_slice()), (4, b"\0\r\n\xff".as_slice()));
}
