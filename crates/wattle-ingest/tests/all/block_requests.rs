//! Requests to disks: the same ones as text, as Perfetto's packets and as trace-cmd's file.

use std::fmt::Write as _;

use wattle_ingest::read_bytes;
use wattle_timeline::{DiskKind, Timeline};

use crate::trace_build::{bundle, bytes, event, number};
use crate::trace_dat_writer::{Event, Machine, Value};

/// An event of the block layer.
struct Step {
    cpu: usize,
    /// Microseconds.
    time: u64,
    tid: u32,
    name: &'static str,
    disk: (u32, u32),
    place: (u64, u64),
    rwbs: &'static str,
}

const fn step(
    (cpu, time, tid): (usize, u64, u32),
    name: &'static str,
    minor: u32,
    place: (u64, u64),
    rwbs: &'static str,
) -> Step {
    Step { cpu, time, tid, name, disk: (8, minor), place, rwbs }
}

const INSERT: &str = "block_rq_insert";
const ISSUE: &str = "block_rq_issue";
const COMPLETE: &str = "block_rq_complete";

/// A write that a worker issues and an interrupt of another CPU completes in two parts, a read that is issued at once on another disk, a
/// flush, a discard, a completion of what began before, and a read under way at the end.
const STEPS: [Step; 12] = [
    step((0, 1_000_100, 50), COMPLETE, 0, (900, 8), "R"),
    step((0, 1_000_200, 41), INSERT, 0, (1000, 16), "WS"),
    step((1, 1_000_250, 60), ISSUE, 0, (1000, 16), "WS"),
    step((1, 1_000_300, 42), ISSUE, 16, (1000, 8), "RA"),
    step((0, 1_000_450, 0), COMPLETE, 0, (1000, 8), "WS"),
    step((0, 1_000_550, 0), COMPLETE, 0, (1008, 8), "WS"),
    step((0, 1_000_600, 0), COMPLETE, 16, (1000, 8), "RA"),
    step((1, 1_000_700, 41), ISSUE, 0, (0, 0), "FF"),
    step((0, 1_000_800, 0), COMPLETE, 0, (0, 0), "FF"),
    step((1, 1_000_810, 43), ISSUE, 0, (5000, 64), "D"),
    step((1, 1_000_820, 42), ISSUE, 16, (2000, 32), "R"),
    step((0, 1_000_900, 0), COMPLETE, 0, (5000, 64), "D"),
];

fn text() -> Timeline {
    let mut trace = "# tracer: nop\n".to_owned();
    for it in &STEPS {
        let (sector, sectors) = it.place;
        let size = if it.name == COMPLETE { String::new() } else { format!("{} ", sectors * 512) };
        let end = if it.name == COMPLETE { "0" } else { "some thread" };
        let _ = writeln!(
            trace,
            "            thread-{:<5} [{:03}] ....     1.{:06}: {}: {},{} {} {size}() {sector} + {sectors} [{end}]",
            it.tid,
            it.cpu,
            it.time - 1_000_000,
            it.name,
            it.disk.0,
            it.disk.1,
            it.rwbs,
        );
    }
    read_bytes("trace.txt", trace.as_bytes()).unwrap()
}

fn perfetto() -> Timeline {
    let of_cpu = |cpu: usize| {
        let events: Vec<Vec<u8>> = STEPS
            .iter()
            .filter(|it| it.cpu == cpu)
            .map(|it| {
                let kind = match it.name {
                    INSERT => 126,
                    ISSUE => 45,
                    _ => 125,
                };
                let device = u64::from(it.disk.0 << 20 | it.disk.1);
                let place = [number(2, it.place.0), number(3, it.place.1)];
                let fields = [number(1, device), place.concat(), bytes(5, it.rwbs.as_bytes())];
                event(it.time * 1000, u64::from(it.tid), kind, &fields)
            })
            .collect();
        bundle(cpu as u64, &events)
    };
    // The CPU that completes comes first.
    let trace: Vec<u8> = [of_cpu(0), of_cpu(1)].concat();
    read_bytes("trace", &trace).unwrap()
}

fn trace_dat() -> Timeline {
    let of_cpu = |cpu: usize| {
        let steps = STEPS.iter().filter(|it| it.cpu == cpu);
        let of = |it: &Step| Event {
            time: it.time * 1000,
            tid: it.tid,
            name: it.name,
            values: vec![
                Value::Number(u64::from(it.disk.0 << 20 | it.disk.1)),
                Value::Number(it.place.0),
                Value::Number(it.place.1),
                Value::Text(it.rwbs),
            ],
        };
        steps.map(of).collect::<Vec<_>>()
    };
    let machine = Machine { is_big: true, long: 8 };
    read_bytes("trace.dat", &machine.version_6(&[of_cpu(0), of_cpu(1)], "", "boot")).unwrap()
}

/// Kind, begin and end (µs after the first second), thread, disk, offset and bytes, service (µs) of each operation.
type Row = (DiskKind, (i64, i64), (bool, bool), u32, u32, Option<(u64, u64)>, Option<i64>);

fn rows(timeline: &Timeline) -> Vec<Row> {
    let row = |it: &wattle_timeline::DiskOperation| {
        let micros = |nanos: i64| nanos / 1000 - 1_000_000;
        (
            it.kind,
            (micros(it.window.start.value()), micros(it.window.end.value())),
            (it.begin_seen, it.end_seen),
            timeline.tasks.threads[it.thread.index()].tid.0,
            it.disk.unwrap(),
            it.offset.zip(it.bytes),
            it.service.map(|it| it.value() / 1000),
        )
    };
    let mut rows: Vec<Row> = timeline.hardware.disk.iter().map(row).collect();
    rows.sort_by_key(|row| (row.1.1, row.4));
    rows
}

#[test]
fn requests_are_operations_of_disks_in_every_format() {
    use DiskKind::{Flush, Read, Write};
    let whole = (true, true);
    let expected: Vec<Row> = vec![
        (Read, (100, 100), (false, true), 0, 0, Some((460_800, 4096)), None),
        (Write, (200, 450), whole, 41, 0, Some((512_000, 4096)), Some(200)),
        (Write, (200, 550), whole, 41, 0, Some((516_096, 4096)), Some(300)),
        (Read, (300, 600), whole, 42, 1, Some((512_000, 4096)), Some(300)),
        (Flush, (700, 800), whole, 41, 0, None, Some(100)),
        (Read, (820, 820), (true, false), 42, 1, Some((1_024_000, 16_384)), None),
    ];
    for (format, timeline) in
        [("text", text()), ("Perfetto", perfetto()), ("trace.dat", trace_dat())]
    {
        let quality = &timeline.quality.artifacts[0];
        assert_eq!(rows(&timeline), expected, "{format}: {quality:?}");
        let used = quality.events.iter().filter(|(name, _)| name.starts_with("block_rq_"));
        assert_eq!(used.map(|(_, count)| count).sum::<u64>(), 12, "{format}: {quality:?}");
    }
}
