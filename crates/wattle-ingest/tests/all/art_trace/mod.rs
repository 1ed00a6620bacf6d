//! Method traces of the runtime: real ones, every format written by this test's own writer, and files that are damaged or end too
//! early.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::format_push_string,
    reason = "a helper of a test fails the test by a panic, and its texts are short"
)]

mod real_files;
mod writer;

use crate::art_trace_reader;
use crate::events;
use crate::timeline;
use std::path::{Path, PathBuf};

use events::{Event, Profile, calls_of, profile};
use proptest::prelude::*;
use wattle_ingest::{ReadOptions, read_all_bytes, read_all_bytes_as, read_bytes, read_paths};
use wattle_timeline::{SliceOrigin, Timeline};
use writer::{Format, Trace};

/// A clock of an event.
type Clock = fn(&Event) -> u64;

fn noted(timeline: &Timeline, code: &str) -> u64 {
    let notes = timeline.quality.artifacts.iter().flat_map(|artifact| &artifact.notes);
    notes.filter(|note| note.code == code).map(|note| note.count).sum()
}

fn own(timeline: &Timeline, is_cpu: bool) -> Profile {
    profile(calls_of(timeline, is_cpu).values())
}

#[track_caller]
fn equal(found: &Profile, expected: &Profile) {
    for (method, row) in expected {
        assert_eq!(found.get(method), Some(row), "{method}");
    }
    let more: Vec<_> = found.keys().filter(|method| !expected.contains_key(*method)).collect();
    assert!(more.is_empty(), "{more:?}");
}

/// A walk over methods of two threads; each pair of a number and a time step is an entry or an exit.
fn walk(steps: &[(u8, u16, u16)], earlier: usize) -> Vec<Event> {
    let mut open: [Vec<String>; 2] = [Vec::new(), Vec::new()];
    let (mut cpu, mut wall) = ([0_u64; 2], 0_u64);
    let mut events = Vec::new();
    let mut left = earlier;
    for (choice, wall_step, cpu_step) in steps {
        let at = usize::from(choice & 1);
        wall += u64::from(*wall_step);
        cpu[at] += u64::from(*cpu_step);
        let name = |number: u8| format!("com.example.Main{}.run{number} (I)V", number % 3);
        let is_exit = choice & 2 != 0;
        let method = if is_exit {
            match open[at].pop() {
                Some(method) => method,
                None if left > 0 => {
                    left -= 1;
                    name(choice >> 3)
                }
                None => continue,
            }
        } else {
            let method = name(choice >> 3);
            open[at].push(method.clone());
            method
        };
        events.push(Event {
            thread: 70 + at as u32,
            is_entry: !is_exit,
            method,
            cpu: cpu[at],
            wall,
        });
    }
    events
}

const THREADS: [(u32, &str); 2] = [(70, "main"), (71, "worker")];

fn formats() -> impl Strategy<Value = Format> {
    let version = 2..4_u16;
    prop_oneof![
        Just(Format::Buffered { version: 1, is_dual: false }),
        (version.clone(), any::<bool>()).prop_map(|(version, is_dual)| {
            Format::Buffered { version, is_dual: is_dual && version == 3 }
        }),
        (version, any::<bool>()).prop_map(|(version, is_dual)| {
            Format::Streamed { version, is_dual: is_dual && version == 3 }
        }),
        (any::<bool>(), 1..9_usize, 1..9_usize)
            .prop_map(|(is_dual, block, fits)| Format::Packets { is_dual, block, fits }),
        (any::<bool>(), 1..9_usize).prop_map(|(is_dual, block)| Format::Narrow { is_dual, block }),
    ]
}

fn is_dual(format: Format) -> bool {
    match format {
        Format::Buffered { is_dual, .. }
        | Format::Streamed { is_dual, .. }
        | Format::Packets { is_dual, .. }
        | Format::Narrow { is_dual, .. } => is_dual,
    }
}

fn whole(mut events: Vec<Event>) -> Vec<Event> {
    // One event at least, so that there is a trace.
    if events.is_empty() {
        let method = "com.example.Main0.run0 (I)V".to_owned();
        events.push(Event { thread: 70, is_entry: true, method, cpu: 0, wall: 0 });
    }
    events
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// In whichever format: the same calls, by both clocks.
    #[test]
    fn every_format_tells_the_same(
        steps in prop::collection::vec((any::<u8>(), 0..5000_u16, 0..3000_u16), 1..60),
        earlier in 0..4_usize,
        format in formats(),
    ) {
        let events = whole(walk(&steps, earlier));
        let trace = Trace { events: &events, pid: 70, threads: &THREADS, start: 5_000_000, clock: "wall" };
        let timeline = read_bytes("a.trace", &trace.write(format)).unwrap();
        timeline::check(&timeline);
        prop_assert_eq!(timeline.quality.artifacts[0].records, events.len() as u64);
        let clocks: [(bool, Clock); 2] = [(false, |event| event.wall), (true, |event| event.cpu)];
        for (is_cpu, clock) in &clocks[..if is_dual(format) { 2 } else { 1 }] {
            let expected = events::calls(&events, *clock);
            let found = calls_of(&timeline, *is_cpu);
            prop_assert_eq!(profile(found.values()), profile(expected.values()));
        }
        prop_assert_eq!(timeline.code.slices.cpu.is_empty(), !is_dual(format));
        prop_assert_eq!(timeline.window.start.value(), 5_000_000_000);
    }

    /// Two traces in one file: the first one is read, and the other is said.
    #[test]
    fn another_trace_behind_the_first(
        steps in prop::collection::vec((any::<u8>(), 0..5000_u16, 0..3000_u16), 1..40),
        format in formats(),
    ) {
        let events = whole(walk(&steps, 2));
        let trace = Trace { events: &events, pid: 70, threads: &THREADS, start: 5_000_000, clock: "wall" };
        let bytes = trace.write(format);
        let timeline = read_bytes("a.trace", &[&*bytes, &bytes].concat()).unwrap();
        prop_assert_eq!(timeline.quality.artifacts[0].records, events.len() as u64);
        prop_assert_eq!(noted(&timeline, "another-recording"), 1);
        prop_assert_eq!(noted(&read_bytes("a.trace", &bytes).unwrap(), "another-recording"), 0);
    }

    /// Cut anywhere, changed anywhere: no panic, what was there before the cut, and a word on it.
    #[test]
    fn damaged_traces(
        steps in prop::collection::vec((any::<u8>(), 0..5000_u16, 0..3000_u16), 1..40),
        format in formats(),
        places in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..8),
        cut in any::<prop::sample::Index>(),
    ) {
        let events = whole(walk(&steps, 2));
        let trace = Trace { events: &events, pid: 70, threads: &THREADS, start: 5_000_000, clock: "wall" };
        let mut bytes = trace.write(format);
        let end = cut.index(bytes.len());
        art_trace_reader::run_file(&bytes[..end]);
        for (place, byte) in places {
            let place = place.index(bytes.len());
            bytes[place] = byte;
        }
        art_trace_reader::run_file(&bytes);
    }

    #[test]
    fn random_bytes_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        art_trace_reader::run(&bytes);
    }
}

#[test]
fn two_files_of_one_trace() {
    let events = walk(&[(0, 5, 3), (8, 5, 3), (2, 7, 4), (2, 9, 9)], 0);
    let trace =
        Trace { events: &events, pid: 70, threads: &THREADS, start: 5_000_000, clock: "wall" };
    let (keys, data) = trace.pair();
    let expected = profile(events::calls(&events, |event| event.cpu).values());
    for files in [[("a.key", &*keys), ("a.data", &*data)], [("b.data", &*data), ("x.key", &*keys)]]
    {
        let timeline = read_all_bytes(&files).unwrap();
        equal(&own(&timeline, true), &expected);
        assert_eq!((noted(&timeline, "no-records"), noted(&timeline, "methods-unknown")), (0, 0));
    }
    // Which of two is whose, by the names.
    let others = walk(&[(16, 5, 3), (2, 7, 4)], 0);
    let other = Trace { events: &others, ..trace };
    let (other_keys, other_data) = other.pair();
    let files: [(&str, &[u8]); 4] =
        [("a.data", &data), ("b.data", &other_data), ("b.key", &other_keys), ("a.key", &keys)];
    let timeline = read_all_bytes(&files).unwrap();
    assert_eq!(noted(&timeline, "methods-unknown"), 0);
    let alone = read_bytes("a.data", &data).unwrap();
    assert_eq!(noted(&alone, "methods-unknown"), 2);
    assert_eq!(alone.code.slices.len(), 2);
    let alone = read_bytes("a.key", &keys).unwrap();
    assert_eq!((noted(&alone, "no-records"), alone.code.slices.len()), (1, 0));
}

#[test]
fn exits_that_do_not_match_and_times_that_go_back() {
    let event = |is_entry: bool, method: u32, wall: u64| Event {
        thread: 70,
        is_entry,
        method: format!("a.B.c{method} ()V"),
        cpu: wall,
        wall,
    };
    // The exit of 3 is missing, 9 was never entered, one event is late.
    let events = [
        event(true, 1, 5),
        event(true, 2, 8),
        event(true, 3, 7),
        event(false, 9, 9),
        event(false, 2, 12),
    ];
    let trace = Trace { events: &events, pid: 70, threads: &THREADS, start: 1, clock: "wall" };
    let timeline =
        read_bytes("odd", &trace.write(Format::Buffered { version: 3, is_dual: true })).unwrap();
    let count = |code| noted(&timeline, code);
    assert_eq!((count("exits-missing"), count("exits-unmatched")), (1, 1));
    assert_eq!((count("clock-backwards"), count("calls-unfinished")), (1, 1));
    let found = (0..3).filter_map(|index| timeline.code.slices.get(index)).map(|it| {
        let micros = |time: i64| if time == i64::MAX { time } else { time / 1000 - 1 };
        (micros(it.start.value()), micros(it.end.value()), it.depth)
    });
    assert_eq!(found.collect::<Vec<_>>(), [(5, i64::MAX, 0), (8, 12, 1), (8, 12, 2)]);
}

#[test]
fn what_the_text_and_the_records_do_not_agree_on_is_said() {
    let events = walk(&[(0, 500, 300), (9, 500, 300), (2, 700, 400), (3, 900, 900)], 0);
    let trace =
        Trace { events: &events, pid: 70, threads: &THREADS, start: 5_000_000, clock: "wall" };
    let codes = ["beyond-the-end", "threads-unlisted"];
    let check = |bytes: &[u8], expected: [u64; 2]| {
        let timeline = read_bytes("a.trace", bytes).unwrap();
        assert_eq!(codes.map(|code| noted(&timeline, code)), expected);
    };
    for format in [
        Format::Buffered { version: 3, is_dual: true },
        Format::Streamed { version: 3, is_dual: false },
    ] {
        let whole = trace.write(format);
        check(&whole, [0, 0]);
        let text = b"elapsed-time-usec=";
        let at =
            whole.windows(text.len()).position(|it| it == text).expect("a length") + text.len();
        let mut shorter = whole.clone();
        shorter[at] = b'0';
        check(&shorter, [1, 0]);
    }
    // Streamed traces name threads as they come.
    let fewer = Trace { threads: &THREADS[..1], ..trace };
    check(&fewer.write(Format::Buffered { version: 3, is_dual: true }), [0, 1]);
}

/// 32 bits of microseconds begin anew after 71 minutes.
#[test]
fn traces_longer_than_their_numbers() {
    let minutes = |count: u64| count * 60_000_000;
    let event = |thread, is_entry, at: u64| Event {
        thread,
        is_entry,
        method: "a.B.c ()V".to_owned(),
        cpu: at / 2,
        wall: at,
    };
    let events: Vec<_> = (0..10)
        .flat_map(|round| {
            let at = minutes(round * 20);
            [
                event(70, true, at),
                event(71, true, at),
                event(70, false, at + 5),
                event(71, false, at + 9),
            ]
        })
        .collect();
    let trace = Trace { events: &events, pid: 70, threads: &THREADS, start: 1, clock: "wall" };
    for format in [
        Format::Buffered { version: 3, is_dual: true },
        Format::Streamed { version: 3, is_dual: true },
    ] {
        let timeline = read_bytes("long", &trace.write(format)).unwrap();
        assert_eq!(timeline.window.duration().value() / 1000, minutes(180) as i64 + 9);
        equal(
            &own(&timeline, false),
            &profile(events::calls(&events, |event| event.wall).values()),
        );
    }
}

#[test]
fn only_the_threads_clock() {
    let events = walk(&[(0, 500, 3), (8, 500, 3), (10, 500, 8), (2, 500, 1)], 0);
    let trace =
        Trace { events: &events, pid: 70, threads: &THREADS, start: 5, clock: "thread-cpu" };
    let bytes = trace.write(Format::Buffered { version: 2, is_dual: false });
    let timeline = read_bytes("cpu", &bytes).unwrap();
    assert_eq!(noted(&timeline, "thread-clock-only"), 1);
    equal(&own(&timeline, true), &profile(events::calls(&events, |event| event.cpu).values()));
}

fn folder_with(files: &[(&str, Vec<u8>)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, bytes) in files {
        std::fs::write(folder.path().join(name), bytes).unwrap();
    }
    folder
}

/// Output of `wattle record`: the trace beside `recording.json`, whose clocks bring it to boot time.
#[test]
fn in_a_recording() {
    let events = walk(&[(0, 500, 3), (8, 500, 3), (10, 500, 8), (2, 500, 1)], 0);
    let now = 1_600_000_000_000_000_u64; // microseconds
    let trace = Trace { events: &events, pid: 70, threads: &THREADS, start: now, clock: "wall" };
    let clocks = |boot: i64| {
        format!(
            r#"{{"host_before_ns":1,"host_after_ns":2,"device_real_ns":{},"device_boot_ns":{boot},"boot_step_ns":0,"zone_minutes":0}}"#,
            now as i64 * 1000 - 1_000_000_000 + boot
        )
    };
    let json = format!(
        r#"{{"wattle_recording":1,"apps":[{{"package":"com.example.app"}}],"clocks_start":[{}],"clocks_end":[{}],
            "sources":[{{"name":"art-trace","recorded":true,"reason":null,"setup":"sampled every 1000 µs"}}],
            "artifacts":[{{"file":"method.trace","kind":"art-trace"}}]}}"#,
        clocks(0),
        clocks(60_000_000_000)
    );
    let bytes = trace.write(Format::Streamed { version: 3, is_dual: true });
    let folder = folder_with(&[("recording.json", json.into_bytes()), ("method.trace", bytes)]);
    let timeline = read_paths(&[PathBuf::from(folder.path())]).unwrap();
    // The trace began when the device was up for a second.
    assert_eq!(timeline.code.slices.start[0].value(), 1_000_000_000 + events[0].wall as i64 * 1000);
    let named = timeline.tasks.processes.iter().find(|process| process.pid.0 == 70).unwrap();
    assert_eq!(named.name.map(|name| timeline.names.get(name)), Some("com.example.app"));
    assert_eq!(noted(&timeline, "method-trace-sampled"), 1);
    assert_eq!(timeline.quality.alignments.len(), 1);
    assert!(Path::new(&timeline.quality.alignments[0].artifact).ends_with("method.trace"));
}

/// Sections and calls of one thread, each in its own clock: two rows, in boot time.
#[test]
fn beside_a_trace_of_the_kernel() {
    let text = "# tracer: nop\n\
        app-70    (   70) [000] ...1    10.000000: tracing_mark_write: trace_event_clock_sync: parent_ts=10.000000\n\
        app-70    (   70) [000] ...1    10.000000: tracing_mark_write: trace_event_clock_sync: realtime_ts=1600000000000\n\
        app-70    (   70) [000] ...1    10.100000: tracing_mark_write: B|70|section\n\
        app-70    (   70) [000] ...1    10.200000: tracing_mark_write: E|70\n\
        app-70    (   70) [000] d..2    10.900000: sched_switch: prev_comm=app prev_pid=70 prev_prio=120 prev_state=S ==> next_comm=swapper/0 next_pid=0 next_prio=120\n";
    let event = |is_entry, wall| Event {
        thread: 70,
        is_entry,
        method: "a.B.c ()V".to_owned(),
        cpu: wall / 2,
        wall,
    };
    let events = [event(true, 10_000), event(false, 400_000)];
    let check = |start: u64, expected: Option<i64>| {
        let trace = Trace { events: &events, pid: 70, threads: &THREADS, start, clock: "wall" };
        let bytes = trace.write(Format::Streamed { version: 3, is_dual: true });
        let files = [("a.txt", text.as_bytes()), ("a.trace", &bytes)];
        assert_eq!(read_all_bytes(&files).is_ok(), expected.is_some());
        let join = ReadOptions { join: true, ..ReadOptions::default() };
        let timeline = read_all_bytes_as(&files, &join).unwrap();
        timeline::check(&timeline);
        let slices = &timeline.code.slices;
        let traced = (0..slices.len()).find(|it| slices.origin_of(*it) == SliceOrigin::MethodTrace);
        let milliseconds = traced.map(|it| slices.start[it].value() as f64 / 1e6);
        assert_eq!(milliseconds.is_some(), expected.is_some());
        // The mark has milliseconds.
        let apart = milliseconds.zip(expected).map_or(0.0, |(it, at)| it - at as f64);
        assert!(apart.abs() <= 1.0, "{apart}");
        let scopes: Vec<_> = slices.tracks.iter().map(|track| track.scope).collect();
        assert!(scopes.iter().all(|scope| *scope == scopes[0]), "{scopes:?}");
        assert_eq!(scopes.len(), 1 + usize::from(expected.is_some()));
        noted(&timeline, "method-trace-foreign")
    };
    // The device's wall clock 50 ms behind the mark, and an hour: of another recording.
    assert_eq!(check(1_600_000_000_050_000, Some(10_060)), 0);
    assert_eq!(check(1_600_003_600_000_000, None), 1);
}
