//! The simulated phone, asked what it is, prepared and put back, through Debian's own adb server.

use std::time::Duration;

use crate::bench::{Bench, Test};
use wattle_device::Device;
use wattle_device::clock::read_clocks;
use wattle_device::facts::{device_facts, power_profile};
use wattle_device::prepare::{Condition, Conditions, Journal, Limits, Preparation};
use wattle_phone::{BatteryOptions, Namespace, PhoneOptions};

pub const TESTS: &[Test] = &[
    ("a_phone_says_what_it_is", a_phone_says_what_it_is),
    ("clocks_agree_with_the_phones_own", clocks_agree_with_the_phones_own),
    ("a_phone_is_prepared_and_put_back", a_phone_is_prepared_and_put_back),
    ("a_phone_that_restarts_is_put_back", a_phone_that_restarts_is_put_back),
];

fn on_a_cable(api: u32) -> PhoneOptions {
    let mut battery = BatteryOptions::default();
    battery.usb_powered = true;
    let mut options = PhoneOptions::default();
    options.api = api;
    options.battery = battery;
    options
}

fn a_phone_says_what_it_is() {
    for api in [24, 29, 34] {
        let bench = Bench::new(on_a_cable(api));
        let device = bench.device();
        let facts = device_facts(&device).expect("facts");
        assert_eq!(facts.serial, bench.phone.serial());
        assert_eq!(facts.sdk, Some(api), "{facts:?}");
        assert_eq!(facts.product.model, bench.phone.property("ro.product.model"));
        let policies: usize = facts.policies.iter().map(|policy| policy.cpus.len()).sum();
        assert!(policies > 0 && policies == facts.cpus.len(), "{facts:?}");
        assert!(
            facts.policies.iter().all(|policy| !policy.frequencies_khz.is_empty()),
            "{facts:?}"
        );
        let battery = facts.battery.expect("a battery");
        assert_eq!(
            (battery.level, battery.plugged.as_slice()),
            (Some(84.0), &["usb".to_owned()][..])
        );
        let screen = facts.screen.expect("a screen");
        assert_eq!(screen.on, Some(bench.phone.is_awake()));
        assert!(screen.width.is_some() && screen.refresh_hz.is_some(), "{screen:?}");
        let missing: Vec<&str> = facts.missing.keys().map(String::as_str).collect();
        assert_eq!(missing, ["root"], "{:?}", facts.missing);
        assert!(facts.rails.len() > 3, "{:?}", facts.rails);

        let profile = power_profile(&device).expect("a profile");
        let read = wattle_power::PowerProfile::parse("phone", &profile.text);
        assert!(read.is_ok(), "{read:?}");
        let found = Conditions::read(&device).expect("conditions").check(&Limits::default());
        let found: Vec<Condition> = found.iter().map(|finding| finding.condition).collect();
        assert_eq!(found, [Condition::Charging]);
    }
}

fn clocks_agree_with_the_phones_own() {
    let bench = Bench::new(PhoneOptions::default());
    let before = bench.phone.wall_now();
    let readings = read_clocks(&bench.device(), 3).expect("readings");
    let after = bench.phone.wall_now();
    assert_eq!(readings.pairs.len(), 3);
    for pair in &readings.pairs {
        assert!(
            before <= pair.device_real_ns && pair.device_real_ns <= after,
            "{pair:?} is not from {before} to {after}"
        );
        assert!(pair.host_before_ns < pair.host_after_ns);
    }
}

/// Everything that can be read of a phone and that a preparation changes.
fn state(bench: &Bench) -> String {
    let phone = &bench.phone;
    let settings: Vec<_> =
        [Namespace::System, Namespace::Secure, Namespace::Global].map(|n| phone.settings(n)).into();
    let buffers: Vec<u64> = ["main", "system", "crash"].map(|name| phone.log_buffer(name)).into();
    format!("{settings:?} {buffers:?} {:?} {}", phone.battery().faked, phone.is_awake())
}

fn everything() -> Preparation {
    Preparation {
        full_wake_history: true,
        still_animations: true,
        brightness: Some(77),
        ..Preparation::default()
    }
}

fn a_phone_is_prepared_and_put_back() {
    for api in [24, 29, 34] {
        let bench = Bench::new(on_a_cable(api));
        let device = bench.device();
        let before = state(&bench);
        let mut journal =
            Journal::begin(&device, "hardware", None, bench.home.path()).expect("a journal");
        journal.prepare(&device, &everything()).expect("prepared");
        let errors: Vec<_> =
            journal.steps().into_iter().filter(|step| step.error.is_some()).collect();
        assert!(errors.is_empty(), "API {api}: {errors:?}");
        assert!(bench.phone.battery().faked.stopped && bench.phone.is_awake());
        assert_eq!(bench.phone.log_buffer("main"), 16 << 20);
        let brightness = bench.phone.setting(Namespace::System, "screen_brightness");
        assert_eq!(brightness.as_deref(), Some("77"));
        assert_ne!(state(&bench), before);
        let restoration = journal.restore();
        assert!(restoration.left.is_empty(), "API {api}: {restoration:?}");
        assert_eq!(state(&bench), before, "API {api}");
    }
}

fn a_phone_that_restarts_is_put_back() {
    let mut options = on_a_cable(34);
    options.reboot_takes = Duration::from_millis(500);
    let bench = Bench::new(options);
    let device = bench.device();
    let before = state(&bench);
    let mut journal =
        Journal::begin(&device, "hardware", None, bench.home.path()).expect("a journal");
    journal.prepare(&device, &everything()).expect("prepared");
    bench.phone.reboot();
    bench.connect();
    let restoration = journal.restore();
    assert!(restoration.left.is_empty(), "{restoration:?}");
    assert_eq!(state(&bench), before);
    assert_eq!(device.serial(), bench.phone.serial());
}
