//! Questions to an adb server that follows a script, faults included.

#![allow(dead_code, reason = "each test uses a part of the common module")]

use std::time::Duration;

use crate::scripted::*;
use proptest::prelude::*;
use wattle_device::adb::{AdbOptions, AdbServer, AttachedDevice, Environment, ServerAddress};
use wattle_device::{Cancel, DeviceError};

const LIMIT: Duration = Duration::from_millis(500);

#[track_caller]
fn check<T: std::fmt::Debug>(result: &Result<T, DeviceError>, expected: &str, says: &[&str]) {
    assert_eq!(outcome(result), expected, "{result:?}");
    if let Err(error) = result {
        for part in says {
            assert!(error.to_string().contains(part), "{error} does not say {part}");
        }
    }
}

#[test]
fn a_server_is_known_by_its_version() {
    let version = || request("host:version");
    for (talk, expected, says) in [
        (vec![version(), okay(), send("00040029")], "well", vec![]),
        (vec![version(), fail("no more")], "refused", vec!["no more"]),
        (vec![version(), send("SSH-2.0-x")], "garbled", vec!["SSH-", "is that an adb server?"]),
        (vec![version(), okay(), send("+004")], "garbled", vec!["four hex digits", "+004"]),
        (vec![version(), okay(), send("0004zzzz")], "garbled", vec!["zzzz"]),
        (
            vec![version(), okay(), send("ffff0029")],
            "disconnected",
            vec!["adb server at 127.0.0.1"],
        ),
        (vec![version(), send("OK")], "disconnected", vec![]),
        (vec![], "disconnected", vec![]),
        (vec![version(), Step::Silence], "timed out", vec!["0.5 s"]),
        (vec![version(), okay(), send("00"), Step::Silence], "timed out", vec![]),
        (vec![version(), send("FAILffff"), Step::Silence], "timed out", vec![]),
    ] {
        let script = Script::play(vec![talk]);
        let found = script.find(&Cancel::new());
        check(&found, expected, &says);
        script.finish();
        if let Ok(server) = found {
            assert_eq!(server.version(), 41);
        }
    }
}

#[test]
fn a_server_of_another_machine_is_not_started_here() {
    let mut options = AdbOptions::default();
    // Reserved for documentation, so nobody answers (RFC 5737); refused or out of time, by the network's choice.
    options.address = Some(ServerAddress::new("192.0.2.1", 5037));
    options.limits.connect = Duration::from_millis(100);
    let found = AdbServer::find(&options, &Environment::default(), &Cancel::new());
    assert!(["unreachable", "timed out"].contains(&outcome(&found)), "{found:?}");
}

#[test]
fn without_server_and_program_every_place_is_named() {
    let script = Script::play(vec![]);
    let mut options = script.options();
    script.finish();
    let environment: Environment = [("PATH", "/nowhere/bin")].into_iter().collect();
    let found = AdbServer::find(&options, &environment, &Cancel::new());
    check(&found, "another", &["/nowhere/bin/adb", "ANDROID_HOME"]);
    // A program that starts nothing.
    options.adb = Some("/bin/false".into());
    let found = AdbServer::find(&options, &environment, &Cancel::new());
    check(&found, "another", &["/bin/false start-server"]);
}

/// Plays one talk to a server that was found, and asks.
#[track_caller]
fn ask<T: std::fmt::Debug>(
    talk: Talk,
    asking: impl FnOnce(&AdbServer) -> Result<T, DeviceError>,
    expected: &str,
    says: &[&str],
) -> Option<T> {
    let script = Script::play(vec![question("host:version", "0029"), talk]);
    let server = script.find(&Cancel::new()).expect("a server");
    let result = asking(&server);
    script.finish();
    check(&result, expected, says);
    result.ok()
}

#[test]
fn the_list_of_devices_is_read_or_its_fault_told() {
    let list = || request("host:devices-l");
    let line = "S1 device product:a model:b device:c transport_id:1\nS2 unauthorized\n";
    let devices = ask(question("host:devices-l", line), AdbServer::devices, "well", &[]);
    let devices = devices.expect("a list");
    let serials: Vec<_> = devices.iter().map(|device| device.serial.as_str()).collect();
    assert_eq!(serials, ["S1", "S2"]);
    for (talk, expected) in [
        (vec![list(), okay(), send("0000")], "well"),
        (vec![list(), okay(), send(b"0003\xff\xfe\xff")], "well"),
        (vec![list(), okay(), send("00zz")], "garbled"),
        (vec![list(), okay(), send("0100short")], "disconnected"),
        (vec![list(), okay(), send("0100short"), Step::Silence], "timed out"),
        (vec![list(), fail("protocol fault")], "refused"),
    ] {
        ask(talk, AdbServer::devices, expected, &[]);
    }
}

#[test]
fn connecting_and_pairing_tell_what_adb_said() {
    let connect = |server: &AdbServer| server.connect("10.0.0.2:5555");
    let asked = "host:connect:10.0.0.2:5555";
    for (said, expected) in [
        ("connected to 10.0.0.2:5555", "well"),
        ("already connected to 10.0.0.2:5555", "well"),
        ("failed to connect to '10.0.0.2:5555': Connection refused", "refused"),
        ("failed to authenticate to 10.0.0.2:5555", "refused"),
        ("cannot connect to 10.0.0.2:5555: No route to host", "refused"),
    ] {
        ask(question(asked, said), connect, expected, &[said]);
    }
    let pair = |server: &AdbServer| server.pair("123456", "10.0.0.2:37123");
    let asked = "host:pair:123456:10.0.0.2:37123";
    let paired = "Successfully paired to 10.0.0.2:37123 [guid=adb-x]";
    let told = ask(question(asked, paired), pair, "well", &[]);
    assert_eq!(told.as_deref(), Some(paired));
    ask(question(asked, "Failed: Wrong password."), pair, "refused", &["Wrong password"]);
    // An older server does not know the word; the code is no part of the sentence.
    let talk = vec![request(asked), fail("unknown host service")];
    let script = Script::play(vec![question("host:version", "0027"), talk]);
    let refused = pair(&script.find(&Cancel::new()).expect("a server"));
    script.finish();
    check(&refused, "refused", &["unknown host service", "10.0.0.2:37123"]);
    assert!(!refused.expect_err("refused").to_string().contains("123456"));
    let disconnect = |server: &AdbServer| server.disconnect("10.0.0.2:5555");
    let asked = "host:disconnect:10.0.0.2:5555";
    ask(question(asked, "disconnected 10.0.0.2:5555"), disconnect, "well", &[]);
    let talk = vec![request(asked), fail("no such device '10.0.0.2:5555'")];
    ask(talk, disconnect, "refused", &["no such device"]);
}

#[test]
fn waiting_for_a_device_ends_when_it_is_there() {
    let any = |server: &AdbServer| server.wait_for_device(None, LIMIT);
    let asked = request("host:wait-for-any-device");
    ask(vec![asked.clone(), okay(), okay()], any, "well", &[]);
    ask(vec![asked.clone(), okay(), Step::Silence], any, "timed out", &["waiting for a device"]);
    ask(vec![asked, okay()], any, "disconnected", &[]);
    // What it waits for is told when the time is over.
    let script = Script::play(vec![
        question("host:version", "0029"),
        vec![request("host-serial:S1:wait-for-any-device"), okay(), Step::Silence],
        question("host:devices-l", "S1 unauthorized\n"),
    ]);
    let server = script.find(&Cancel::new()).expect("a server");
    let result = server.wait_for_device(Some(SERIAL), LIMIT);
    check(&result, "not ready", &["S1 is unauthorized", "unlock the phone"]);
    script.finish();
}

#[test]
fn the_device_is_chosen_by_option_then_variable_then_alone() {
    let environment: Environment = [("ANDROID_SERIAL", "S2")].into_iter().collect();
    let list = "S1 device\nS2 device\n";
    for (serial, variables, list, expected) in [
        (Some("S1"), &environment, list, Some("S1")),
        (None, &environment, list, Some("S2")),
        (None, &Environment::default(), "S1 device\n", Some("S1")),
        (None, &Environment::default(), list, None),
    ] {
        let choose = |server: &AdbServer| server.choose(serial, variables);
        let expectation = if expected.is_some() { "well" } else { "another" };
        let chosen: Option<AttachedDevice> =
            ask(question("host:devices-l", list), choose, expectation, &["S1", "S2", "--serial"]);
        assert_eq!(chosen.map(|device| device.serial).as_deref(), expected);
    }
}

#[test]
fn a_tracker_tells_each_change_and_the_end() {
    let lists = [string("S1 device\n"), string(""), string("S1 offline\n")];
    let mut talk = vec![request("host:track-devices-l"), okay()];
    // Cut in the middle of a length and of a text.
    for piece in lists.concat().chunks(3) {
        talk.push(send(piece));
    }
    let script = Script::play(vec![question("host:version", "0029"), talk]);
    let mut tracker = script.find(&Cancel::new()).and_then(|server| server.track()).expect("one");
    let states: Vec<Vec<String>> = (0..3)
        .map(|_| {
            let list = tracker.next(Duration::from_secs(20)).expect("a list").expect("a change");
            list.iter().map(|device| device.state.to_string()).collect()
        })
        .collect();
    assert_eq!(states, [vec!["device"], vec![], vec!["offline"]]);
    check(&tracker.next(LIMIT), "disconnected", &["watching for devices"]);
    drop(tracker);
    script.finish();
    let talk = vec![request("host:track-devices-l"), okay(), send("nope")];
    let script = Script::play(vec![question("host:version", "0029"), talk]);
    let mut tracker = script.find(&Cancel::new()).and_then(|server| server.track()).expect("one");
    check(&tracker.next(Duration::from_secs(20)), "garbled", &["nope"]);
    drop(tracker);
    script.finish();
}

#[test]
fn watching_and_asking_can_be_cancelled() {
    let cancel = Cancel::new();
    let talk = vec![request("host:track-devices-l"), okay(), Step::Silence];
    let script = Script::play(vec![
        question("host:version", "0029"),
        talk,
        vec![request("host:wait-for-any-device"), okay(), Step::Silence],
    ]);
    let server = script.find(&cancel).expect("a server");
    let mut tracker = server.track().expect("a tracker");
    assert_eq!(tracker.next(Duration::from_millis(30)).expect("goes on"), None);
    let later = {
        let cancel = cancel.clone();
        std::thread::spawn(move || {
            std::thread::sleep(Duration::from_millis(100));
            cancel.cancel();
        })
    };
    check(&tracker.next(Duration::MAX), "cancelled", &["interrupted"]);
    later.join().expect("it cancelled");
    drop(tracker);
    check(&server.devices(), "cancelled", &[]);
    let other = server.with_cancel(Cancel::new());
    check(&other.wait_for_device(None, LIMIT), "timed out", &[]);
    script.finish();
}

#[test]
fn what_the_server_says_of_a_device_is_told_as_what_it_is() {
    for (said, expected) in [
        ("device 'S1' not found", "disconnected"),
        ("device offline", "disconnected"),
        ("device unauthorized.\nThis adb server's $ADB_VENDOR_KEYS is not set", "not ready"),
        ("device still authorizing", "not ready"),
        ("device still connecting", "not ready"),
        ("something new", "refused"),
    ] {
        let state = |server: &AdbServer| server.state(SERIAL);
        let talk = vec![request("host-serial:S1:get-state"), fail(said)];
        ask(talk, state, expected, &["S1"]);
    }
    let state = ask(
        question("host-serial:S1:get-state", "recovery"),
        |server| server.state(SERIAL),
        "well",
        &[],
    );
    assert_eq!(state.map(|state| state.to_string()).as_deref(), Some("recovery"));
}

#[test]
fn a_server_that_knows_no_features_has_none() {
    let asked = request("host-serial:S1:features");
    for (answer, expected) in
        [("unknown host service", "well"), ("device 'S1' not found", "disconnected")]
    {
        let device =
            ask(vec![asked.clone(), fail(answer)], |server| server.device(SERIAL), expected, &[]);
        if let Some(device) = device {
            assert!(!device.features().shell_v2() && !device.features().cmd());
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Whatever a server answers, the client ends with an answer of its own.
    #[test]
    fn any_answer_is_borne(bytes in proptest::collection::vec(any::<u8>(), 0..200), okay_first in any::<bool>()) {
        let mut talk = vec![Step::AnyRequest];
        if okay_first {
            talk.push(okay());
        }
        talk.push(send(&bytes));
        let script = Script::play(vec![
            question("host:version", "0029"), talk.clone(), talk.clone(), talk.clone(), talk,
        ]);
        let server = script.find(&Cancel::new()).expect("a server");
        let _ = server.devices();
        let _ = server.state(SERIAL);
        let _ = server.connect("x");
        if let Ok(mut tracker) = server.track() {
            while tracker.next(Duration::from_secs(20)).is_ok() {}
        }
        script.finish();
    }
}
