//! States of a device in which a measurement says little.

use std::collections::BTreeSet;
use std::time::Duration;

use crate::support::{Phone, ScriptedDevice};
use wattle_device::DeviceError;
use wattle_device::keeper::{DeviceKeeper, KeeperOptions};
use wattle_device::prepare::{Condition, Conditions, CoolDown, Level, Limits, Preparation};
use wattle_device::session::Environment as _;

const USB: &str = "R58N12ABCDE";

#[track_caller]
fn check(
    serial: &str,
    change: impl FnOnce(&mut Phone),
    limits: &Limits,
    expected: &[(Condition, Level, &str)],
) {
    let mut phone = Phone { awake: true, truly_plugged: BTreeSet::new(), ..Phone::default() };
    change(&mut phone);
    let conditions = Conditions::read(&ScriptedDevice::named(serial, phone)).expect("conditions");
    let found = conditions.check(limits);
    let states: Vec<_> = found.iter().map(|finding| (finding.condition, finding.level)).collect();
    let wanted: Vec<_> =
        expected.iter().map(|(condition, level, _)| (*condition, *level)).collect();
    assert_eq!(states, wanted, "{found:?}");
    for (finding, (_, _, part)) in found.iter().zip(expected) {
        assert!(finding.text.contains(part), "{part} is not in: {finding}");
    }
}

/// The battery service says this.
fn battery(lines: &str) -> impl FnOnce(&mut Phone) {
    let text = format!("Current Battery Service state:\n  AC powered: false\n{lines}");
    move |phone| {
        phone.fixed.insert("dumpsys battery".into(), (0, text));
    }
}

fn thermal(status: &str) -> impl FnOnce(&mut Phone) {
    let text = format!("IsStatusOverride: false\nThermal Status: {status}\n");
    move |phone| {
        phone.fixed.insert("dumpsys thermalservice".into(), (0, text));
    }
}

#[test]
fn what_spoils_a_measurement_is_said() {
    use Condition::{
        Charging, Emulator, FakedBattery, Hot, LowCharge, PowerSave, ScreenOff, Unknown,
    };
    let limits = Limits::default();
    check(USB, |_| {}, &limits, &[]);

    // A cable charges; over Wi-Fi it need not be there.
    let plugged = |phone: &mut Phone| phone.truly_plugged = ["usb"].into();
    check(USB, plugged, &limits, &[(Charging, Level::Warn, "adb tcpip 5555")]);
    check(USB, plugged, &limits, &[(Charging, Level::Warn, "stops no current")]);
    check("192.168.0.7:5555", plugged, &limits, &[(Charging, Level::Warn, "unplug the charger")]);
    let faked = |phone: &mut Phone| phone.faked = Some(BTreeSet::new());
    check(USB, faked, &limits, &[(FakedBattery, Level::Warn, "dumpsys battery reset")]);

    check(USB, battery("  level: 80\n  temperature: 399\n"), &limits, &[]);
    check(
        USB,
        battery("  level: 80\n  temperature: 400\n"),
        &limits,
        &[(Hot, Level::Refuse, "40.0 °C")],
    );
    check(USB, thermal("1"), &limits, &[]);
    check(USB, thermal("2"), &limits, &[(Hot, Level::Refuse, "moderate")]);
    check(USB, thermal("4"), &limits, &[(Hot, Level::Refuse, "critical")]);

    check(USB, battery("  level: 20\n"), &limits, &[]);
    check(USB, battery("  level: 19\n"), &limits, &[(LowCharge, Level::Refuse, "19 %")]);
    check(
        USB,
        |phone| phone.set("global", "low_power", "1"),
        &limits,
        &[(PowerSave, Level::Refuse, "low_power 0")],
    );

    let emulator = |phone: &mut Phone| {
        plugged(phone);
        phone
            .fixed
            .insert("getprop ro.kernel.qemu; getprop ro.boot.qemu".into(), (0, "\n1\n".into()));
    };
    check("emulator-5554", emulator, &limits, &[(Emulator, Level::Warn, "no currents")]);

    let silent = |phone: &mut Phone| {
        phone.containing.push(("dumpsys".into(), (1, "Permission denied".into())));
        phone.containing.push(("settings".into(), (1, "Permission denied".into())));
    };
    check(USB, silent, &limits, &[(Unknown, Level::Warn, "of its battery and of power-save mode")]);

    // What is made of each can be set.
    let mut strict = Limits { hot_celsius: 30.0, least_charge: 90.0, ..Limits::default() };
    strict.levels.insert(Charging, Level::Refuse);
    strict.levels.insert(ScreenOff, Level::Warn);
    strict.levels.insert(LowCharge, Level::Ignore);
    let all = |phone: &mut Phone| {
        plugged(phone);
        phone.awake = false;
    };
    check(USB, all, &strict, &[(Charging, Level::Refuse, "usb"), (ScreenOff, Level::Warn, "dark")]);
    check(
        USB,
        battery("  level: 10\n  temperature: 301\n"),
        &strict,
        &[(Hot, Level::Refuse, "30.1")],
    );
}

#[test]
fn every_condition_has_a_name_and_a_level() {
    let names: BTreeSet<&str> = Condition::ALL.iter().map(|condition| condition.name()).collect();
    assert_eq!(names.len(), Condition::ALL.len());
    assert_eq!(Limits::default().levels.len(), Condition::ALL.len());
}

/// A run of a keeper that lets the battery have at most so many degrees; the scripted one has 27.1 °C.
fn before_a_run(to_celsius: f64) -> (Result<(), DeviceError>, DeviceKeeper<'static>) {
    let folder = tempfile::tempdir().expect("a folder");
    let mut options = KeeperOptions::new(folder.path().to_owned());
    options.preparation = Preparation::nothing();
    options.cool_down = CoolDown { to_celsius: Some(to_celsius), patience: Duration::ZERO };
    let mut keeper = DeviceKeeper::new(options);
    let device = ScriptedDevice::new(Phone::default());
    let begun = keeper.before_iteration(&device, None);
    (begun, keeper)
}

#[test]
fn a_run_waits_for_a_cool_device_and_keeps_its_conditions() {
    let (begun, keeper) = before_a_run(28.0);
    begun.expect("it is cool");
    let conditions = keeper.conditions().expect("they were read");
    let battery = conditions.battery.expect("a battery");
    assert_eq!((battery.temperature, battery.level), (Some(27.1), Some(80.0)));
    assert_eq!((conditions.brightness, conditions.brightness_automatic), (Some(102), Some(true)));
    assert_eq!((conditions.wifi, conditions.airplane_mode), (Some(true), Some(false)));
    assert_eq!((conditions.screen_on, conditions.power_save), (Some(false), Some(false)));

    let (begun, mut keeper) = before_a_run(26.0);
    let error = begun.expect_err("it stays warm").to_string();
    assert!(error.contains("of cooling the battery has 27.1 °C (26.0 °C is wanted"), "{error}");
    assert!(keeper.conditions().is_none());
    assert!(keeper.take_notes().is_empty());
}

#[test]
fn what_changed_between_two_runs_is_a_note() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut options = KeeperOptions::new(folder.path().to_owned());
    options.preparation = Preparation::nothing();
    let mut keeper = DeviceKeeper::new(options);
    let device = ScriptedDevice::new(Phone::default());
    keeper.before_iteration(&device, None).expect("the first run");
    let _plugged_in = keeper.take_notes();
    keeper.before_iteration(&device, None).expect("the second run");
    assert!(keeper.take_notes().is_empty(), "nothing is said twice");
    device.change(|phone| phone.set("global", "wifi_on", "0"));
    keeper.before_iteration(&device, None).expect("the third run");
    assert_eq!(keeper.take_notes(), ["changed since the first run: Wi-Fi: on, now off"]);
    device.change(|phone| phone.set("global", "low_power", "1"));
    let error = keeper.before_iteration(&device, None).expect_err("it is unfit").to_string();
    assert!(error.contains("power-save mode is on"), "{error}");
}
