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

/// Thread and file of each operation, in order of time.
fn files(timeline: &Timeline) -> Vec<(u32, Option<&str>)> {
    let mut operations: Vec<_> = timeline.hardware.disk.iter().collect();
    operations.sort_by_key(|it| it.window.start);
    let tid = |it: &wattle_timeline::DiskOperation| timeline.tasks.threads[it.thread.index()].tid.0;
    operations
        .into_iter()
        .map(|it| (tid(it), it.file.map(|file| timeline.names.get(file))))
        .collect()
}

/// The program 41 writes into two files, 42 into one of them later; the worker 60 writes them out, then something of its own, and 43 reads.
const WRITTEN_BACK: [(u64, u32, &str, u32, &str); 14] = [
    (100, 41, "android_fs_datawrite_start", 7, "/data/a, ino 9.db"),
    (110, 41, "ext4_da_write_begin", 7, ""),
    (120, 42, "f2fs_write_begin", 8, ""),
    (200, 60, "ext4_writepages", 7, ""),
    (210, 60, "block_rq_insert", 1000, "W"),
    (220, 60, "block_rq_complete", 1000, "W"),
    (230, 60, "ext4_writepages_result", 7, ""),
    (240, 60, "block_rq_insert", 2000, "W"),
    (250, 60, "block_rq_complete", 2000, "W"),
    (300, 60, "f2fs_submit_write_page", 8, ""),
    (310, 60, "block_rq_issue", 3000, "W"),
    (320, 60, "block_rq_complete", 3000, "W"),
    (400, 43, "android_fs_dataread_start", 7, "/data/a, ino 9.db"),
    (410, 43, "block_rq_issue", 4000, "R"),
];

#[test]
fn writers_of_what_a_worker_writes_out() {
    let mut trace = "# tracer: nop\n".to_owned();
    let mut events = Vec::new();
    for (micros, tid, name, value, text) in WRITTEN_BACK {
        let (inode, path) = (u64::from(value), text.as_bytes());
        let (number_of, arguments, fields) = match name {
            "android_fs_datawrite_start" => (
                434,
                format!(
                    "entry_name {text}, offset 0, bytes 10, cmd a, pid 41, i_size 9, ino {value}"
                ),
                [number(4, inode), bytes(6, path)].concat(),
            ),
            "android_fs_dataread_start" => (
                432,
                format!(
                    "entry_name {text}, offset 0, bytes 10, cmd a, pid 43, i_size 9, ino {value}"
                ),
                [number(4, inode), bytes(6, path)].concat(),
            ),
            name if name.starts_with("block") => {
                let device = u64::from(8_u32 << 20);
                let end = if name == COMPLETE { "()" } else { "4096 ()" };
                let kind = match name {
                    INSERT => 126,
                    ISSUE => 45,
                    _ => 125,
                };
                let place = [number(1, device), number(2, inode), number(3, 8)].concat();
                let arguments = format!("8,0 {text} {end} {value} + 8 [a]");
                (kind, arguments, [place, bytes(5, path)].concat())
            }
            name => {
                let kind = match name {
                    "ext4_da_write_begin" => 41,
                    "f2fs_write_begin" => 271,
                    "ext4_writepages" => 232,
                    "ext4_writepages_result" => 233,
                    _ => 254,
                };
                let arguments = if name.starts_with("f2fs") {
                    format!("dev = (8,0), ino = {value}, index = 0")
                } else {
                    format!("dev 8,0 ino {value} pos 0")
                };
                (kind, arguments, [number(1, 1), number(2, inode)].concat())
            }
        };
        let _ = writeln!(
            trace,
            "            thread-{tid:<5} [000] ....     1.{micros:06}: {name}: {arguments}"
        );
        let nanos = 1_000_000_000 + micros * 1000;
        events.push(event(nanos, u64::from(tid), number_of, &[fields]));
    }
    let expected = [
        (41, Some("/data/a")),
        // Nobody said whose this is.
        (60, None),
        (42, Some("inode 8")),
        (43, Some("/data/a")),
    ];
    let timeline = read_bytes("trace.txt", trace.as_bytes()).unwrap();
    assert_eq!(files(&timeline), expected);
    // Text ends a path at a comma; packets have all of it.
    let expected = expected.map(|(tid, file)| {
        (tid, file.map(|file| if file == "/data/a" { "/data/a, ino 9.db" } else { file }))
    });
    let timeline = read_bytes("trace", &bundle(0, &events)).unwrap();
    assert_eq!(files(&timeline), expected);
}
