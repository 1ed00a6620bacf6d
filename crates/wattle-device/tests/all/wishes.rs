//! Optional and mandatory changes, and changes that depend on the device.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use crate::support::{Phone, ScriptedDevice};
use wattle_device::prepare::{ConsoleAccess, Journal, Preparation};
use wattle_device::{Device, DeviceError};
use wattle_recording::StepFacts;

fn prepared(
    device: &ScriptedDevice,
    console: Option<Arc<dyn ConsoleAccess>>,
    wanted: &Preparation,
) -> (Journal, Result<(), DeviceError>) {
    let folder = tempfile::tempdir().expect("a folder").keep();
    let mut journal = Journal::begin(device, "hardware", console, &folder)
        .expect("a journal")
        .with_patience(Duration::ZERO);
    let done = journal.prepare(device, wanted);
    (journal, done)
}

fn step<'s>(steps: &'s [StepFacts], part: &str) -> &'s StepFacts {
    steps
        .iter()
        .find(|step| step.what.contains(part))
        .unwrap_or_else(|| panic!("{part}: {steps:?}"))
}

/// The phone answers so to one command; the preparation ends with this part of an error, or goes on and notes it.
#[track_caller]
fn check(command: &str, reply: (u8, &str), wanted: &Preparation, expected: Result<&str, &str>) {
    let mut phone = Phone::default();
    phone.fixed.insert(command.to_owned(), (reply.0, reply.1.to_owned()));
    let device = ScriptedDevice::new(phone);
    let (mut journal, done) = prepared(&device, None, wanted);
    let errors: Vec<String> = journal.steps().into_iter().filter_map(|step| step.error).collect();
    match (done, expected) {
        (Ok(()), Ok(part)) => {
            assert!(errors.len() == 1 && errors[0].contains(part), "{errors:?}");
        }
        (Err(error), Err(part)) => assert!(error.to_string().contains(part), "{error}"),
        (done, expected) => panic!("{command}: expected {expected:?}, found {done:?}, {errors:?}"),
    }
    journal.restore();
}

#[test]
fn a_wish_that_is_refused_is_noted_and_a_demand_ends_the_run() {
    let usual = Preparation::default();
    check("logcat -c", (1, "failed to clear the 'main' log"), &usual, Ok("failed to clear"));
    check("dumpsys battery unplug", (0, ""), &usual, Ok("expected nothing plugged in"));
    check(
        "dumpsys battery",
        (0, "Can't find service: battery\n"),
        &usual,
        Ok("Can't find service"),
    );
    check(
        "dumpsys batterystats --reset",
        (0, "Unknown option: --reset\n"),
        &usual,
        Ok("Unknown option"),
    );
    check("logcat -g", (0, "nothing\n"), &usual, Ok("sizes of the log's buffers"));
    check("logcat -b main -G 16M", (1, "failed to set the log size"), &usual, Ok("failed to set"));
    check("logcat -b main -G 16M", (0, ""), &usual, Ok("buffers of 16M"));
    check("wm dismiss-keyguard", (0, ""), &usual, Ok("unlock it by hand"));
    check(
        "settings put system screen_off_timeout 2147483647",
        (0, ""),
        &usual,
        Ok("expected 2147483647"),
    );

    let brightness = Preparation { brightness: Some(9), ..Preparation::nothing() };
    let denied = "Exception: requires android.permission.WRITE_SECURE_SETTINGS";
    check(
        "settings put system screen_brightness 9",
        (255, denied),
        &brightness,
        Err("WRITE_SECURE_SETTINGS"),
    );
    check("settings put system screen_brightness 9", (0, ""), &brightness, Err("expected 9"));
    let animations = Preparation { still_animations: true, ..Preparation::nothing() };
    check("settings get global window_animation_scale", (1, "no"), &animations, Err("no"));
    let data = Preparation { clear_data_of: vec!["a.b".into()], ..Preparation::nothing() };
    check("pm clear a.b", (0, "Failed\n"), &data, Err("Failed"));
    let history = Preparation { full_wake_history: true, ..Preparation::nothing() };
    let usage = "Battery stats (batterystats) dump options:\n  [--checkin]\n  --enable|disable full-wake-history\n";
    check(
        "dumpsys batterystats --enable full-wake-history",
        (0, usage),
        &history,
        Err("Battery stats"),
    );
}

#[test]
fn what_is_as_wanted_already_is_neither_changed_nor_put_back() {
    let mut phone = Phone {
        awake: true,
        locked: false,
        truly_plugged: BTreeSet::new(),
        log_unit: "Kb",
        ..Phone::default()
    };
    for kib in phone.log_kib.values_mut() {
        *kib = 32 << 10;
    }
    phone.set("system", "screen_off_timeout", "2147483647");
    phone.set("global", "stay_on_while_plugged_in", "15");
    let device = ScriptedDevice::new(phone);
    let (mut journal, done) = prepared(&device, None, &Preparation::default());
    done.expect("prepared");
    let changing: Vec<String> = device
        .calls()
        .into_iter()
        .filter(|call| {
            ["put", "-G", "unplug", "input", "dismiss"].iter().any(|word| call.contains(word))
        })
        .collect();
    assert_eq!(changing, Vec::<String>::new());
    assert_eq!(journal.restore().put_back, 0);
    assert!(journal.steps().iter().all(|step| step.error.is_none() && step.restored.is_none()));
}

#[test]
fn each_command_goes_alone() {
    let device = ScriptedDevice::new(Phone::default());
    let (journal, done) = prepared(&device, None, &Preparation::default());
    done.expect("prepared");
    for call in device.calls() {
        assert!(!call.contains([';', '&', '|']), "{call}");
    }
    assert_eq!(journal.steps().len(), 8);
}

#[test]
fn a_plug_state_that_somebody_had_faked_is_faked_again() {
    let faked = Some(BTreeSet::from(["wireless".to_owned()]));
    let device = ScriptedDevice::new(Phone { faked: faked.clone(), ..Phone::default() });
    let wanted = Preparation { fake_unplug: true, ..Preparation::nothing() };
    let (mut journal, done) = prepared(&device, None, &wanted);
    done.expect("prepared");
    assert_eq!(device.phone().faked, Some(BTreeSet::new()));
    assert!(journal.restore().left.is_empty());
    assert_eq!(device.phone().faked, faked);
}

#[test]
fn a_device_may_have_its_own_idea_of_a_value() {
    let device = ScriptedDevice::new(Phone::default());
    let wanted = Preparation { brightness: Some(77), ..Preparation::nothing() };
    // It rounds what it is given, and says so ever after.
    let device = device.after("settings put system screen_brightness 77", |phone| {
        phone.set("system", "screen_brightness", "76");
    });
    let (mut journal, done) = prepared(&device, None, &wanted);
    done.expect("prepared");
    assert_eq!(step(&journal.steps(), "screen_brightness)").during.as_deref(), Some("76"));
    assert!(journal.restore().left.is_empty());
    assert_eq!(device.phone().setting("system", "screen_brightness"), Some("102"));
}

#[test]
fn radios_are_switched_only_where_adb_does_not_need_them() {
    let airplane = Preparation { airplane_mode: Some(true), ..Preparation::nothing() };
    let device = ScriptedDevice::new(Phone::default());
    let (mut journal, done) = prepared(&device, None, &airplane);
    done.expect("prepared");
    assert_eq!(device.phone().setting("global", "airplane_mode_on"), Some("1"));
    assert!(journal.restore().left.is_empty());
    assert_eq!(device.phone().setting("global", "airplane_mode_on"), Some("0"));

    for serial in ["192.168.0.7:5555", "adb-R58N12-abc._adb-tls-connect._tcp"] {
        let device = ScriptedDevice::named(serial, Phone::default());
        let (_journal, done) = prepared(&device, None, &airplane);
        let error = done.expect_err("a connection that would be cut").to_string();
        assert!(error.contains("with a cable"), "{error}");
        assert_eq!(device.phone().setting("global", "airplane_mode_on"), Some("0"));
        // Switching on what is on already is no danger.
        let wifi = Preparation { wifi: Some(true), ..Preparation::nothing() };
        prepared(&device, None, &wifi).1.expect("prepared");
    }
}

/// An emulator's battery, as its console has it.
#[derive(Debug)]
struct Console(Mutex<(bool, String)>);

impl ConsoleAccess for Console {
    fn command(&self, command: &str) -> Result<String, DeviceError> {
        let mut state = self.0.lock().expect("the state");
        match command.split(' ').collect::<Vec<_>>().as_slice() {
            ["power", "display"] => {
                let ac = if state.0 { "online" } else { "offline" };
                return Ok(format!(
                    "AC: {ac}\nstatus: {}\nhealth: Good\npresent: true\ncapacity: 100",
                    state.1
                ));
            }
            ["power", "ac", word] => state.0 = *word == "on",
            ["power", "status", "not-charging"] => state.1 = "Not charging".into(),
            ["power", "status", word] => (*word).clone_into(&mut state.1),
            _ => panic!("{command}"),
        }
        Ok(String::new())
    }
}

#[test]
fn an_emulator_discharges_and_charges_again() {
    for before in ["Charging", "Not charging", "Full"] {
        let console = Arc::new(Console(Mutex::new((true, before.to_owned()))));
        let device = ScriptedDevice::named("emulator-5554", Phone::default());
        let (mut journal, done) = prepared(&device, Some(console.clone()), &Preparation::default());
        done.expect("prepared");
        assert_eq!(*console.0.lock().expect("the state"), (false, "discharging".to_owned()));
        let restoration = journal.restore();
        assert!(restoration.left.is_empty(), "{restoration:?}");
        let (ac, status) = console.0.lock().expect("the state").clone();
        assert!(ac && status.eq_ignore_ascii_case(before), "{status}");
    }
}

#[test]
fn without_the_console_a_person_is_told_what_to_do() {
    let folder = tempfile::tempdir().expect("a folder");
    let console = Arc::new(Console(Mutex::new((true, "Charging".to_owned()))));
    let device = ScriptedDevice::named("emulator-5554", Phone::default());
    let mut journal =
        Journal::begin(&device, "hardware", Some(console), folder.path()).expect("a journal");
    journal.prepare(&device, &Preparation::default()).expect("prepared");
    // The program is killed: what it has written is all there is.
    let killed = tempfile::tempdir().expect("a folder");
    for file in std::fs::read_dir(folder.path()).expect("the folder").flatten() {
        std::fs::copy(file.path(), killed.path().join(file.file_name())).expect("a copy");
    }
    let unfinished = Journal::unfinished(killed.path()).pop().expect("what is left");
    let restoration = unfinished.resume_restore(&device, None, &wattle_device::Cancel::new());
    let said: Vec<String> = restoration.left.iter().map(ToString::to_string).collect();
    assert!(
        said.len() == 1
            && said[0].contains("adb -s emulator-5554 emu power ac on")
            && said[0].contains("adb -s emulator-5554 emu power status charging"),
        "{said:?}"
    );
    assert_eq!(device.serial(), "emulator-5554");
}

/// A phone on a cable with a switch of charging that only root may read.
fn switched(value: &str, follows: bool) -> Phone {
    let mut phone = Phone::default();
    let status = if follows { "3" } else { "2" };
    let battery =
        format!("AC powered: false\n  USB powered: true\n  status: {status}\n  level: 80\n");
    phone.fixed.insert("dumpsys battery".to_owned(), (0, battery));
    phone.containing.push((
        "cat /sys/class/power_supply/battery/batt_slate_mode".into(),
        (0, format!("{value}\n")),
    ));
    phone
        .containing
        .push((" > /sys/class/power_supply/battery/batt_slate_mode".into(), (0, String::new())));
    phone
}

#[test]
fn a_phone_on_a_cable_stops_charging_or_the_run_ends() {
    let wanted = Preparation { halt_charging: true, ..Preparation::nothing() };
    let device = ScriptedDevice::new(switched("0", true));
    let (mut journal, done) = prepared(&device, None, &wanted);
    done.expect("prepared");
    let steps = journal.steps();
    let step = step(&steps, "charging stopped");
    assert_eq!(step.during.as_deref(), Some("discharging"));
    assert_eq!(
        step.before.as_deref(),
        Some("plugged in (usb), /sys/class/power_supply/battery/batt_slate_mode 0")
    );
    let restoration = journal.restore();
    assert!(restoration.left.is_empty(), "{restoration:?}");
    let commands = device.calls();
    let has = |part: &str| commands.iter().any(|command| command.contains(part));
    assert!(has("echo 1 > /sys/class/power_supply/battery/batt_slate_mode"), "{commands:?}");
    assert!(has("echo 0 > /sys/class/power_supply/battery/batt_slate_mode"), "{commands:?}");

    // Without a switch there is no measuring on the battery.
    let (_journal, done) = prepared(&ScriptedDevice::new(Phone::default()), None, &wanted);
    let error = done.expect_err("a phone that charges").to_string();
    assert!(error.contains("plugged in (usb)") && error.contains("adb over Wi-Fi"), "{error}");

    // One that is on no cable needs none.
    let unplugged = Phone { truly_plugged: BTreeSet::new(), ..Phone::default() };
    prepared(&ScriptedDevice::new(unplugged), None, &wanted).1.expect("prepared");
}
