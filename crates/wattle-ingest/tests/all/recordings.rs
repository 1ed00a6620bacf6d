//! Recordings: a folder or archive with `recording.json`, and what its parts say of each other's clocks.

#![expect(clippy::unwrap_used, reason = "a helper of a test fails the test by a panic")]

use crate::hostile::archive;
use crate::record_writer as records;
use crate::traces;
use std::path::{Path, PathBuf};

use archive::{Entry, zip};
use traces::Trace;
use wattle_ingest::{iterations, read_bytes, read_paths};
use wattle_timeline::{TestOutcome, Timeline};
use wattle_units::Hertz;

const SECOND: i64 = 1_000_000_000;
/// 2021-12-13 10:32:20 UTC, when the device had been up for 1,000 s.
const REAL: i64 = 1_639_391_540 * SECOND;
const BOOT: i64 = 1000 * SECOND;
/// The host is 3 s behind.
const HOST: i64 = REAL - 3 * SECOND;

fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("recordings-{name}"));
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

fn write(folder: &Path, files: &[(&str, &[u8])]) {
    for (name, bytes) in files {
        let path = folder.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, bytes).unwrap();
    }
}

/// A reading of the clocks, `at` ns after the beginning; `slow` ns the question took to each side.
fn pair(at: i64, slow: i64) -> String {
    let boot = (BOOT + at) / 10_000_000 * 10_000_000;
    format!(
        r#"{{"host_before_ns": {}, "device_real_ns": {}, "device_boot_ns": {boot}, "boot_step_ns": 10000000,
            "host_after_ns": {}, "zone_minutes": 60}}"#,
        HOST + at - slow,
        REAL + at,
        HOST + at + slow
    )
}

/// Two seconds of tests between two readings, an hour and ten milliseconds apart in the zone of the log.
fn description(clocks: bool, tests: bool) -> String {
    let clocks = if clocks {
        let list = |from: i64| {
            let readings = [0, 3, 6, 9].map(|ms| pair(from + ms * 1_000_000, 2_000_000));
            readings.join(",")
        };
        format!(r#""clocks_start": [{}], "clocks_end": [{}],"#, list(0), list(20 * SECOND))
    } else {
        String::new()
    };
    let test = |method: &str, from: i64, to: i64, outcome: &str| {
        format!(
            r#"{{"class": "com.x.FooTest", "method": "{method}", "start_host_ns": {}, "end_host_ns": {},
                "outcome": "{outcome}"}}"#,
            HOST + from * SECOND,
            HOST + to * SECOND
        )
    };
    let tests = if tests {
        [test("a", 2, 3, "passed"), test("b", 4, 6, "failed")].join(",")
    } else {
        String::new()
    };
    format!(
        r#"{{"wattle_recording": 1, "tool": "test", {clocks}
        "device": {{"serial": "s", "model": "Phone", "manufacturer": "Maker", "codename": "code", "sdk": 30,
            "soc": "SoC", "cpus": [0, 1, 2], "policies": [{{"policy": 0, "cpus": [0, 1], "frequencies_khz": [900000, 300000]}}]}},
        "apps": [{{"package": "com.x", "uid": 10088}}],
        "recorders": [{{"pid": 4000, "what": "traced"}}],
        "iterations": [{{"number": 3, "start_host_ns": {}, "end_host_ns": {}, "outcome": "passed", "tests": [{tests}]}}],
        "sources": [{{"name": "batterystats", "recorded": false, "reason": "no permission"}}],
        "probe_cost": {{"median_ns": 800, "low_ns": 700, "high_ns": 1000, "pairs": 50}},
        "notes": ["the phone was warm"],
        "interrupted": "cable pulled",
        "artifacts": ["logcat.txt", {{"file": "probes/a.probes", "kind": "probes", "partial": true}},
            {{"file": "readme.txt", "kind": "other"}}, {{"file": "bad.pftrace", "kind": "perfetto"}}, "gone.pftrace"]}}"#,
        HOST + SECOND,
        HOST + 19 * SECOND
    )
}

/// Lines of the device's log, local time of an hour east of Greenwich, without a year.
fn test_log() -> String {
    let line = |second: i64, text: &str| {
        format!("12-13 11:32:{:02}.500  500  501 I TestRunner: {text}\n", 20 + second)
    };
    [
        line(-5, "started: old(com.x.FooTest)"),
        line(-4, "finished: old(com.x.FooTest)"),
        line(2, "started: a(com.x.FooTest)"),
        line(3, "finished: a(com.x.FooTest)"),
        line(4, "started: b(com.x.FooTest)"),
        line(5, "failed: b(com.x.FooTest)"),
        line(6, "finished: b(com.x.FooTest)"),
        line(7, "ignored: c(com.x.FooTest)"),
        line(8, "started: d(com.x.FooTest)"),
    ]
    .concat()
}

fn probes() -> Vec<u8> {
    let mono = BOOT - 400 * SECOND;
    let wall = REAL / 1_000_000 + 2000;
    let clocks = [mono + 2 * SECOND, wall, BOOT + 2 * SECOND, mono + 2 * SECOND + 100];
    let mut bytes = records::file(500, "com.x", clocks);
    let at = |time: i64| mono + time;
    let events = [('E', 1, at(2 * SECOND)), ('X', 1, at(3 * SECOND))];
    bytes.extend(records::events_block(records::BlockStart::main(500), &events));
    bytes
}

/// A test: name, iteration, begin and end in seconds after the beginning, uncertainty, outcome.
type Test<'a> = (&'a str, u32, f64, f64, i64, TestOutcome);

#[track_caller]
fn check_tests(timeline: &Timeline, expected: &[Test<'_>]) {
    let seconds = |time: wattle_units::BootNanos| (time.value() - BOOT) as f64 / SECOND as f64;
    assert_eq!(timeline.code.tests.len(), expected.len(), "{:#?}", timeline.code.tests);
    for (test, expected) in timeline.code.tests.iter().zip(expected) {
        assert_eq!((timeline.names.get(test.name), test.iteration), (expected.0, expected.1));
        let uncertainty = test.uncertainty.value();
        assert!(uncertainty <= expected.4, "{uncertainty}");
        let slack = (uncertainty + 1_000_000) as f64 / SECOND as f64;
        let apart = (seconds(test.window.start) - expected.2).abs();
        assert!(apart <= slack, "{test:?} begins {apart} s away");
        let apart = (seconds(test.window.end) - expected.3).abs();
        assert!(apart <= slack, "{test:?} ends {apart} s away");
        assert_eq!(test.outcome, expected.5, "{test:?}");
    }
}

fn has_note(timeline: &Timeline, code: &str, text: &str) -> bool {
    let artifacts = timeline.quality.artifacts.iter().flat_map(|artifact| &artifact.notes);
    let mut all = artifacts.chain(&timeline.quality.notes);
    all.any(|note| note.code == code && note.text.contains(text))
}

const FROM_LOG: [Test<'_>; 4] = [
    ("com.x.FooTest#a", 3, 2.5, 3.5, 10_000_000, TestOutcome::Passed),
    ("com.x.FooTest#b", 3, 4.5, 6.5, 10_000_000, TestOutcome::Failed),
    ("com.x.FooTest#c", 3, 7.5, 7.5, 10_000_000, TestOutcome::Skipped),
    // It never ended: until the end of the recording.
    ("com.x.FooTest#d", 3, 8.5, 20.01, 10_000_000, TestOutcome::Crashed),
];

#[track_caller]
fn check_whole(timeline: &Timeline) {
    check_tests(timeline, &FROM_LOG);
    let device = &timeline.device;
    assert_eq!((device.model.as_deref(), device.sdk), (Some("Phone"), Some(30)));
    assert_eq!(device.cpus.len(), 3);
    let kilohertz = [300_000, 900_000].map(Hertz::from_kilohertz);
    assert_eq!(device.cpus[1].frequencies, kilohertz);
    assert!(device.cpus[2].frequencies.is_empty());
    let apps: Vec<_> = timeline.tasks.apps.iter().map(|app| timeline.names.get(*app)).collect();
    assert_eq!(apps, ["com.x"]);
    assert_eq!(timeline.tasks.recorders.iter().map(|pid| pid.0).collect::<Vec<_>>(), [4000]);
    let cost = timeline.code.probe_costs[0];
    assert_eq!((cost.process, cost.pair.value(), cost.pairs), (None, 800, 50));
    for (code, text) in [
        ("recording-interrupted", "cable pulled"),
        ("source-missing", "batterystats was not recorded: no permission"),
        ("recording", "the phone was warm"),
        ("log-outside", "before or after"),
    ] {
        assert!(has_note(timeline, code, text), "{code}: {:#?}", timeline.quality);
    }
    let process = timeline.tasks.processes.iter().find(|process| process.pid.0 == 500).unwrap();
    assert_eq!(process.uid.map(|uid| uid.0), Some(10088));
    let slice = timeline.code.slices.get(0).unwrap();
    assert_eq!(
        slice.start.value() - BOOT - 2 * SECOND,
        -50,
        "the middle of what the clocks leave open"
    );
    let alignment = timeline.quality.alignments.iter().find(|it| it.clock == "local time").unwrap();
    let residual = alignment.residual_ns.unwrap();
    let off = alignment.offset_ns - (BOOT - REAL - 3600 * SECOND);
    assert!(residual <= 10_000_000 && off.abs() <= residual, "{alignment:?}");
}

#[test]
fn a_whole_recording() {
    let folder = folder("whole");
    let (description, log, probes) = (description(true, true), test_log(), probes());
    let files: [(&str, &[u8]); 5] = [
        ("bad.pftrace", b"\xff\xd8\xff\xe0 a photo"),
        ("recording.json", description.as_bytes()),
        ("logcat.txt", log.as_bytes()),
        ("probes/a.probes", &probes),
        ("readme.txt", b"12-13 11:32:22.500  500  501 I TestRunner: started: no(com.x.Test)\n"),
    ];
    write(&folder, &files);
    let timeline = read_paths(std::slice::from_ref(&folder)).unwrap();
    check_whole(&timeline);
    assert!(has_note(&timeline, "artifact-missing", "gone.pftrace"));
    assert!(has_note(&timeline, "artifact-unreadable", "looks like a JPEG image"));
    // The same as an archive, with and without a folder around.
    for prefix in ["", "run/"] {
        let named: Vec<_> =
            files.iter().map(|(name, bytes)| (format!("{prefix}{name}"), *bytes)).collect();
        let entries: Vec<_> =
            named.iter().map(|(name, bytes)| Entry::deflated(name, bytes)).collect();
        let timeline = read_bytes("run.zip", &zip(&entries)).unwrap();
        check_whole(&timeline);
        assert!(has_note(&timeline, "artifact-unreadable", "bad.pftrace"));
    }
}

/// The host's times of tests, where the log has none.
#[test]
fn tests_by_the_host() {
    let folder = folder("host");
    write(
        &folder,
        &[
            ("recording.json", description(true, true).as_bytes()),
            ("logcat.txt", b"12-13 11:32:22.500  500  501 I other: x\n"),
        ],
    );
    let timeline = read_paths(std::slice::from_ref(&folder)).unwrap();
    let expected = [
        ("com.x.FooTest#a", 3, 2.0, 3.0, 8_000_000, TestOutcome::Passed),
        ("com.x.FooTest#b", 3, 4.0, 6.0, 8_000_000, TestOutcome::Failed),
    ];
    check_tests(&timeline, &expected);
    assert!(timeline.code.tests.iter().all(|test| test.uncertainty.value() > 0));
    // Without readings of the clocks nothing leads from the host to the device.
    write(&folder, &[("recording.json", description(false, true).as_bytes())]);
    let timeline = read_paths(std::slice::from_ref(&folder)).unwrap();
    assert!(
        timeline.code.tests.is_empty() && has_note(&timeline, "tests-unaligned", "host's clock")
    );
}

/// A trace of four seconds in which two processes begin.
fn trace(with_clocks: bool) -> Vec<u8> {
    let at = |second: i64| (BOOT + second * SECOND) as u64;
    let mut trace = Trace::default();
    if with_clocks {
        trace = trace.packet(|packet| {
            packet.message(6, |snapshot| {
                for (clock, time) in [(6, BOOT), (1, REAL)] {
                    snapshot.message(1, |reading| {
                        reading.varint(1, clock);
                        reading.varint(2, time as u64);
                    });
                }
            });
        });
    }
    let fork = |bundle: &mut traces::Bundle<'_>, time: u64, pid: u64| {
        // `task_newtask`: pid, comm, clone_flags.
        bundle.event(time, 1, 235, |task| {
            task.varint(1, pid);
            task.string(2, "zygote");
            task.varint(3, 0);
        });
    };
    let trace = trace.bundle(0, |bundle| {
        bundle.print(at(0), 1, "B|1|first\n");
        fork(bundle, at(1), 500);
        fork(bundle, at(2), 600);
        bundle.print(at(10), 1, "E|1\n");
    });
    trace.bytes()
}

fn log_beside(processes: &[(u32, i64)]) -> String {
    let line = |second: i64, text: &str| {
        format!("12-13 11:32:{:02}.500  500  501 I {text}\n", 20 + second)
    };
    let mut log = String::new();
    for (pid, second) in processes {
        log.push_str(&line(
            *second,
            &format!("ActivityManager: Start proc {pid}:com.x/u0a88 for x"),
        ));
    }
    log.push_str(&line(2, "TestRunner: started: a(com.x.FooTest)"));
    log.push_str(&line(3, "TestRunner: finished: a(com.x.FooTest)"));
    log
}

#[track_caller]
fn check_beside(name: &str, with_clocks: bool, log: &str, tests: &[Test<'_>], by: Option<&str>) {
    let folder = folder(name);
    write(&folder, &[("t.pftrace", &trace(with_clocks)), ("log.txt", log.as_bytes())]);
    let timeline = read_paths(std::slice::from_ref(&folder)).unwrap();
    check_tests(&timeline, tests);
    let alignments = &timeline.quality.alignments;
    assert_eq!(alignments.iter().map(|it| it.by.as_str()).next(), by, "{:#?}", timeline.quality);
    assert_eq!(has_note(&timeline, "log-unaligned", "nothing leads"), by.is_none());
}

/// A log of which nothing is known but that it was recorded with the trace.
#[test]
fn logs_beside_a_trace() {
    let test = [("com.x.FooTest#a", 0, 2.0, 3.0, 300_000_000, TestOutcome::Passed)];
    // Both processes begin half a second before their lines, so the log seems to be that much late.
    let log = log_beside(&[(500, 1), (600, 2)]);
    check_beside("events", false, &log, &test, Some("starts of processes in both"));
    // A snapshot of clocks does not tell the zone.
    check_beside("zone", true, &log, &test, Some("starts of processes in both"));
    check_beside("nothing", false, &log_beside(&[(700, 1)]), &[], None);
    let in_utc = log.replace("12-13 11:", "2021-12-13 10:").replace(".500 ", ".500 +0000 ");
    let exact = [("com.x.FooTest#a", 0, 2.5, 3.5, 10_000, TestOutcome::Passed)];
    check_beside("utc", true, &in_utc, &exact, Some("clock snapshots of the trace"));
}

#[test]
fn series() {
    let folder = folder("series");
    let description = |pid: u32| {
        format!(r#"{{"recorders": [{{"pid": {pid}, "what": "x"}}], "artifacts": ["logcat.txt"]}}"#)
    };
    let (tenth, second) = (description(10), description(2));
    let line = b"12-13 11:32:22.500  500  501 I other: x\n";
    let list = br#"{"artifacts": ["2/logcat.txt", "10/logcat.txt"]}"#;
    let files: [(&str, &[u8]); 6] = [
        ("recording.json", list),
        ("2/recording.json", second.as_bytes()),
        ("2/logcat.txt", line),
        ("10/recording.json", tenth.as_bytes()),
        ("10/logcat.txt", line),
        ("notes/readme", b"x"),
    ];
    write(&folder, &files);
    assert_eq!(iterations(&folder).unwrap(), [folder.join("2"), folder.join("10")]);
    assert!(iterations(&folder.join("2")).unwrap().is_empty());
    assert!(iterations(&folder.join("2/logcat.txt")).unwrap().is_empty());
    let recorders = |path: PathBuf| {
        let timeline = read_paths(&[path]).unwrap();
        timeline.tasks.recorders.iter().map(|pid| pid.0).collect::<Vec<_>>()
    };
    assert_eq!(recorders(folder.join("10")), [10]);
    assert_eq!(recorders(folder), [2]);
    let entries = files.map(|(name, bytes)| Entry::deflated(name, bytes));
    let timeline = read_bytes("series.zip", &zip(&entries)).unwrap();
    assert_eq!(timeline.tasks.recorders.iter().map(|pid| pid.0).collect::<Vec<_>>(), [2]);
}

/// A map is part of the package it was made for.
#[test]
fn the_map_of_a_package() {
    let folder = folder("package");
    let package = zip(&[
        Entry::stored("AndroidManifest.xml", b"\x03\0\x08\0"),
        Entry::deflated("assets/wattle/probes.jsonl", records::MAP.as_bytes()),
    ]);
    write(&folder, &[("app.apk", &package), ("a.probes", &probes())]);
    let timeline = read_paths(std::slice::from_ref(&folder)).unwrap();
    let name = timeline.code.slices.name[0];
    assert_eq!(timeline.names.get(name), "com.x.Main.run");
    let error = read_bytes("app.apk", &package).unwrap_err().to_string();
    assert!(error.contains("says nothing without a recording"), "{error}");
}
