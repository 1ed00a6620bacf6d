//! Rules about threads, wake-ups, frames and disks.

use wattle_diagnose::FindingSeverity::{Error, Warning};
use wattle_diagnose::{DiagnoseOptions, IdleChoice};
use wattle_timeline::{
    CallSite, EventId, Frame, FrameKind, SampleEvent, SampleUnit, StackSample, ThreadId,
};

use super::scene::{Expected, Scene, at, check, only, window};

/// A thread that runs from `from` to `to` in pieces of 10 ms, and yields (or sleeps) for a tenth of a millisecond in between.
fn pieces(from: f64, to: f64, sleeps: bool) -> Vec<(f64, f64, u32, bool)> {
    let count = ((to - from) / 10.0) as u32;
    (0..count).map(|i| from + f64::from(i) * 10.0).map(|t| (t, t + 9.9, 1, sleeps)).collect()
}

/// Wakes up every so many milliseconds for half a millisecond.
fn ticks(count: u32, period: f64, thread: u32) -> Vec<(f64, f64, u32, bool)> {
    (1..=count).map(|i| f64::from(i) * period).map(|t| (t, t + 0.5, thread, true)).collect()
}

#[test]
fn busy_wait() {
    let expected = Expected {
        severity: Warning,
        who: Some("com.example.app"),
        says: "without sleeping",
        when: Some((2000.0, 3999.9)),
        place: Some("poll"),
        // 200 pieces of 9.9 ms at 2 W.
        joules: Some(200.0 * 9.9e-3 * 2.0),
    };
    let call = [(0.0, 10_000.0, "loop", 0), (2000.0, 4000.0, "poll", 1)];
    let spins = Scene::new(10_000.0).runs(pieces(2000.0, 4000.0, false)).slices(1, &call).core(2.0);
    // As much time on the CPU, but half a millisecond of sleep between its pieces.
    let works = (0..200_u32).map(|i| 2000.0 + f64::from(i) * 10.4).map(|t| (t, t + 9.9, 1, true));
    let works = Scene::new(10_000.0).runs(works).core(2.0);
    check("busy-wait", &spins, &works, ("least-time", 2.0), expected);
    // Sleeps of 0.1 ms are no sleeps.
    let naps = Scene::new(10_000.0).runs(pieces(2000.0, 4000.0, true)).slices(1, &call).core(2.0);
    check("busy-wait", &naps, &works, ("longest-sleep", 0.05), expected);
    // Half of the time and more is an error.
    let endless = Scene::new(3000.0).runs(pieces(500.0, 2500.0, false)).core(2.0);
    let expected =
        Expected { severity: Error, when: Some((500.0, 2499.9)), place: None, ..expected };
    check("busy-wait", &endless, &works, ("least-use", 1.1), expected);
    // Nobody said that it should have been idle.
    let mut options = only("busy-wait", &[]);
    options.idle = IdleChoice::Find;
    let found = endless.diagnose(&options);
    assert_eq!(found.findings, []);
    assert!(found.notes.iter().any(|note| note.code == "idle-not-known"), "{:?}", found.notes);
    // It should have been idle before it only.
    options.idle = IdleChoice::Given(vec![window(0.0, 400.0)]);
    options.window = Some(window(0.0, 400.0));
    assert_eq!(endless.diagnose(&options).findings, []);
}

#[test]
fn short_sleep() {
    let expected = Expected {
        severity: Warning,
        who: Some("com.example.app"),
        says: "every 5.0 ms",
        when: Some((10.0, 2000.0)),
        place: Some("libapp.so!nap"),
        // The first run is before the first wake-up; 398 more lie in the loop, the last one begins where it ends. 1 W.
        joules: Some(398.0 * 0.5e-3),
    };
    let mut naps = Scene::new(5000.0).runs(ticks(400, 5.0, 1)).core(1.0);
    let names = &mut naps.timeline.names;
    let samples = &mut naps.timeline.code.samples;
    samples.events = vec![SampleEvent {
        name: names.intern("sched:sched_switch"),
        unit: SampleUnit::Occurrences,
    }];
    samples.frames = vec![
        Frame {
            function: Some(names.intern("main")),
            mapping: Some(names.intern("/data/app/libapp.so")),
            ..Frame::default()
        },
        Frame {
            function: Some(names.intern("nap")),
            mapping: Some(names.intern("/data/app/libapp.so")),
            ..Frame::default()
        },
        Frame {
            function: Some(names.intern("schedule")),
            kind: FrameKind::Kernel,
            ..Frame::default()
        },
    ];
    samples.sites = (0..3).map(|i: u32| CallSite { caller: i.checked_sub(1), frame: i }).collect();
    samples.samples = (0..9)
        .map(|i| StackSample {
            time: at(100.5 + f64::from(i)),
            cpu: None,
            thread: ThreadId(1),
            site: Some(2),
            event: EventId(0),
            weight: 1,
            is_truncated: false,
        })
        .collect();
    let slow = Scene::new(5000.0).runs(ticks(160, 25.0, 1)).core(1.0);
    check("short-sleep", &naps, &slow, ("longest-period", 4.0), expected);
    // As many wake-ups at no period at all.
    let mut time = 0.0;
    let random = (0..400_u32).map(|i| {
        time += 1.0 + f64::from(i * 7919 % 83) / 10.0;
        (time, time + 0.5, 1, true)
    });
    let random = Scene::new(5000.0).runs(random.collect::<Vec<_>>());
    check("short-sleep", &naps, &random, ("least-count", 500.0), expected);
    // Another thread wakes it each time: that one is the cause, and has the finding.
    let both = (1..=400_u32).map(|i| f64::from(i) * 5.0);
    let runs = both.clone().flat_map(|t| [(t, t + 0.5, 2, true), (t + 0.5, t + 1.0, 1, true)]);
    let woken = Scene::new(5000.0)
        .runs(runs)
        .wakes(both.clone().flat_map(|t| [(t - 0.1, 2), (t + 0.2, 1)]));
    let found = woken.findings("short-sleep", &[]);
    let who: Vec<_> = found.iter().map(|it| it.who.as_deref()).collect();
    assert_eq!(who, [Some("com.example.other")]);
}

#[test]
fn wakeup_storm() {
    let both = (1..=400_u32).map(|i| f64::from(i) * 5.0);
    let runs = both.clone().flat_map(|t| [(t, t + 0.5, 2, true), (t + 0.5, t + 1.0, 1, true)]);
    let wakes = both.flat_map(|t| [(t - 0.1, 2), (t + 0.2, 1)]);
    let storm = Scene::new(2010.0).runs(runs).wakes(wakes.clone()).core(1.0);
    let found = storm.findings("wakeup-storm", &[]);
    assert_eq!(found.len(), 2, "{found:#?}");
    let of_app = found.iter().find(|it| it.who.as_deref() == Some("com.example.app")).unwrap();
    assert!(
        of_app.evidence.iter().any(|it| it.text.contains("is woken by com.example.other (102)")),
        "{of_app:#?}"
    );
    let other = found.iter().find(|it| it.who.as_deref() == Some("com.example.other")).unwrap();
    assert!(
        other.evidence.iter().any(|it| it.text.contains("something that was not recorded")),
        "{other:#?}"
    );
    let expected = Expected {
        severity: Warning,
        who: Some("com.example.app"),
        says: "200 times each second",
        when: Some((0.0, 2000.0)),
        place: None,
        joules: Some(400.0 * 0.5e-3),
    };
    let alone =
        |period: f64| Scene::new(2000.0).runs(ticks((1995.0 / period) as u32, period, 1)).core(1.0);
    let beside = alone(20.0);
    let rate = Expected { says: "199", joules: Some(399.0 * 0.5e-3), ..expected };
    check("wakeup-storm", &alone(5.0), &beside, ("process-rate", 300.0), rate);
    // All together: twelve processes at 90 wake-ups each second.
    let mut device = Scene::new(2000.0);
    for i in 0..10 {
        device.thread(&format!("p{i}"), wattle_timeline::Uid(10_100 + i));
    }
    let wakes =
        (0..180).flat_map(|i| (1..=12).map(move |thread| (f64::from(i) * 11.0 + 1.0, thread)));
    let device = device.wakes(wakes);
    let expected =
        Expected { who: None, says: "1080", when: Some((0.0, 2000.0)), joules: None, ..expected };
    check("wakeup-storm", &device, &beside, ("device-rate", 1100.0), expected);
}

#[test]
fn static_frames() {
    let frames = |from: u32, to: u32| -> Vec<(f64, f64, &str, u16)> {
        let at = |i: u32| f64::from(i) * 16.0;
        (from..to).map(|i| (at(i), at(i) + 4.0, "Choreographer#doFrame 77", 0)).collect()
    };
    let runs = (100..400_u32).map(|i| (f64::from(i) * 16.0, f64::from(i) * 16.0 + 4.0, 1, true));
    let drawn = Scene::new(10_000.0).slices(1, &frames(100, 400)).runs(runs).core(1.0);
    let expected = Expected {
        severity: Warning,
        who: Some("com.example.app"),
        says: "62.5 frames each second",
        when: Some((1600.0, 399.0 * 16.0)),
        place: None,
        // The last frame begins where the chain ends.
        joules: Some(299.0 * 4e-3),
    };
    // A finger all along.
    let touches: Vec<_> = (0..100)
        .map(|i| {
            (f64::from(i) * 100.0, f64::from(i) * 100.0 + 1.0, "deliverInputEvent src=0x1002", 0)
        })
        .collect();
    let touched = Scene::new(10_000.0).slices(1, &frames(100, 400)).slices(2, &touches);
    check("static-frames", &drawn, &touched, ("least-time", 10.0), expected);
    // A clock of one frame a second.
    let clock: Vec<_> = (0..9)
        .map(|i| (f64::from(i) * 1000.0, f64::from(i) * 1000.0 + 4.0, "Choreographer#doFrame", 0))
        .collect();
    check(
        "static-frames",
        &drawn,
        &Scene::new(10_000.0).slices(1, &clock),
        ("least-rate", 100.0),
        expected,
    );
    // Twice as many keep the panel at 120 Hz, which is said.
    let fast: Vec<_> = (100..900_u32)
        .map(|i| f64::from(i) * 8.3)
        .map(|t| (t, t + 2.0, "Choreographer#doFrame 77", 0))
        .collect();
    let says_so = |scene: &Scene| {
        let found = scene.findings("static-frames", &[]);
        found[0].evidence.iter().any(|it| it.text.contains("high refresh rate"))
    };
    assert!(says_so(&Scene::new(10_000.0).slices(1, &fast)));
    assert!(!says_so(&drawn));
}

#[test]
fn disk_chatter() {
    let every = |count: u32, period: f64| (0..count).map(move |i| 100.0 + f64::from(i) * period);
    let storage = wattle_power::Component::Storage;
    let log = Scene::new(20_000.0).writes(every(20, 500.0), 4096).draws(
        storage,
        wattle_power::Scope::Device,
        0.1,
        "storage",
    );
    let expected = Expected {
        severity: Warning,
        who: Some("com.example.app"),
        says: "20 times",
        when: Some((100.0, 9601.0)),
        place: None,
        joules: Some(9.501 * 0.1),
    };
    // As many writes in one go; large ones.
    check(
        "disk-chatter",
        &log,
        &Scene::new(20_000.0).writes(every(20, 50.0), 4096),
        ("longest-pause", 0.3),
        expected,
    );
    check(
        "disk-chatter",
        &log,
        &Scene::new(20_000.0).writes(every(20, 500.0), 1 << 20),
        ("largest", 1000.0),
        expected,
    );
}

#[test]
fn rules_without_their_data_say_so() {
    let diagnosis = Scene::new(1000.0).diagnose(&DiagnoseOptions::default());
    let said: Vec<&str> = diagnosis
        .notes
        .iter()
        .filter(|note| note.code == "rule-without-data")
        .map(|note| note.text.as_str())
        .collect();
    for rule in wattle_diagnose::rules() {
        assert!(said.iter().any(|text| text.contains(rule.id)), "{}: {said:#?}", rule.id);
    }
    assert_eq!(diagnosis.findings, []);
}
