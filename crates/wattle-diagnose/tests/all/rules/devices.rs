//! Rules about devices that are left on: by states, by totals, by calls.

use wattle_diagnose::FindingSeverity::{Error, Note, Warning};
use wattle_power::{Component, Scope};
use wattle_timeline::{Quantity, StateKind, Uid};

use super::scene::{APP, Expected, Scene, check};

/// An hour.
const HOUR: f64 = 3_600_000.0;

/// A device, how it is known, and how grave it is when it is switched off in the end.
const DEVICES: [(&str, StateKind, Quantity, Component, &str, wattle_diagnose::FindingSeverity); 7] = [
    ("gnss-left-on", StateKind::Gnss, Quantity::Gnss, Component::Gnss, "satellite", Warning),
    ("camera-left-on", StateKind::Camera, Quantity::Camera, Component::Camera, "camera", Warning),
    ("sensor-left-on", StateKind::Sensor, Quantity::Sensor(4), Component::Sensors, "sensors", Note),
    ("audio-left-on", StateKind::Audio, Quantity::Audio, Component::Audio, "audio", Note),
    (
        "bluetooth-scan-left-on",
        StateKind::BluetoothScan,
        Quantity::BluetoothScan,
        Component::Bluetooth,
        "scan",
        Warning,
    ),
    (
        "wifi-scan-left-on",
        StateKind::WifiScan,
        Quantity::WifiScan,
        Component::Wifi,
        "scan",
        Warning,
    ),
    (
        "wifi-lock-held",
        StateKind::WifiLock,
        Quantity::WifiMulticast,
        Component::Wifi,
        "lock",
        Warning,
    ),
];

/// An hour with the screen on for the first ten minutes.
fn hour() -> Scene {
    Scene::new(HOUR).state(StateKind::Screen, None, "", &[(0.0, 1), (HOUR / 6.0, 0)])
}

#[test]
fn on_with_the_screen_off() {
    for (rule, kind, _, component, noun, severity) in DEVICES {
        let on = |from: f64, to: f64| hour().state(kind, None, "", &[(from, 1), (to, 0)]);
        let wasted = on(0.0, HOUR / 2.0).draws(component, Scope::Device, 0.25, noun);
        let expected = Expected {
            severity,
            who: None,
            says: noun,
            when: Some((HOUR / 6.0, HOUR / 2.0)),
            place: None,
            joules: Some(1200.0 * 0.25),
        };
        check(rule, &wasted, &on(0.0, HOUR / 6.0), ("least-time", 1201.0), expected);
    }
}

#[test]
fn never_switched_off() {
    for (rule, kind, _, component, noun, _) in DEVICES {
        // Half a minute: too short to count as long, long enough to have been forgotten.
        let from = HOUR - 30_000.0;
        let left = hour().state(kind, Some(APP), "", &[(from, 1)]).draws(
            component,
            Scope::App(APP),
            0.25,
            noun,
        );
        let expected = Expected {
            severity: Error,
            who: Some("com.example.app"),
            says: "until the recording ended",
            when: Some((from, HOUR)),
            place: None,
            // What the app paid for it in all: the track is not cut by the state.
            joules: Some(3600.0 * 0.25),
        };
        // In front all along: somebody looks.
        let seen = hour().state(kind, Some(APP), "", &[(from, 1)]).state(
            StateKind::TopApp,
            Some(APP),
            "com.example.app",
            &[(0.0, 1)],
        );
        if rule == "camera-left-on" {
            // It counts as long from ten seconds on, but from 1 % of the time on: half a minute is exactly that.
            let found = left.findings(rule, &[("never-stopped", 31.0), ("least-share", 0.02)]);
            assert_eq!(found, []);
            assert_eq!(left.findings(rule, &[])[0].severity, Error);
            continue;
        }
        check(rule, &left, &seen, ("never-stopped", 31.0), expected);
    }
}

#[test]
fn longer_on_than_in_front() {
    for (rule, _, quantity, component, noun, severity) in DEVICES {
        let used = |front: f64| {
            hour().usage(quantity, Some(APP), "", 1800.0).usage(
                Quantity::Foreground,
                Some(APP),
                "",
                front,
            )
        };
        let left = used(600.0).draws(component, Scope::App(APP), 0.1, noun);
        let expected = Expected {
            severity,
            who: Some("com.example.app"),
            says: "at least 20 min 0 s",
            when: Some((0.0, HOUR)),
            place: None,
            // Two thirds of it.
            joules: Some(240.0),
        };
        check(rule, &left, &used(1800.0), ("least-time", 1201.0), expected);
    }
    // The torch has a component of a name of its own.
    let torch = |front: f64| {
        hour()
            .usage(Quantity::Flashlight, Some(APP), "", 1800.0)
            .usage(Quantity::Foreground, Some(APP), "", front)
            .draws(Component::Other("flashlight".into()), Scope::App(APP), 0.1, "flashlight")
    };
    let expected = Expected {
        severity: Warning,
        who: Some("com.example.app"),
        says: "the flashlight",
        when: Some((0.0, HOUR)),
        place: None,
        joules: Some(240.0),
    };
    check("flashlight-left-on", &torch(600.0), &torch(1800.0), ("least-time", 1201.0), expected);
}

#[test]
fn calls_without_their_ends() {
    let calls = [
        (
            "gnss-left-on",
            "android.location.LocationManager.requestLocationUpdates",
            "android.location.LocationManager.removeUpdates",
            Component::Gnss,
        ),
        (
            "camera-left-on",
            "android.hardware.Camera.open",
            "android.hardware.Camera.release",
            Component::Camera,
        ),
        (
            "sensor-left-on",
            "android.hardware.SensorManager.registerListener",
            "android.hardware.SensorManager.unregisterListener",
            Component::Sensors,
        ),
        (
            "audio-left-on",
            "android.media.MediaPlayer.start",
            "android.media.MediaPlayer.stop",
            Component::Audio,
        ),
        (
            "bluetooth-scan-left-on",
            "android.bluetooth.le.BluetoothLeScanner.startScan",
            "android.bluetooth.le.BluetoothLeScanner.stopScan",
            Component::Bluetooth,
        ),
    ];
    for (rule, start, stop, component) in calls {
        let opened =
            [(5000.0, 5100.0, "com.example.app.Map.onStart", 0), (5010.0, 5090.0, start, 1)];
        let left =
            Scene::new(60_000.0).slices(1, &opened).draws(component, Scope::Device, 0.2, "device");
        let closed = [opened[0], opened[1], (9000.0, 9001.0, stop, 0)];
        let expected = Expected {
            severity: Error,
            who: Some("com.example.app"),
            says: "did not switch it off",
            when: Some((5010.0, 60_000.0)),
            place: Some(start),
            joules: Some(54.99 * 0.2),
        };
        check(
            rule,
            &left,
            &Scene::new(60_000.0).slices(1, &closed),
            ("never-stopped", 55.0),
            expected,
        );
        let found = left.findings(rule, &[]);
        let stack = &found[0].place.as_ref().unwrap().stack;
        assert_eq!(stack.as_slice(), ["com.example.app.Map.onStart", start]);
        // With its process the system takes it back.
        let mut died = left.clone();
        died.timeline.tasks.processes[0].end = Some(super::scene::at(30_000.0));
        assert_eq!(died.findings(rule, &[]), []);
    }
}

#[test]
fn positions_in_the_background() {
    let used = |front: f64, uid| {
        Scene::new(HOUR)
            .usage(Quantity::Gnss, Some(uid), "", 900.0)
            .usage(Quantity::Foreground, Some(uid), "", front)
            .draws(Component::Gnss, Scope::App(uid), 0.05, "gnss")
    };
    let expected = Expected {
        severity: Error,
        who: Some("com.example.app"),
        says: "at least 10 min 0 s in the background",
        when: Some((0.0, HOUR)),
        place: None,
        // Two thirds of 180 J.
        joules: Some(120.0),
    };
    let background = used(300.0, APP);
    check("background-location", &background, &used(900.0, APP), ("least-time", 601.0), expected);
    // The system's own services ask for others.
    check(
        "background-location",
        &background,
        &used(300.0, Uid(1000)),
        ("least-time", 601.0),
        expected,
    );
    let found = background.findings("background-location", &[("grave-share", 0.5)]);
    assert_eq!(found[0].severity, Warning);
    // Requests that probes saw, beside who was in front.
    let call = "android.location.LocationManager.requestLocationUpdates";
    let asked = |until: f64| {
        Scene::new(HOUR).slices(1, &[(1000.0, 1001.0, call, 0)]).state(
            StateKind::TopApp,
            Some(APP),
            "com.example.app",
            &[(0.0, 1), (until, 0)],
        )
    };
    let expected = Expected {
        when: Some((HOUR / 2.0, HOUR)),
        says: "30 min",
        place: Some(call),
        joules: None,
        ..expected
    };
    check(
        "background-location",
        &asked(HOUR / 2.0),
        &asked(HOUR),
        ("least-time", 1801.0),
        expected,
    );
}
