//! Bytes that probes say calls moved, from each form in which they say so: the timeline has them with the call.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on has failed")]

use crate::record_writer as records;
use crate::traces;
use records::{BlockStart, Clocks, Lines, MAP_ID, Record, events_block, file};
use traces::Trace;
use wattle_ingest::read_bytes;
use wattle_timeline::{SliceScope, Timeline};

/// Boot time is monotonic time and 5,000 ns.
const CLOCKS: Clocks = [1000, 1_700_000_000_000, 6000, 1000];

/// Name without what is behind its number, begin, end, bytes.
type Moved = (String, i64, i64, u32);

#[track_caller]
fn check(timeline: &Timeline, expected: &[(&str, i64, i64, u32)]) {
    let mut found: Vec<Moved> = Vec::new();
    for track in &timeline.code.slices.tracks {
        let SliceScope::Thread(_) = track.scope else { continue };
        found.extend(timeline.code.slices.of(track).map(|slice| {
            let name = timeline.names.get(slice.name).split('@').next().unwrap().to_owned();
            (name, slice.start.value(), slice.end.value(), slice.bytes)
        }));
    }
    let found: Vec<_> = found.iter().map(|it| (it.0.as_str(), it.1, it.2, it.3)).collect();
    assert_eq!(found, expected);
    // One a slice where any has moved bytes, none otherwise.
    let count = if expected.iter().any(|it| it.3 > 0) { timeline.code.slices.len() } else { 0 };
    assert_eq!(timeline.code.slices.bytes.len(), count);
}

const MOST: u32 = (1 << 28) - 1;

const RECORDS: &[Record] = &[
    ('E', 1, 2000),
    ('C', 4, 2100),
    ('B', 1460, 2200),
    ('C', 4, 2300),
    ('B', 0, 2400),
    // A call inside a call, and a method between them whose exit was lost: the outer call's end ends it too.
    ('C', 4, 2500),
    ('E', 2, 2510),
    ('C', 5, 2520),
    ('B', MOST, 2530),
    ('B', 77, 2600),
    // A failure moves nothing, whatever it says; neither does the end of a method.
    ('C', 5, 2700),
    ('F', 33, 2800),
    ('X', 1, 3000),
];

const EXPECTED: &[(&str, i64, i64, u32)] = &[
    ("#1", 7000, 8000, 0),
    ("#4", 7100, 7200, 1460),
    ("#4", 7300, 7400, 0),
    ("#4", 7500, 7600, 77),
    ("#2", 7510, 7600, 0),
    ("#5", 7520, 7530, MOST),
    ("#5", 7700, 7800, 0),
];

#[test]
fn records_of_a_file() {
    let mut bytes = file(70, "com.x", CLOCKS);
    bytes.extend(events_block(BlockStart::main(70), RECORDS));
    check(&read_bytes("a.probes", &bytes).unwrap(), EXPECTED);
    // Nothing was moved: no column.
    let mut bytes = file(70, "com.x", CLOCKS);
    bytes.extend(events_block(BlockStart::main(70), &[('C', 4, 2000), ('B', 0, 2100)]));
    check(&read_bytes("a.probes", &bytes).unwrap(), &[("#4", 7000, 7100, 0)]);
    // An end without a beginning gives its bytes to nobody.
    let mut bytes = file(70, "com.x", CLOCKS);
    bytes.extend(events_block(
        BlockStart::main(70),
        &[('E', 1, 2000), ('B', 9, 2100), ('X', 1, 2200)],
    ));
    check(&read_bytes("a.probes", &bytes).unwrap(), &[("#1", 7000, 7200, 0)]);
}

#[test]
fn log_lines() {
    let mut lines = Lines::new();
    let said = [
        lines.process(70, CLOCKS, "com.x"),
        lines.thread(70, 0, "main"),
        lines.events(70, 0, 0, RECORDS),
    ];
    let log = said.map(|line| format!("I/wattle  (   70): {line}\n")).concat();
    check(&read_bytes("log.txt", log.as_bytes()).unwrap(), EXPECTED);
}

#[test]
fn nested_sections_of_a_trace() {
    let map = &MAP_ID[..8];
    let begin = |name: &str| format!("B|70|{name}\n");
    let end = "E|70\n";
    let trace = Trace::default()
        .bundle(0, |bundle| {
            bundle
                .print(1000, 70, &begin(&format!("#4@{map}")))
                .print(1100, 70, &begin("inflate"))
                .print(1200, 70, end)
                .print(1300, 70, &begin("wattle.bytes 4096"))
                .print(1300, 70, end)
                .print(1400, 70, end)
                // Of a call that began before the trace.
                .print(1500, 70, &begin("wattle.bytes 12"))
                .print(1600, 70, end)
                .print(1650, 70, end)
                // With something in it, and no number: somebody else's.
                .print(1700, 70, &begin("outer"))
                .print(1800, 70, &begin("wattle.bytes 13"))
                .print(1810, 70, &begin("inner"))
                .print(1820, 70, end)
                .print(1830, 70, end)
                .print(1840, 70, &begin("wattle.bytes -1"))
                .print(1850, 70, end)
                .print(1900, 70, end)
                // The trace ends inside of a call that has told of its bytes.
                .print(2000, 70, &begin("cut off"))
                .print(2100, 70, &begin("wattle.bytes 5"))
                .print(2110, 70, end);
        })
        .bytes();
    let never = wattle_units::BootNanos::MAX.value();
    check(
        &read_bytes("t", &trace).unwrap(),
        &[
            ("#4", 1000, 1400, 4096),
            ("inflate", 1100, 1200, 0),
            ("outer", 1700, 1900, 0),
            ("wattle.bytes 13", 1800, 1830, 0),
            ("inner", 1810, 1820, 0),
            ("wattle.bytes -1", 1840, 1850, 0),
            ("cut off", 2000, never, 5),
        ],
    );
}
