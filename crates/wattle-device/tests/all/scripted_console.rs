//! The console of an emulator that follows a script.

#![allow(dead_code, reason = "each test uses a part of the common module")]

use crate::scripted::*;
use wattle_device::adb::{ChargeStatus, EmulatorConsole, Environment, PowerDisplay};
use wattle_device::{Cancel, DeviceError};

/// As the Android developer documentation shows it ("Send emulator console commands", an example session).
const GREETING: &str = "Android Console: Authentication required\r\n\
    Android Console: type 'auth <auth_token>' to authenticate\r\n\
    Android Console: you can find your <auth_token> in\r\n\
    '/Users/me/.emulator_console_auth_token'\r\nOK\r\n";
const WELCOME: &str = "Android Console: type 'help' for a list of commands\r\nOK\r\n";

fn greeted(steps: impl IntoIterator<Item = Step>) -> Talk {
    let start = [send(GREETING), expect("auth 123456789ABCdefZ\r\n"), send(WELCOME)];
    start.into_iter().chain(steps).collect()
}

#[track_caller]
fn check<T: std::fmt::Debug>(
    talk: Talk,
    token: Option<&str>,
    doing: impl FnOnce(&mut EmulatorConsole) -> Result<T, DeviceError>,
    expected: &str,
    says: &[&str],
) -> Option<T> {
    let home = tempfile::tempdir().expect("a folder");
    if let Some(token) = token {
        std::fs::write(home.path().join(".emulator_console_auth_token"), token).expect("a token");
    }
    let environment: Environment = [("HOME", home.path())].into_iter().collect();
    let script = Script::play(vec![talk]);
    let serial = format!("emulator-{}", script.port);
    let limits = script.options().limits;
    let result = EmulatorConsole::connect(&serial, &environment, limits, &Cancel::new())
        .and_then(|mut console| doing(&mut console));
    script.finish();
    assert_eq!(outcome(&result), expected, "{result:?}");
    if let Err(error) = &result {
        let text = error.to_string();
        for part in says {
            assert!(text.contains(part), "{text} does not say {part}");
        }
        assert!(!text.contains("123456789ABCdefZ"), "the secret is told: {text}");
    }
    result.ok()
}

const TOKEN: Option<&str> = Some("123456789ABCdefZ");

#[test]
fn the_battery_is_told_what_to_do() {
    let talk = greeted([
        expect("power ac off\r\n"),
        send("OK\r\n"),
        expect("power status discharging\r\n"),
        send("OK\r\n"),
        expect("power status not-charging\r\n"),
        send("OK\r\n"),
        expect("power ac on\r\n"),
        send("O"),
        send("K\r\n"),
    ]);
    let tell = |console: &mut EmulatorConsole| {
        console.set_ac(false)?;
        console.set_status(ChargeStatus::Discharging)?;
        console.set_status(ChargeStatus::NotCharging)?;
        console.set_ac(true)
    };
    check(talk, Some(" 123456789ABCdefZ\n"), tell, "well", &[]).expect("well");
}

#[test]
fn what_the_console_shows_is_read() {
    let full = PowerDisplay {
        ac: Some(true),
        status: Some("Not charging".to_owned()),
        health: Some("Good".to_owned()),
        present: Some(true),
        capacity: Some(87),
    };
    let ac_off = PowerDisplay { ac: Some(false), ..PowerDisplay::default() };
    for (answer, expected) in [
        (
            "AC: online\r\nstatus: Not charging\r\nhealth: Good\r\npresent: true\r\ncapacity: 87\r\nOK\r\n",
            full,
        ),
        ("AC: offline\r\ncapacity: 300\r\nvoltage: x\r\nOK\r\n", ac_off),
        ("OK\r\n", PowerDisplay::default()),
    ] {
        let talk = greeted([expect("power display\r\n"), send(answer)]);
        let found = check(talk, TOKEN, EmulatorConsole::display, "well", &[]);
        assert_eq!(found, Some(expected));
    }
}

#[test]
fn without_a_secret_none_is_shown() {
    let talk = vec![send(WELCOME), expect("power ac off\r\n"), send("OK\r\n")];
    check(talk, None, |console| console.set_ac(false), "well", &[]).expect("well");
}

#[test]
fn faults_are_told() {
    let off = |console: &mut EmulatorConsole| console.set_ac(false);
    let asked = || expect("power ac off\r\n");
    let auth = || expect("auth 123456789ABCdefZ\r\n");
    for (talk, token, expected, says) in [
        (vec![send(GREETING)], None, "file", vec![".emulator_console_auth_token"]),
        (
            vec![send(GREETING), auth(), send("KO: authentication token does not match\r\n")],
            TOKEN,
            "console",
            vec!["does not match", "auth"],
        ),
        (
            greeted([asked(), send("KO: unknown command, try 'help'\r\n")]),
            TOKEN,
            "console",
            vec!["unknown command", "power ac off", "emulator-"],
        ),
        (greeted([asked()]), TOKEN, "disconnected", vec!["power ac off"]),
        (greeted([asked(), send("OK")]), TOKEN, "disconnected", vec![]),
        (greeted([asked(), Step::Silence]), TOKEN, "timed out", vec!["power ac off"]),
        (vec![send("x".repeat(100_000))], TOKEN, "too long", vec![]),
        (vec![], TOKEN, "disconnected", vec![]),
    ] {
        let _ = check(talk, token, off, expected, &says);
    }
    let two = |console: &mut EmulatorConsole| console.command("power ac off\r\nkill");
    let _ = check(greeted([]), TOKEN, two, "console", &["one line"]);
}

#[test]
fn only_emulators_have_a_console() {
    for serial in ["S1", "emulator-", "emulator-0", "emulator-x", "127.0.0.1:5555"] {
        let found = EmulatorConsole::connect(
            serial,
            &Environment::default(),
            limits(false),
            &Cancel::new(),
        );
        assert_eq!(outcome(&found), "unsupported", "{serial}");
    }
    let script = Script::play(vec![]);
    let serial = format!("emulator-{}", script.port);
    script.finish();
    let found =
        EmulatorConsole::connect(&serial, &Environment::default(), limits(false), &Cancel::new());
    let text = found.expect_err("nobody listens").to_string();
    assert!(text.contains(&format!("the console of {serial}")), "{text}");
}
