//! Real method traces, beside `dmtracedump`, perflib's call trees and figures computed by others; and cut and changed.

use std::io::Read as _;
use std::path::Path;

use serde_json::Value;
use wattle_ingest::read_bytes;
use wattle_testdata::requires;
use wattle_timeline::{SliceOrigin, SliceScope, Timeline};

use super::{equal, noted, own};
use crate::art_trace_reader;
use crate::dmtracedump;
use crate::events::{self, Call, Event, Profile, calls_of, profile};
use crate::plain;
use crate::timeline;

/// A real file, unpacked.
#[track_caller]
fn real(name: &str) -> (tempfile::NamedTempFile, Vec<u8>) {
    let bytes = wattle_testdata::bytes(&format!("art_trace/{name}"));
    let mut plain = Vec::new();
    if Path::new(name).extension().is_some_and(|extension| extension == "gz") {
        flate2::read::GzDecoder::new(&*bytes).read_to_end(&mut plain).unwrap();
    } else {
        plain = bytes;
    }
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), &plain).unwrap();
    (file, plain)
}

/// Methods by what dmtracedump prints of each event, and by its own profile.
#[track_caller]
fn check_dmtracedump(name: &str) {
    let (file, bytes) = real(name);
    let listed = dmtracedump::events(file.path());
    let timeline = read_bytes(name, &bytes).unwrap();
    assert_eq!(timeline.quality.artifacts[0].records, listed.len() as u64);
    let threads = events::calls(&listed, |event| event.cpu);
    let found = own(&timeline, true);
    let unnamed = |profile: Profile| -> Profile {
        // It does not print the numbers of methods without names as we do.
        profile.into_iter().filter(|(name, _)| name.contains(" (")).collect()
    };
    equal(&unnamed(found.clone()), &unnamed(profile(threads.values())));
    // Its profile is the same, but for what lies between calls inside of one whose entry it did not see: that it has outside of any.
    let (theirs, outside) = dmtracedump::profile(file.path());
    let is_earlier = |name: &str| {
        fn any(call: &Call, name: &str) -> bool {
            call.is_earlier && (call.method == name || call.callees.iter().any(|it| any(it, name)))
        }
        threads.values().any(|(calls, _)| calls.iter().any(|call| any(call, name)))
    };
    let (mut more, mut seen) = (0, 0);
    for (method, row) in unnamed(theirs) {
        let ours = found[&method];
        assert_eq!((ours.calls, ours.inclusive), (row.calls, row.inclusive), "{method}");
        if is_earlier(&method) {
            more += ours.exclusive - row.exclusive;
        } else {
            assert_eq!(ours.exclusive, row.exclusive, "{method}");
        }
        seen += 1;
    }
    let first = |thread: u32| listed.iter().find(|event| event.thread == thread).unwrap().cpu;
    let before: u64 = threads.keys().map(|thread| first(*thread)).sum();
    assert!(
        seen > 3 && more <= outside + before,
        "{more} more, {outside} outside, {before} before"
    );
}

#[requires(data, program = "dmtracedump")]
#[test]
fn real_traces_beside_dmtracedump() {
    check_dmtracedump("perflib-basic.trace");
    check_dmtracedump("perflib-basic-api10.trace");
    check_dmtracedump("perflib-exception.trace");
    check_dmtracedump("perflib-mismatched.trace");
    check_dmtracedump("firefox-art-trace-regular.trace.gz");
}

#[requires(data)]
#[test]
fn a_streamed_trace_beside_the_plainest_reading() {
    let name = "perflib-streaming.trace";
    let (_, bytes) = real(name);
    let timeline = read_bytes(name, &bytes).unwrap();
    let all = plain::events(&bytes);
    for (is_cpu, clock) in
        [(true, (|event| event.cpu) as fn(&Event) -> u64), (false, |event| event.wall)]
    {
        let threads = events::calls(&all, clock);
        let ours = calls_of(&timeline, is_cpu);
        assert_eq!(ours.keys().collect::<Vec<_>>(), threads.keys().collect::<Vec<_>>());
        equal(&profile(ours.values()), &profile(threads.values()));
    }
    // By trace_processor (`MANIFEST.md`, E3): the longest calls that ended.
    let slices = &timeline.code.slices;
    let longest =
        (0..slices.len()).filter_map(|index| slices.get(index)).filter(|it| !it.is_unfinished());
    let mut longest: Vec<_> = longest
        .map(|it| (it.start.value(), (it.end - it.start).value(), timeline.names.get(it.name)))
        .collect();
    longest.sort_by_key(|(start, length, _)| (-length, *start));
    let lengths: Vec<_> =
        longest.iter().take(8).map(|(start, length, _)| (*start, *length)).collect();
    assert_eq!(lengths[..7], [(793_682_939_000, 26_513_017_000); 7]);
    assert_eq!(lengths[7], (810_910_588_000, 13_004_716_000));
    assert_eq!(longest[0].2, "java.util.concurrent.ThreadPoolExecutor.getTask");
}

/// Calls that ended. One inside another of the same method counts with that one, if that ended.
fn finished(timeline: &Timeline) -> Profile {
    fn add<'a>(call: &'a Call, around: &mut Vec<&'a str>, found: &mut Profile) {
        let length = |call: &Call| call.to.map(|to| to - call.from);
        if let Some(time) = length(call) {
            let row = found.entry(call.method.clone()).or_default();
            row.exclusive += time - call.callees.iter().filter_map(length).sum::<u64>();
            if !around.contains(&call.method.as_str()) {
                row.inclusive += time;
            }
            around.push(&call.method);
        }
        call.callees.iter().for_each(|callee| add(callee, around, found));
        if call.to.is_some() {
            around.pop();
        }
    }
    let mut found = Profile::new();
    let threads = calls_of(timeline, false);
    let calls = threads.values().flat_map(|(calls, _)| calls);
    calls.for_each(|call| add(call, &mut Vec::new(), &mut found));
    found
}

/// Compares with the results of an independent reader of a file, by the wall clock: exits without an entry left out,
/// open calls without time.
#[track_caller]
fn check_expected(name: &str) {
    let (_, bytes) = real(name);
    let json = wattle_testdata::bytes(&format!("art_trace/{name}.expected.json"));
    let expected: Value = serde_json::from_slice(&json).unwrap();
    let timeline = read_bytes(name, &bytes).unwrap();
    let quality = &timeline.quality.artifacts[0];
    let events = |kind: &str| quality.events.get(kind).copied().unwrap_or(0);
    let actions = &expected["actions"];
    assert_eq!(events("method entry"), actions["enter"]);
    assert_eq!(events("method exit"), actions["exit"]);
    assert_eq!(events("method unroll"), actions["unwind"]);
    assert_eq!(noted(&timeline, "calls-from-before"), expected["unmatched_exits"]);
    assert_eq!(noted(&timeline, "calls-unfinished"), expected["open_at_end"]);
    let by_thread = expected["calls_by_thread"].as_object().unwrap();
    for (tid, entries) in by_thread {
        let tid: u32 = tid.parse().unwrap();
        let track = timeline.code.slices.tracks.iter().find(|track| {
            let SliceScope::Thread(thread) = track.scope else { return false };
            timeline.tasks.threads[thread.index()].tid.0 == tid
        });
        // Those from before the trace have an entry here.
        let started = timeline.code.slices.of(track.unwrap());
        let started = started.filter(|slice| slice.start > timeline.window.start).count() as u64;
        let all = u64::from(track.unwrap().count);
        let entries = entries.as_u64().unwrap();
        assert!((started..=all).contains(&entries), "{tid}: {entries} of {started} to {all}");
    }
    for thread in timeline
        .tasks
        .threads
        .iter()
        .filter(|thread| by_thread.contains_key(&thread.tid.to_string()))
    {
        let name = expected["threads"][thread.tid.to_string()].as_str().unwrap();
        assert_eq!(thread.name.map(|name| timeline.names.get(name)), Some(name));
    }
    let found = own(&timeline, false);
    let finished = finished(&timeline);
    let none_is_earlier = expected["unmatched_exits"] == 0;
    for row in expected["top_inclusive"].as_array().unwrap() {
        let full = row["method"].as_str().unwrap().replace('/', ".");
        let at = full.find('(').unwrap();
        let key = format!("{} {}", &full[..at], row["method"].as_str().unwrap().split_at(at).1);
        let found = found[&key];
        assert!(found.calls >= row["calls"].as_u64().unwrap(), "{key}");
        let times = (row["inclusive_us"].as_u64().unwrap(), row["exclusive_us"].as_u64().unwrap());
        if none_is_earlier {
            let ours = finished[&key];
            assert_eq!((ours.inclusive, ours.exclusive), times, "{key}");
        }
        // Their calls that were open at the end, or when the trace began, have no time.
        assert!(
            found.inclusive >= times.0 && found.exclusive >= times.1,
            "{key} {found:?} {times:?}"
        );
    }
}

#[requires(data)]
#[test]
fn real_traces_beside_another_reading() {
    check_expected("perflib-basic.trace");
    check_expected("perflib-basic-api10.trace");
    check_expected("perflib-exception.trace");
    check_expected("perflib-mismatched.trace");
    check_expected("perflib-streaming.trace");
    check_expected("firefox-art-trace-regular.trace.gz");
}

/// As perflib prints trees: the first callee behind its caller, others below it.
fn tree(name: &str, callees: &[Call], column: usize) -> String {
    let mut text = format!(" -> {name}");
    let column = column + text.len();
    for (index, call) in callees.iter().enumerate() {
        if index > 0 {
            text += &format!("\n{}", " ".repeat(column));
        }
        let (method, descriptor) = call.method.split_once(' ').unwrap();
        let (class, method) = method.rsplit_once('.').unwrap();
        let name = format!("{}.{method}: {descriptor}", class.replace('.', "/"));
        text += &tree(&name, &call.callees, column);
    }
    text
}

#[requires(data)]
#[test]
fn call_trees_of_perflib() {
    let json = wattle_testdata::bytes("art_trace/perflib-expected-call-trees.json");
    let expected: Value = serde_json::from_slice(&json).unwrap();
    let trees = expected["expect"].as_object().unwrap();
    assert_eq!(trees.len(), 4);
    for (name, tree_of) in trees {
        let (_, bytes) = real(&format!("perflib-{name}"));
        let timeline = read_bytes(name, &bytes).unwrap();
        let calls = calls_of(&timeline, true);
        let thread = tree_of["thread"].as_str().unwrap();
        let (calls, _) = calls.values().next().unwrap();
        let expected = tree_of["call_tree_as_formatted_by_perflib"].as_str().unwrap();
        assert_eq!(tree(&format!("{thread}.: "), calls, 0), expected, "{name}");
        // The thread's clock: what a call takes itself and what it calls is what it takes; so for all together.
        let sum: u64 = own(&timeline, true).values().map(|row| row.exclusive).sum();
        let tops: u64 = calls.iter().map(|call| call.to.unwrap()).sum();
        assert_eq!(sum, tops, "{name}");
    }
}

#[requires(data)]
#[test]
fn what_the_header_says() {
    let (_, bytes) = real("firefox-art-trace-regular.trace.gz");
    let timeline = read_bytes("method.trace", &bytes).unwrap();
    let process = timeline.tasks.processes.iter().find(|process| process.pid.0 == 21491).unwrap();
    assert!(timeline.tasks.threads.iter().skip(1).all(|thread| {
        thread.process.is_some_and(|of| timeline.tasks.processes[of.index()].pid == process.pid)
    }));
    assert!(timeline.code.slices.origin.iter().all(|origin| *origin == SliceOrigin::MethodTrace));
    let (_, bytes) = real("perflib-basic.trace");
    let timeline = read_bytes("basic", &bytes).unwrap();
    let places = timeline.code.sites.sites.iter().map(|site| {
        let text = |name| timeline.names.get(name);
        (text(site.class), text(site.method), site.file.map(text), site.line)
    });
    let places: Vec<_> = places.collect();
    assert!(places.contains(&(
        "com.test.android.traceview.Basic",
        "foo",
        Some("Basic.java"),
        Some(14)
    )));
    assert!(places.contains(&(
        "dalvik.system.VMDebug",
        "stopMethodTracing",
        Some("VMDebug.java"),
        None
    )));
    assert_eq!(timeline.code.sites.traced.len(), places.len());
}

#[track_caller]
fn check_malformed(name: &str, codes: &[&str]) {
    let (_, bytes) = real(name);
    let timeline = read_bytes(name, &bytes).unwrap();
    assert!(timeline.code.slices.is_empty());
    assert!(codes.iter().all(|code| noted(&timeline, code) == 1), "{:#?}", timeline.quality);
}

#[requires(data)]
#[test]
fn malformed_files_of_others() {
    check_malformed("perflib-header.trace", &["header", "no-records", "trace-overflow"]);
    // Its bytes went through an editor for text.
    check_malformed("perflib-basic-special_char.trace", &["header", "no-records"]);
}

/// Every hundredth of real files, and bytes changed in them.
#[requires(data)]
#[test]
fn real_traces_cut_and_changed() {
    for name in [
        "perflib-basic.trace",
        "perflib-exception.trace",
        "perflib-streaming.trace",
        "firefox-art-trace-regular.trace.gz",
    ] {
        let (_, bytes) = real(name);
        let all = read_bytes(name, &bytes).unwrap().quality.artifacts[0].records;
        let mut before = 0;
        for percent in 0..100 {
            let cut = &bytes[..bytes.len() * percent / 100];
            let Ok(timeline) = read_bytes(name, cut) else {
                assert!(cut.len() < 9, "{name}: {percent} % were refused");
                continue;
            };
            timeline::check(&timeline);
            let quality = &timeline.quality.artifacts[0];
            assert!((before..=all).contains(&quality.records), "{name} at {percent} %");
            before = quality.records;
            let told = ["truncated", "records-missing", "no-summary", "no-records", "header"];
            assert!(told.iter().any(|code| noted(&timeline, code) > 0), "{name} at {percent} %");
        }
        // The same place in each file, so that a failure can be found again.
        let mut seed = 1_u64;
        for _ in 0..60 {
            let mut changed = bytes.clone();
            for _ in 0..=seed % 7 {
                seed = seed
                    .wrapping_mul(6_364_136_223_846_793_005)
                    .wrapping_add(1_442_695_040_888_963_407);
                let place = (seed >> 33) as usize % changed.len();
                changed[place] = (seed >> 24) as u8;
            }
            art_trace_reader::run_file(&changed);
        }
    }
}
