//! Rules about what the system's statistics say: wakelocks, jobs, alarms, radios.

use wattle_diagnose::FindingSeverity::{Error, Note, Warning};
use wattle_power::{Component, Scope};
use wattle_timeline::{DeviceWake, Quantity, StateKind, Uid, WakeCause};

use super::scene::{APP, Expected, Scene, at, check};

const HOUR: f64 = 3_600_000.0;

/// Makes a scene in which a wakelock was held for that many seconds in so many hours.
fn held(hours: f64, seconds: f64, tag: &str) -> Scene {
    Scene::new(hours * HOUR)
        .usage(Quantity::OnBattery, None, "", hours * 3600.0)
        .usage(Quantity::Wakelock, Some(APP), tag, seconds)
        .usage(Quantity::WakelockCount, Some(APP), tag, 3.0)
        .draws(Component::Cpu, Scope::App(APP), 0.01, "wakelock")
}

#[test]
fn wakelock_held_long() {
    let expected = Expected {
        severity: Error,
        who: Some("com.example.app"),
        says: "2 h 5 min in 24 h 0 min",
        when: Some((0.0, 24.0 * HOUR)),
        place: Some("com.example.app.Upload"),
        joules: Some(864.0),
    };
    let tag = "*job*/com.example.app/.Upload";
    let day = held(24.0, 7500.0, tag);
    // Play's own words: two hours; below it, audio, and jobs that the user began are no defect.
    check("wakelock-held-long", &day, &held(24.0, 7100.0, tag), ("most-hours", 2.1), expected);
    check(
        "wakelock-held-long",
        &day,
        &held(24.0, 7500.0, "AudioMix"),
        ("most-hours", 2.1),
        expected,
    );
    let by_user = held(24.0, 7500.0, "*job*u/@a@/com.example.app/.Upload");
    check("wakelock-held-long", &day, &by_user, ("most-hours", 2.1), expected);
    // Two days: the mean of a day. Half an hour too little in each.
    let two = held(48.0, 15_000.0, tag);
    let expected = Expected {
        says: "4 h 10 min in 48 h",
        when: Some((0.0, 48.0 * HOUR)),
        joules: Some(1728.0),
        ..expected
    };
    check("wakelock-held-long", &two, &held(48.0, 10_000.0, tag), ("most-hours", 2.1), expected);
    // Six hours: a forecast, which is a warning.
    let part = held(6.0, 2400.0, "MyApp:Upload");
    let expected = Expected {
        severity: Warning,
        says: "2.7 h in 24 h at this rate",
        when: Some((0.0, 6.0 * HOUR)),
        place: None,
        joules: Some(216.0),
        ..expected
    };
    check("wakelock-held-long", &part, &held(6.0, 1700.0, tag), ("most-hours", 3.0), expected);
    // Half an hour is too short to say anything of a day.
    check("wakelock-held-long", &part, &held(0.5, 1700.0, tag), ("least-recording", 7.0), expected);
    // Without totals the history tells: two locks at once are one time.
    let history = |to: f64| {
        Scene::new(24.0 * HOUR)
            .state(StateKind::Wakelock, Some(APP), "one", &[(0.0, 1), (to, 0)])
            .state(StateKind::Wakelock, Some(APP), "two", &[(0.0, 1), (to / 2.0, 0)])
    };
    let expected = Expected {
        severity: Error,
        says: "for 2 h 30 min",
        when: Some((0.0, 24.0 * HOUR)),
        joules: None,
        ..expected
    };
    check(
        "wakelock-held-long",
        &history(2.5 * HOUR),
        &history(1.9 * HOUR),
        ("most-hours", 2.6),
        expected,
    );
    // The rule is of apps.
    let system = Scene::new(24.0 * HOUR).usage(Quantity::Wakelock, Some(Uid(1000)), "a", 9000.0);
    assert_eq!(system.findings("wakelock-held-long", &[])[0].severity, Note);
}

#[test]
fn wakelock_never_released() {
    let lock = |to: &[(f64, u32)], screen: u32| {
        Scene::new(600_000.0)
            .state(StateKind::Screen, None, "", &[(0.0, screen)])
            .state(StateKind::Wakelock, Some(APP), "com.example.app.sync.Worker", to)
            .draws(Component::Cpu, Scope::Device, 0.02, "cpu")
    };
    let kept = lock(&[(100_000.0, 1)], 0);
    let expected = Expected {
        severity: Error,
        who: Some("com.example.app"),
        says: "did not release the wakelock \"com.example.app.sync.Worker\"",
        when: Some((100_000.0, 600_000.0)),
        place: Some("com.example.app.sync.Worker"),
        joules: Some(10.0),
    };
    let released = lock(&[(100_000.0, 1), (599_000.0, 0)], 0);
    check("wakelock-never-released", &kept, &released, ("least-time", 501.0), expected);
    // With the screen on the device is awake anyway.
    check(
        "wakelock-never-released",
        &kept,
        &lock(&[(100_000.0, 1)], 1),
        ("least-time", 501.0),
        expected,
    );
    // By calls.
    let acquire = "android.os.PowerManager$WakeLock.acquire";
    let taken = [(1000.0, 1100.0, "com.example.app.Download.run", 0), (1010.0, 1020.0, acquire, 1)];
    let calls =
        Scene::new(600_000.0).slices(1, &taken).draws(Component::Cpu, Scope::Device, 0.02, "cpu");
    let both =
        [taken[0], taken[1], (90_000.0, 90_001.0, "android.os.PowerManager$WakeLock.release", 0)];
    let expected = Expected {
        says: "took a wakelock",
        when: Some((1010.0, 600_000.0)),
        place: Some(acquire),
        joules: Some(598.99 * 0.02),
        ..expected
    };
    let released = Scene::new(600_000.0).slices(1, &both);
    check("wakelock-never-released", &calls, &released, ("least-time", 600.0), expected);
}

#[test]
fn job_wakes() {
    let jobs = |count: u32, each: f64| {
        let every = 2.0 * HOUR / f64::from(count);
        let changes = (0..count).flat_map(|i| {
            let begin = f64::from(i) * every;
            [(begin, 1), (begin + each, 0)]
        });
        let changes: Vec<_> = changes.collect();
        Scene::new(2.0 * HOUR).state(StateKind::Job, Some(APP), "com.example.app/.Poll", &changes)
    };
    let often = jobs(40, 1000.0).draws(Component::Cpu, Scope::App(APP), 0.001, "cpu");
    let expected = Expected {
        severity: Warning,
        who: Some("com.example.app"),
        says: "20.0 times an hour",
        when: Some((0.0, 7_021_000.0)),
        place: Some("com.example.app.Poll"),
        // What ran for forty seconds cannot have spent more than was drawn then.
        joules: Some(0.04),
    };
    check("job-wakes", &often, &jobs(8, 1000.0), ("most-per-hour", 21.0), expected);
    let long = jobs(4, 400_000.0);
    let expected = Expected {
        says: "for 26 min 40 s",
        when: Some((0.0, 5_800_000.0)),
        joules: None,
        ..expected
    };
    check("job-wakes", &long, &jobs(4, 4000.0), ("most-time", 0.3), expected);
    let counted = |seconds| {
        Scene::new(2.0 * HOUR).usage(Quantity::Job, Some(APP), "com.example.app/.Poll", seconds)
    };
    let expected = Expected { says: "for 10 min 0 s", when: Some((0.0, 2.0 * HOUR)), ..expected };
    check("job-wakes", &counted(600.0), &counted(60.0), ("most-time", 0.3), expected);
}

#[test]
fn alarm_wakes() {
    let alarms = |count| {
        Scene::new(10.0 * HOUR)
            .usage(Quantity::OnBattery, None, "", 36_000.0)
            .usage(Quantity::AlarmWakeups, Some(APP), "*walarm*:com.example.app.Tick", count)
            .draws(Component::Cpu, Scope::App(APP), 0.001, "wakelock")
    };
    let expected = Expected {
        severity: Warning,
        who: Some("com.example.app"),
        says: "by alarm 12.0 times an hour",
        when: Some((0.0, 10.0 * HOUR)),
        place: Some("com.example.app.Tick"),
        joules: Some(36.0),
    };
    // Android vitals: more than ten.
    check("alarm-wakes", &alarms(120.0), &alarms(100.0), ("most-per-hour", 12.0), expected);
}

#[test]
fn chatty_network() {
    let every = |count: u32, period: f64| (0..count).map(move |i| f64::from(i) * period);
    let cell = |interface: &str, count, period, bytes| {
        Scene::new(600_000.0).packets(interface, every(count, period), bytes).draws(
            Component::Cellular,
            Scope::Tail(APP),
            0.8,
            "tail",
        )
    };
    let chatty = cell("rmnet_data0", 100, 5000.0, 500);
    let expected = Expected {
        severity: Warning,
        who: Some("com.example.app"),
        says: "50.0 kB in 100 transfers",
        when: Some((0.0, 495_000.0)),
        place: None,
        joules: Some(480.0),
    };
    // Seldom enough for the radio to sleep; a download; Wi-Fi, which sleeps after a quarter of a second.
    check(
        "chatty-network",
        &chatty,
        &cell("rmnet_data0", 20, 25_000.0, 500),
        ("cell-tail", 4.0),
        expected,
    );
    check(
        "chatty-network",
        &chatty,
        &cell("rmnet_data0", 100, 5000.0, 500_000),
        ("most-rate", 10.0),
        expected,
    );
    check(
        "chatty-network",
        &chatty,
        &cell("wlan0", 100, 5000.0, 500),
        ("least-transfers", 101.0),
        expected,
    );
    // The system's totals.
    let totals = |bytes| {
        Scene::new(HOUR)
            .usage(Quantity::CellActive, Some(APP), "", 900.0)
            .usage(Quantity::CellActiveCount, Some(APP), "", 70.0)
            .usage(Quantity::CellReceivedBytes, Some(APP), "", bytes)
            .draws(Component::Cellular, Scope::App(APP), 0.1, "cell")
    };
    let expected = Expected {
        says: "for 15 min 0 s to move 90.0 kB",
        when: Some((0.0, HOUR)),
        joules: Some(360.0),
        ..expected
    };
    check("chatty-network", &totals(90e3), &totals(90e6), ("least-active", 901.0), expected);
    // Whose packets brought the radio up.
    let woken = |count: u32| {
        let mut scene = Scene::new(HOUR);
        scene.timeline.suspend.wakes = (0..count)
            .map(|i| DeviceWake {
                time: at(f64::from(i) * 1000.0),
                cause: WakeCause::App,
                uid: Some(APP),
                text: None,
            })
            .collect();
        scene
    };
    let expected = Expected {
        says: "radio up 30.0 times an hour",
        when: Some((0.0, 29_000.0)),
        place: None,
        joules: None,
        ..expected
    };
    check("chatty-network", &woken(30), &woken(9), ("most-wakes-per-hour", 31.0), expected);
    // Of the device only how often the radio was up is known.
    let radio = |up: f64| {
        let changes =
            (0..40).flat_map(|i| [(f64::from(i) * 90_000.0, 1), (f64::from(i) * 90_000.0 + up, 0)]);
        Scene::new(HOUR).state(StateKind::Screen, None, "", &[(0.0, 0)]).state(
            StateKind::CellRadio,
            None,
            "",
            &changes.collect::<Vec<_>>(),
        )
    };
    let expected = Expected {
        who: None,
        says: "33 % of the time",
        when: Some((0.0, 3_540_000.0)),
        joules: None,
        ..expected
    };
    check(
        "chatty-network",
        &radio(30_000.0),
        &radio(15_000.0),
        ("most-radio-share", 0.4),
        expected,
    );
}
