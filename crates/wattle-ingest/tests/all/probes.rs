//! Records of probes through every sink, by writers of this test's own.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a helper of a test fails the test by a panic"
)]

use crate::record_writer as records;
use crate::traces;
use std::path::{Path, PathBuf};

use records::{
    BlockStart, Clocks, Lines, MAP, MAP_ID, Record, block, clocks_block, events_block, file,
};
use traces::Trace;
use wattle_ingest::{read_bytes, read_paths};
use wattle_timeline::SliceOrigin::{ProbedCall, ProbedMethod, Recorded, Recorder};
use wattle_timeline::{SiteId, SliceOrigin, SliceScope, Timeline};

/// A slice: thread, name, origin, begin and end (-1: none), depth.
type Slice<'a> = (&'a str, &'a str, SliceOrigin, i64, i64, u16);

fn slices(timeline: &Timeline) -> Vec<(String, String, SliceOrigin, i64, i64, u16)> {
    let mut found = Vec::new();
    for track in &timeline.code.slices.tracks {
        let SliceScope::Thread(thread) = track.scope else { continue };
        let thread = timeline.tasks.threads[thread.index()].name;
        let thread = thread.map_or("", |name| timeline.names.get(name)).to_owned();
        for slice in timeline.code.slices.of(track) {
            let end = if slice.is_unfinished() { -1 } else { slice.end.value() };
            let name = timeline.names.get(slice.name).to_owned();
            found.push((thread.clone(), name, slice.origin, slice.start.value(), end, slice.depth));
        }
    }
    found
}

#[track_caller]
fn check(timeline: &Timeline, expected: &[Slice<'_>]) {
    let found = slices(timeline);
    let found: Vec<Slice<'_>> = found
        .iter()
        .map(|(thread, name, origin, start, end, depth)| {
            (thread.as_str(), name.as_str(), *origin, *start, *end, *depth)
        })
        .collect();
    assert_eq!(found, expected);
}

/// Notes of artifacts and of the whole, by code, with their counts.
fn notes(timeline: &Timeline) -> Vec<(String, u64)> {
    let artifacts = timeline.quality.artifacts.iter().flat_map(|artifact| &artifact.notes);
    let all = artifacts.chain(&timeline.quality.notes);
    let mut notes: Vec<_> = all.map(|note| (note.code.clone(), note.count)).collect();
    notes.retain(|(code, _)| code != "no-power-data" && code != "logcat-format");
    notes.sort();
    notes
}

#[track_caller]
fn check_notes(timeline: &Timeline, expected: &[(&str, u64)]) {
    let found = notes(timeline);
    let found: Vec<_> = found.iter().map(|(code, count)| (code.as_str(), *count)).collect();
    assert_eq!(found, expected, "{:#?}", timeline.quality);
}

fn folder(name: &str, files: &[(&str, &[u8])]) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("probes-{name}"));
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    for (name, bytes) in files {
        std::fs::write(folder.join(name), bytes).unwrap();
    }
    folder
}

/// Boot time is monotonic time and 5,000 ns.
const CLOCKS: Clocks = [1000, 1_700_000_000_000, 6000, 1000];

const MAIN: &[Record] = &[
    ('E', 1, 2000),
    ('C', 4, 2100),
    ('B', 0, 2300),
    ('E', 2, 2400),
    ('E', 3, 2500),
    ('U', 3, 2600),
    ('X', 2, 2600),
    ('D', 0, 2700),
    ('R', 0, 2800),
];

const MAIN_LATER: &[Record] = &[('X', 1, 3000), ('C', 5, 3100), ('F', 0, 3200)];

const EXPECTED: &[Slice<'_>] = &[
    ("main", "com.x.Main.run", ProbedMethod, 7000, 8000, 0),
    ("main", "android.os.Toast.show", ProbedCall, 7100, 7300, 1),
    ("main", "com.x.Main.work(I)V", ProbedMethod, 7400, 7600, 1),
    ("main", "com.x.Main.work(J)V", ProbedMethod, 7500, 7600, 2),
    ("main", "wattle.drain", Recorder, 7700, 7800, 1),
    ("main", "java.net.URL.openStream", ProbedCall, 8100, 8200, 0),
];

/// Places as `class.method descriptor file:line [place of its method]`, all of them and those of the slices.
fn places(timeline: &Timeline) -> (Vec<String>, Vec<Option<usize>>) {
    let text = |name| timeline.names.get(name);
    let sites = timeline.code.sites.sites.iter().map(|site| {
        let (class, method) = (text(site.class), text(site.method));
        let descriptor = site.descriptor.map_or("-", text);
        let file = site.file.map_or("-", text);
        let line = site.line.map_or(String::new(), |line| format!(":{line}"));
        let within = site.within.map_or(String::new(), |within| format!(" [{}]", within.index()));
        format!("{class}.{method} {descriptor} {file}{line}{within}")
    });
    let of_slices = (0..timeline.code.slices.len()).map(|at| timeline.code.slices.site_of(at));
    (sites.collect(), of_slices.map(|site| Some(site?.index())).collect())
}

#[track_caller]
fn check_places(timeline: &Timeline, sites: &[&str], of_slices: &[Option<usize>]) {
    let found = places(timeline);
    assert_eq!(found.0, sites);
    assert_eq!(found.1, of_slices);
}

/// The places of [`MAP`].
const PLACES: &[&str] = &[
    "com.x.Main.run ()V -",
    "android.os.Toast.show ()V -:3 [0]",
    "com.x.Main.work (I)V -",
    "com.x.Main.work (J)V -",
    "com.x.Main.only ()V -",
    "java.net.URL.openStream ()Ljava/io/InputStream; - [4]",
];

fn whole_file() -> Vec<u8> {
    let mut bytes = file(70, "com.x:remote", CLOCKS);
    bytes.extend(events_block(BlockStart::main(70), MAIN));
    bytes.extend(block("LATR", b"of a later version"));
    bytes.extend(events_block(BlockStart { number: 1, ..BlockStart::main(70) }, MAIN_LATER));
    bytes
}

#[test]
fn a_file_with_its_map() {
    let files = [("a.probes", &*whole_file()), ("app.probes.jsonl", MAP.as_bytes())];
    let timeline = read_paths(&[folder("file", &files)]).unwrap();
    check(&timeline, EXPECTED);
    check_places(&timeline, PLACES, &[Some(0), Some(1), Some(2), Some(3), None, Some(5)]);
    check_notes(&timeline, &[]);
    let process = timeline
        .tasks
        .threads
        .iter()
        .find_map(|thread| thread.process.filter(|_| thread.tid.0 == 70));
    let process = &timeline.tasks.processes[process.unwrap().index()];
    assert_eq!(process.name.map(|name| timeline.names.get(name)), Some("com.x:remote"));
    let alignment = &timeline.quality.alignments[0];
    assert_eq!((alignment.offset_ns, alignment.residual_ns), (5000, Some(0)));
    assert_eq!((alignment.clock.as_str(), alignment.readings), ("monotonic", 1));
    assert_eq!(timeline.quality.artifacts[1].unread["block of an unknown kind"], 1);
}

#[test]
fn log_lines_with_their_map() {
    let mut lines = Lines::new();
    let said = [
        lines.process(70, CLOCKS, "com.x"),
        lines.thread(70, 0, "main"),
        lines.events(70, 0, 0, MAIN),
        lines.events(70, 0, 0, MAIN_LATER),
    ];
    let log =
        said.iter().map(|line| format!("I/wattle  (   70): {line}\n")).collect::<Vec<_>>().concat();
    let files = [("log.txt", log.as_bytes()), ("map.jsonl", MAP.as_bytes())];
    let timeline = read_paths(&[folder("lines", &files)]).unwrap();
    check(&timeline, EXPECTED);
    check_places(&timeline, PLACES, &[Some(0), Some(1), Some(2), Some(3), None, Some(5)]);
    check_notes(&timeline, &[]);
    // The format without tags, alone: the labels' numbers are all there is.
    let raw = said.iter().map(|line| format!("{line}\n")).collect::<Vec<_>>().concat();
    let timeline = read_bytes("raw.txt", raw.as_bytes()).unwrap();
    let names: Vec<_> = slices(&timeline).into_iter().map(|slice| slice.1).collect();
    let map = &MAP_ID[..8];
    let numbered = [1, 4, 2, 3].map(|id| format!("#{id}@{map}"));
    assert_eq!(names[..4], numbered);
    check_notes(&timeline, &[("probe-map-missing", 5)]);
}

/// A map that is another's is not used, and it is said.
#[test]
fn a_map_of_another_package() {
    let other = MAP.replace("com.x", "com.y");
    let files = [("a.probes", &*whole_file()), ("map.jsonl", other.as_bytes())];
    let timeline = read_paths(&[folder("other-map", &files)]).unwrap();
    assert!(slices(&timeline)[0].1.starts_with("#1@"));
    check_notes(&timeline, &[("probe-map-missing", 5)]);
    // What could have run is known all the same.
    let places: Vec<_> = PLACES.iter().map(|place| place.replace("com.x", "com.y")).collect();
    let places: Vec<_> = places.iter().map(String::as_str).collect();
    check_places(&timeline, &places, &[None; 6]);
}

#[test]
fn sections_of_a_trace() {
    let map = &MAP_ID[..8];
    let begin = |name: &str| format!("B|70|{name}\n");
    let trace = Trace::default()
        .bundle(0, |bundle| {
            bundle
                .print(1000, 70, &begin("inflate"))
                .print(1100, 70, &begin(&format!("com.x.Main.run #1@{map}")))
                .print(1200, 70, &begin(&format!("an.os.Toast.show #4@{map}")))
                .print(1300, 70, "E|70\n")
                .print(1400, 70, "E|70\n")
                .print(1500, 70, "E|70\n")
                .print(1600, 70, &begin("com.y.Other.go #1@00000000"))
                .print(1700, 70, "E|70\n");
        })
        .bytes();
    let files = [("t.perfetto-trace", &*trace), ("map.jsonl", MAP.as_bytes())];
    let timeline = read_paths(&[folder("sections", &files)]).unwrap();
    let expected = [
        ("", "inflate", Recorded, 1000, 1500, 0),
        ("", "com.x.Main.run", ProbedMethod, 1100, 1400, 1),
        ("", "android.os.Toast.show", ProbedCall, 1200, 1300, 2),
        ("", "com.y.Other.go", ProbedMethod, 1600, 1700, 0),
    ];
    check(&timeline, &expected);
    check_places(&timeline, PLACES, &[None, Some(0), Some(1), None]);
    check_notes(&timeline, &[("probe-map-missing", 1)]);
    // Without the map the labels' own names stand.
    let timeline = read_bytes("t", &trace).unwrap();
    assert_eq!(slices(&timeline)[2].1, "an.os.Toast.show");
}

/// Slices of a trace and of probes nest in one thread.
#[test]
fn records_beside_a_trace() {
    let trace = Trace::default()
        .bundle(0, |bundle| {
            bundle
                .print(7050, 70, "B|70|inside run\n")
                .print(7350, 70, "E|70\n")
                .print(8150, 70, "B|70|outlives openStream\n")
                .print(8300, 70, "E|70\n");
        })
        .bytes();
    let files = [("a.probes", &*whole_file()), ("m.jsonl", MAP.as_bytes()), ("t.pftrace", &*trace)];
    let timeline = read_paths(&[folder("beside", &files)]).unwrap();
    // Only what the trace saw is used: run began before it.
    let expected = [
        ("main", "com.x.Main.run", ProbedMethod, 7050, 8000, 0),
        ("main", "inside run", Recorded, 7050, 7350, 1),
        // The section ends after the call that it began in: 50 ns are an error of the clocks.
        ("main", "android.os.Toast.show", ProbedCall, 7100, 7300, 2),
        ("main", "com.x.Main.work(I)V", ProbedMethod, 7400, 7600, 1),
        ("main", "com.x.Main.work(J)V", ProbedMethod, 7500, 7600, 2),
        ("main", "wattle.drain", Recorder, 7700, 7800, 1),
        ("main", "outlives openStream", Recorded, 8150, 8300, 0),
        ("main", "java.net.URL.openStream", ProbedCall, 8150, 8200, 1),
    ];
    check(&timeline, &expected);
    check_notes(&timeline, &[("probe-outside", 1)]);
}

#[track_caller]
fn check_lines(dropped: &[usize], missing: u64, expected: &[(&str, u64)], count: usize) {
    let mut lines = Lines::new();
    let mut said = vec![lines.process(70, CLOCKS, "com.x"), lines.thread(70, 0, "main")];
    for call in 0..100 {
        let from = 2000 + i64::from(call) * 10;
        said.push(lines.events(70, 0, 0, &[('E', 2, from), ('X', 2, from + 5)]));
    }
    let kept = said.iter().enumerate().filter(|(at, _)| !dropped.contains(at));
    let log =
        kept.map(|(_, line)| format!("I/wattle  (   70): {line}\n")).collect::<Vec<_>>().concat();
    let timeline = read_bytes("log", log.as_bytes()).unwrap();
    let quality = &timeline.quality.artifacts[0];
    assert_eq!(quality.lost_events, missing);
    let mut all = vec![("probe-map-missing", 1)];
    all.extend(expected);
    all.sort_unstable();
    check_notes(&timeline, &all);
    assert_eq!(timeline.code.slices.len(), count);
}

#[test]
fn lost_lines_are_counted() {
    check_lines(&[], 0, &[], 100);
    check_lines(&[50], 1, &[("probe-lines-lost", 1)], 99);
    check_lines(&[2, 3, 4, 40, 77, 78], 6, &[("probe-lines-lost", 6)], 94);
    // Without the first line there are no clocks: the log begins in the middle.
    let headless = [("no-boot-time", 1), ("probe-lines-headless", 1), ("probe-lines-lost", 1)];
    check_lines(&[0], 1, &headless, 100);
}

#[test]
fn files_that_are_damaged() {
    let whole = whole_file();
    let timeline = |bytes: &[u8]| read_bytes("a.probes", bytes).unwrap();
    let all = slices(&timeline(&whole)).len();
    for cut in 80..whole.len() {
        let timeline = timeline(&whole[..cut]);
        let count = slices(&timeline).len();
        assert!(count == 0 || count == 5 || (count == all && cut == whole.len()), "{cut}: {count}");
    }
    // A bit of a block: its records are lost, those of the others are not.
    let mut damaged = whole.clone();
    let last = damaged.len() - 1;
    damaged[last] ^= 1;
    let timeline = timeline(&damaged);
    assert_eq!(slices(&timeline).len(), 5);
    check_notes(
        &timeline,
        &[("probe-map-missing", 4), ("probe-unfinished", 1), ("probes-damaged", 1)],
    );
}

/// Ends without beginnings, beginnings without ends, losses, several processes, numbers that are used again.
#[test]
fn what_is_missing_is_told() {
    let mut bytes = file(70, "com.x", CLOCKS);
    let records = [('X', 9, 2000), ('E', 1, 2100), ('E', 2, 2200), ('X', 1, 2300), ('E', 3, 2400)];
    bytes.extend(events_block(
        BlockStart { tid: 71, serial: 1, number: 1, lost: 3, name: "first" },
        &records,
    ));
    bytes.extend(events_block(
        BlockStart { tid: 71, serial: 2, name: "second", ..BlockStart::default() },
        &[('E', 1, 3000), ('X', 1, 3100)],
    ));
    let other = {
        let mut bytes = file(80, "com.x:other", [1000, CLOCKS[1], 6100, 1200]);
        bytes.extend(events_block(BlockStart::main(80), &[('E', 1, 5000), ('X', 1, 5100)]));
        bytes
    };
    let files = [("a.probes", &*bytes), ("b.probes", &*other), ("map.jsonl", MAP.as_bytes())];
    let timeline = read_paths(&[folder("missing", &files)]).unwrap();
    // The second process's clocks leave 200 ns open, the first one's are exact.
    let expected = [
        ("main", "com.x.Main.run", ProbedMethod, 10_000, 10_100, 0),
        ("first", "com.x.Main.run", ProbedMethod, 7100, 7300, 0),
        ("first", "com.x.Main.work(I)V", ProbedMethod, 7200, 7300, 1),
        ("first", "com.x.Main.work(J)V", ProbedMethod, 7400, -1, 0),
        ("second", "com.x.Main.run", ProbedMethod, 8000, 8100, 0),
    ];
    let mut found = slices(&timeline);
    found.sort_by_key(|slice| (slice.0 != "main", slice.3));
    let found: Vec<Slice<'_>> =
        found.iter().map(|s| (s.0.as_str(), s.1.as_str(), s.2, s.3, s.4, s.5)).collect();
    assert_eq!(found, expected);
    let expected = [
        ("probe-blocks-lost", 1),
        ("probe-exit-missing", 1),
        ("probe-exit-unmatched", 1),
        ("probe-records-lost", 3),
        ("probe-unfinished", 1),
    ];
    check_notes(&timeline, &expected);
    let lost: u64 = timeline.quality.artifacts.iter().map(|artifact| artifact.lost_events).sum();
    assert_eq!(lost, 3);
    assert_eq!(timeline.tasks.threads.iter().filter(|thread| thread.tid.0 == 71).count(), 2);
}

/// After a sleep of 1 µs the records behind it are by the clocks behind it.
#[test]
fn a_sleep_between() {
    let mut bytes = file(70, "com.x", CLOCKS);
    bytes.extend(events_block(BlockStart::main(70), &[('E', 1, 2000), ('X', 1, 2100)]));
    bytes.extend(clocks_block([9000, CLOCKS[1], 15_000, 9000]));
    bytes.extend(events_block(
        BlockStart { number: 1, ..BlockStart::main(70) },
        &[('E', 1, 8500), ('X', 1, 8600)],
    ));
    let files = [("a.probes", &*bytes), ("map.jsonl", MAP.as_bytes())];
    let timeline = read_paths(&[folder("sleep", &files)]).unwrap();
    let expected = [
        ("main", "com.x.Main.run", ProbedMethod, 7000, 7100, 0),
        ("main", "com.x.Main.run", ProbedMethod, 14_500, 14_600, 0),
    ];
    check(&timeline, &expected);
    let has = |code: &str| notes(&timeline).iter().any(|(found, _)| found == code);
    assert!(has("clock-slept"), "{:?}", notes(&timeline));
}

/// Empty methods at the beginning: 100 ns apart, 40 ns inside; the first half is slower.
fn calibration(from: i64) -> Vec<Record> {
    let mut records = Vec::new();
    let mut time = from;
    for pair in 0..40 {
        let spacing = if pair < 20 { 900 } else { 100 };
        records.extend([('E', 0, time), ('X', 0, time + spacing * 2 / 5)]);
        time += spacing;
    }
    records.push(('E', 1, time + 1000));
    records.push(('X', 1, time + 2000));
    records
}

#[track_caller]
fn check_cost(timeline: &Timeline) {
    let [cost] = timeline.code.probe_costs.as_slice() else {
        panic!("{:?}", timeline.code.probe_costs)
    };
    let process = &timeline.tasks.processes[cost.process.unwrap().index()];
    assert_eq!(process.pid.0, 70);
    let values = [cost.pair, cost.low, cost.high, cost.inside].map(wattle_units::Nanos::value);
    assert_eq!(values, [100, 100, 100, 40]);
    // 39 distances, of which the later 20 count; the slow one among these is beyond the 19th.
    assert_eq!(cost.pairs, 20);
    let timed = slices(timeline).into_iter().filter(|slice| slice.1 == "wattle.calibration");
    assert!(timed.clone().all(|slice| slice.2 == Recorder));
    assert_eq!(timed.count(), 40);
}

#[test]
fn costs_of_probes() {
    let mut bytes = file(70, "com.x", CLOCKS);
    bytes.extend(events_block(BlockStart::main(70), &calibration(2000)));
    check_cost(&read_bytes("a.probes", &bytes).unwrap());
    let mut lines = Lines::new();
    let said = [lines.process(70, CLOCKS, "com.x"), lines.events(70, 0, 0, &calibration(2000))];
    let log =
        said.iter().map(|line| format!("I/wattle  (   70): {line}\n")).collect::<Vec<_>>().concat();
    check_cost(&read_bytes("log", log.as_bytes()).unwrap());
    let trace = Trace::default().bundle(0, |bundle| {
        for (letter, id, time) in calibration(2000) {
            let label = if id == 0 { "wattle.calibration" } else { "com.x.Main.run" };
            let text = match letter {
                'E' => format!("B|70|{label} #{id}@{}\n", &MAP_ID[..8]),
                _ => "E|70\n".to_owned(),
            };
            bundle.print(time as u64, 70, &text);
        }
    });
    check_cost(&read_bytes("trace", &trace.bytes()).unwrap());
}

/// Lines of tools that write one for each call: their times are the log's.
#[test]
fn calls_of_navitas_and_orka() {
    let line = |ms: u32, tid: u32, text: &str| {
        format!("2021-12-13 10:32:20.{ms:03} +0000  70 {tid} D {text}\n")
    };
    let states = "TimeInStates cpu0 1600000 4702761 800000 21620318 ; cpu1 ;  EndOfData 0";
    let log = [
        line(0, 70, &format!("TEST    : Entry com.x.Main.run {states}")),
        line(5, 70, &format!("TEST    : Entry com.x.Main.lost {states}")),
        line(7, 71, "orka    : entering Bar$1/run"),
        line(8, 71, "orka    :     API call l17 android/util/Log/d"),
        line(9, 71, "orka    : exiting Bar$1/run"),
        line(9, 71, "orka    : exiting Bar$1/run"),
        line(20, 70, &format!("TEST    : Exit com.x.Main.run {states}")),
    ]
    .concat();
    let timeline = read_bytes("log", log.as_bytes()).unwrap();
    let at = |ms: i64| 1_639_391_540_000_000_000 + ms * 1_000_000 + 500_000;
    let expected = [
        ("", "com.x.Main.run", ProbedMethod, at(0), at(20), 0),
        ("", "com.x.Main.lost", ProbedMethod, at(5), at(20), 1),
        ("", "Bar$1.run", ProbedMethod, at(7), at(9), 0),
        ("", "android.util.Log.d", ProbedCall, at(8), at(8), 1),
    ];
    check(&timeline, &expected);
    let expected = [
        ("log-unaligned", 7),
        ("text-calls", 4),
        ("text-exit-missing", 1),
        ("text-exit-unmatched", 1),
    ];
    check_notes(&timeline, &expected);
    let places = [
        "com.x.Main.run - -",
        "com.x.Main.lost - -",
        "Bar$1.run - -",
        "android.util.Log.d - -:17 [2]",
    ];
    check_places(&timeline, &places, &[Some(0), Some(1), Some(2), Some(3)]);
}

/// Orka names no package; what the map has once under such a name is the map's.
#[test]
fn calls_of_orka_beside_a_map() {
    let line = |ms: u32, text: &str| {
        format!("2021-12-13 10:32:20.{ms:03} +0000  70 70 D orka    : {text}\n")
    };
    let log = [
        line(0, "entering Main/run"),
        line(1, "    API call l3 android/os/Toast/show"),
        line(1, "    API call l4 android/os/Toast/show"),
        line(2, "invoking subroutine l5 Main/only"),
        line(3, "entering Main/only"),
        line(4, "exiting Main/only"),
        line(5, "invoking subroutine l6 Main/work"),
        line(5, "entering Main/work"),
        line(6, "    API call android/os/Toast/show"),
    ]
    .concat();
    let files = [("log.txt", log.as_bytes()), ("map.jsonl", MAP.as_bytes())];
    let timeline = read_paths(&[folder("orka-map", &files)]).unwrap();
    let own = ["android.os.Toast.show - -:4 [0]", "Main.work - -", "android.os.Toast.show - - [7]"];
    let all: Vec<_> = PLACES.iter().copied().chain(own).collect();
    let of_slices = [0, 1, 6, 4, 7, 8].map(Some);
    check_places(&timeline, &all, &of_slices);
    let site = |index| SiteId::new(index).unwrap();
    let lines =
        |caller, callee| timeline.code.sites.lines(site(caller), site(callee)).collect::<Vec<_>>();
    assert_eq!((lines(0, 4), lines(0, 7), lines(4, 0)), (vec![5], vec![6], vec![]));
    // The last call takes no time, and is inside.
    let last = timeline.code.slices.start.iter().max().unwrap();
    assert!(timeline.window.contains(*last));
}

/// Calls between methods in a map: lines of callees that it has, whatever else it contains.
#[test]
fn a_map_with_calls_between_methods() {
    let class = r#"{"class":"a.B","source":"B.java","methods":[{"id":1,"name":"x","descriptor":"()V","line":3,"invokes":[{"id":2,"lines":[9,4]},{"id":77,"lines":[5]},{"id":1}]},{"id":2,"name":"y","descriptor":"()V","invokes":[{"id":2,"lines":[20]}],"calls":[{"id":3,"class":"c.D","name":"z","descriptor":"()V","line":21,"inlined":[{"class":"a.E","name":"in","line":5},{"class":"a.F","name":"out"}]}]}]}"#;
    let map = format!("{{\"wattle_probe_map\":1,\"probes\":2}}\n{class}\n{{\"class\":7}}\n");
    let files = [("a.probes", &*whole_file()), ("map.jsonl", map.as_bytes())];
    let timeline = read_paths(&[folder("invokes", &files)]).unwrap();
    check_places(
        &timeline,
        &["a.B.x ()V B.java:3", "a.B.y ()V B.java", "c.D.z ()V B.java:21 [1]"],
        &[None; 6],
    );
    let site = |index| SiteId::new(index).unwrap();
    let lines =
        |caller, callee| timeline.code.sites.lines(site(caller), site(callee)).collect::<Vec<_>>();
    assert_eq!((lines(0, 1), lines(1, 1), lines(0, 0)), (vec![4, 9], vec![20], vec![]));
    assert_eq!(timeline.code.sites.invocations.len(), 3);
    let text = |name| timeline.names.get(name);
    let inlined = timeline.code.sites.inlined(site(2));
    let inlined: Vec<_> = inlined.map(|it| (text(it.class), text(it.method), it.line)).collect();
    assert_eq!(inlined, [("a.E", "in", Some(5)), ("a.F", "out", None)]);
    assert_eq!(timeline.code.sites.inlined(site(1)).count(), 0);
    check_notes(&timeline, &[("probe-map-damaged", 1), ("probe-map-missing", 5)]);
}
