//! Clock readings, made by real shells with this machine's own clocks: host and device are one, so their clocks agree.

use crate::support::{LocalShell, Phone, ScriptedDevice};
use wattle_device::clock::read_clocks;
use wattle_recording::ClockPair;
use wattle_testdata::requires;

/// Uptime of this machine, read by other means.
fn uptime_ns() -> i64 {
    let text = std::fs::read_to_string("/proc/uptime").expect("a Linux machine");
    let seconds: f64 = text.split(' ').next().expect("a word").parse().expect("a number");
    (seconds * 1e9).round() as i64
}

#[track_caller]
fn check(shell: &'static str, prelude: &'static str, notes: &[&str]) {
    let device = LocalShell { shell, prelude };
    let before = uptime_ns();
    let readings = read_clocks(&device, 3).expect("readings");
    let after = uptime_ns();
    assert_eq!(readings.pairs.len(), 3);
    assert_eq!(readings.notes.len(), notes.len(), "{:?}", readings.notes);
    for (note, part) in readings.notes.iter().zip(notes) {
        assert!(note.contains(part), "{note}");
    }
    for pair in &readings.pairs {
        // One clock: what the device says of its wall clock is between the host's readings. A clock of whole seconds
        // was read when a second began, which is also between them.
        assert!(pair.host_before_ns <= pair.device_real_ns, "{shell}: {pair:?}");
        assert!(pair.device_real_ns <= pair.host_after_ns, "{shell}: {pair:?}");
        assert!(before <= pair.device_boot_ns && pair.device_boot_ns <= after, "{shell}: {pair:?}");
        assert!(pair.boot_step_ns >= 10_000_000, "{shell}: {pair:?}");
        assert_eq!(pair.zone_minutes, 330);
        // Boot time and wall time run alike: their difference is the same for every reading, within the steps.
        let offset = |pair: &ClockPair| pair.device_real_ns - pair.device_boot_ns;
        let first = readings.pairs.first().expect("a reading");
        let off = (offset(pair) - offset(first)).abs();
        assert!(off <= pair.boot_step_ns + first.boot_step_ns, "{shell}: off by {off} ns");
    }
}

#[test]
fn a_shell_without_the_time_in_a_variable() {
    check("sh", "", &[]);
}

/// Android's shell.
#[requires(program = "mksh")]
#[test]
fn mksh_with_the_time_in_a_variable() {
    check("mksh", "", &[]);
}

#[requires(program = "bash")]
#[test]
fn bash_with_the_time_in_a_variable() {
    check("bash", "", &[]);
}

#[test]
fn a_comma_stands_before_the_fraction() {
    check("sh", "EPOCHREALTIME=$(command date +%s,%N)", &[]);
}

#[test]
fn a_date_without_nanoseconds() {
    // Old toybox gives `%N` back, older ones the letter.
    for date in [
        "date() { case $1 in *%N) echo \"$(command date +%s).%N\";; *) command date \"$@\";; esac; }",
        "date() { case $1 in *%N) echo \"$(command date +%s).N\";; *) command date \"$@\";; esac; }",
    ] {
        check("sh", date, &["whole seconds"]);
    }
}

#[test]
fn a_device_without_clock_or_zone() {
    let says = |text: &str| {
        let mut phone = Phone::default();
        phone.containing.push(("uptime".into(), (0, text.to_owned())));
        read_clocks(&ScriptedDevice::new(phone), 2)
    };
    let error = says("sh: can't open /proc/uptime: Permission denied").expect_err("no clock");
    assert!(error.to_string().contains("Permission denied"), "{error}");
    let readings = says("5.01 1700000000.5 5.02 %z").expect("readings");
    assert_eq!(readings.pairs.len(), 2);
    assert_eq!(readings.pairs.first().map(|pair| pair.boot_step_ns), Some(20_000_000));
    assert!(readings.notes.iter().any(|note| note.contains("time zone")), "{:?}", readings.notes);
    // A clock of whole seconds that stays one whatever is tried.
    assert!(says("5.01 1700000000 5.02 +0000").is_err());
}
