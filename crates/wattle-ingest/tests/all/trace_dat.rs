//! Files of trace-cmd: written by this test's own writer, and read by trace-cmd itself as the independent reader. What
//! `trace-cmd report` prints of a file must be the same timeline; what `trace-cmd convert` makes of it, too.

#![expect(clippy::unwrap_used, reason = "a helper of a test fails the test by a panic")]

use crate::trace_dat_writer as writer;
use std::path::Path;
use std::process::Command;

use wattle_testdata::requires;
use wattle_timeline::{TaskState, Timeline};
use writer::{ACTION, Event, Machine, PAGE, Value};

const LITTLE: Machine = Machine { is_big: false, long: 8 };
const MACHINES: [Machine; 4] = [
    LITTLE,
    Machine { is_big: true, long: 8 },
    Machine { is_big: false, long: 4 },
    Machine { is_big: true, long: 4 },
];

const COMMS: &str = "7 worker\n8 render\n9 quiet one\n";

fn event(time: u64, tid: u32, name: &'static str, values: Vec<Value>) -> Event {
    Event { time, tid, name, values }
}

fn switch(
    time: u64,
    (prev, prev_comm): (u32, &'static str),
    state: u64,
    (next, next_comm): (u32, &'static str),
) -> Event {
    let number = |value: u32| Value::Number(u64::from(value));
    let values = vec![
        Value::Text(prev_comm),
        number(prev),
        Value::Number(120),
        Value::Number(state),
        Value::Text(next_comm),
        number(next),
        Value::Number(120),
    ];
    event(time, prev, "sched_switch", values)
}

const START: u64 = 1_000_000_000_000;
const IDLE: (u32, &str) = (0, "swapper");
const WORKER: (u32, &str) = (7, "worker");
const RENDER: (u32, &str) = (8, "render");

/// Returns the events of two CPUs.
fn cpus() -> Vec<Vec<Event>> {
    let number = |value: u64| Value::Number(value);
    let mut first = vec![
        event(START, 0, "cpu_frequency", vec![number(1_200_000), number(0)]),
        event(START + 10, 0, "cpu_idle", vec![number(2), number(0)]),
    ];
    // Enough for several pages, with a gap that the bits of an event cannot hold.
    for i in 0..200 {
        let at = START + 1_000_000 * (i + 1) + if i > 100 { 500_000_000 } else { 0 };
        first.extend([
            event(at, 0, "cpu_idle", vec![number(0xffff_ffff), number(0)]),
            event(at + 100, 0, "irq_handler_entry", vec![number(16), Value::Text("mmc 0")]),
            event(
                at + 200,
                0,
                "sched_waking",
                vec![Value::Text("worker"), number(7), number(120), number(1), number(1)],
            ),
            event(at + 300, 0, "irq_handler_exit", vec![number(16), number(1)]),
            event(at + 400, 0, "softirq_entry", vec![number(7)]),
            event(at + 500, 0, "softirq_exit", vec![number(7)]),
            switch(at + 600, IDLE, 0, RENDER),
            event(at + 700, 8, "print", vec![number(0xc000_8000), Value::Text("B|8|frame\n")]),
            event(at + 800, 8, "print", vec![number(0xc000_8000), Value::Text("E|8\n")]),
            event(at + 900, 8, "sched_stat_runtime", vec![number(5)]),
            switch(at + 1000, RENDER, u64::from(i % 3 != 0), IDLE),
            event(at + 1100, 0, "cpu_idle", vec![number(2), number(0)]),
        ]);
    }
    let second = vec![
        event(
            START + 5,
            0,
            "clock_set_rate",
            vec![Value::Text("gpu_clk"), number(300_000_000), number(1)],
        ),
        switch(START + 2_000_000, IDLE, 0, WORKER),
        event(START + 2_500_000, 7, "print", vec![number(0xc000_8000), Value::Text(LONG_MARK)]),
        event(
            START + 2_600_000,
            7,
            "print",
            vec![number(0xc000_8000), Value::Text("C|7|queue|12\n")],
        ),
        switch(START + 3_000_000, WORKER, 2, IDLE),
        event(START + 4_000_000, 0, "suspend_resume", vec![number(ACTION.0), number(3), number(1)]),
        event(START + 5_000_000, 0, "suspend_resume", vec![number(ACTION.0), number(3), number(0)]),
    ];
    vec![first, second]
}

/// Longer than the bits of an event's length hold.
const LONG_MARK: &str = "I|7|a mark whose text is so long that the length of its record does not fit into the five bits of the head \
    of an event, so that it stands in a word of its own\n";

fn read(bytes: &[u8]) -> Timeline {
    wattle_ingest::read_bytes("trace.dat", bytes).unwrap()
}

fn run(program: &str, args: &[&str], file: &Path) -> Vec<u8> {
    let output = Command::new(program).args(args).arg(file).output().unwrap();
    assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
    output.stdout
}

/// A folder of its own for each caller.
fn folder(name: &str) -> std::path::PathBuf {
    let folder =
        std::env::temp_dir().join(format!("wattle-trace-dat-{}-{name}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

#[track_caller]
fn assert_same(found: &Timeline, expected: &Timeline) {
    assert_eq!(found.window, expected.window);
    let threads = |timeline: &Timeline| {
        let name = |name| Some(timeline.names.get(name?).to_owned());
        let mut all: Vec<_> =
            timeline.tasks.threads.iter().map(|t| (t.tid.0, name(t.name))).collect();
        all.sort();
        all
    };
    assert_eq!(threads(found), threads(expected));
    let cpus = |timeline: &Timeline| {
        let tid = |thread: wattle_timeline::ThreadId| timeline.tasks.threads[thread.index()].tid.0;
        let each = timeline.cpus.iter().map(|cpu| {
            let slices = cpu
                .sched
                .iter()
                .map(|s| (s.window, tid(s.thread), s.end_state.map(TaskState::is_runnable)));
            let names = cpu.interrupts.name.iter().map(|name| timeline.names.get(*name).to_owned());
            let interrupts = cpu.interrupts.start.iter().zip(&cpu.interrupts.end).zip(names);
            let (frequency, idle) = (cpu.frequency.iter(), cpu.idle.iter());
            format!(
                "{:?} {:?} {:?} {:?}",
                slices.collect::<Vec<_>>(),
                interrupts.collect::<Vec<_>>(),
                frequency.collect::<Vec<_>>(),
                idle.collect::<Vec<_>>()
            )
        });
        each.collect::<Vec<_>>()
    };
    assert_eq!(cpus(found), cpus(expected));
    let slices = |timeline: &Timeline| {
        let all =
            timeline.code.slices.tracks.iter().flat_map(|track| timeline.code.slices.of(track));
        let mut all: Vec<_> =
            all.map(|s| (s.start, s.end, timeline.names.get(s.name).to_owned(), s.depth)).collect();
        all.sort();
        all
    };
    assert_eq!(slices(found), slices(expected));
    let counters = |timeline: &Timeline| {
        let mut all: Vec<_> = timeline
            .system
            .counters
            .iter()
            .map(|c| (timeline.names.get(c.name).to_owned(), format!("{:?} {:?}", c.time, c.value)))
            .collect();
        all.sort();
        all
    };
    assert_eq!(counters(found), counters(expected));
    let wakeups = |timeline: &Timeline| {
        let of = &timeline.wakeups;
        let mut all: Vec<_> =
            of.time.iter().zip(&of.cpu).zip(&of.target).map(|((t, c), g)| (*t, *c, *g)).collect();
        all.sort();
        all
    };
    assert_eq!(wakeups(found), wakeups(expected));
}

/// A file is read as it was written, on every machine.
#[test]
fn every_machine_says_the_same() {
    let cpus = cpus();
    for machine in MACHINES {
        let file = machine.version_6(&cpus, COMMS, "boot");
        let timeline = read(&file);
        let artifact = &timeline.quality.artifacts[0];
        assert_eq!(artifact.format, "trace-dat");
        assert_eq!(artifact.notes, [], "{machine:?}");
        assert_eq!(artifact.records, cpus.iter().map(Vec::len).sum::<usize>() as u64);
        assert_eq!(artifact.bytes, file.len() as u64);
        let count = |name: &str| cpus.iter().flatten().filter(|e| e.name == name).count() as u64;
        for name in ["sched_switch", "sched_waking", "cpu_idle", "print", "suspend_resume"] {
            assert_eq!(artifact.events.get(name), Some(&count(name)), "{machine:?} {name}");
        }
        assert_eq!(artifact.unread.get("sched_stat_runtime"), Some(&200));
        assert_eq!(timeline.window.start.value(), START as i64);
        // 200 frames of 400 ns on one CPU, a millisecond on the other.
        let busy =
            timeline.cpus.iter().flat_map(|cpu| cpu.sched.iter()).filter(|s| s.thread.0 != 0);
        assert_eq!(busy.map(|s| s.window.duration().value()).sum::<i64>(), 200 * 400 + 1_000_000);
        assert_eq!(timeline.code.slices.len(), 200 + 1);
        let asleep: Vec<_> = timeline
            .suspend
            .suspended
            .iter()
            .map(|(time, is)| (time.value() as u64 - START, is))
            .collect();
        assert_eq!(asleep, [(4_000_000, true), (5_000_000, false)]);
        assert_eq!(timeline.device.kernel.as_deref(), Some("6.1.0 test"));
        assert_same(&timeline, &read(&LITTLE.version_6(&cpus, COMMS, "boot")));
    }
}

/// trace-cmd's own reading, as text.
#[requires(program = "trace-cmd")]
#[test]
fn trace_cmd_reports_the_same() {
    let program = "trace-cmd";
    let folder = folder("report");
    for (index, machine) in MACHINES.into_iter().enumerate() {
        let file = machine.version_6(&cpus(), COMMS, "boot");
        let path = folder.join(format!("{index}.dat"));
        std::fs::write(&path, &file).unwrap();
        let text = run(program, &["report", "-t", "-i"], &path);
        let reported = wattle_ingest::read_bytes("report.txt", &text).unwrap();
        assert_eq!(reported.quality.artifacts[0].format, "ftrace");
        let codes: Vec<_> = reported.quality.artifacts[0].notes.iter().map(|n| &n.code).collect();
        assert_eq!(codes, ["clock-nanos"]);
        let found = read(&file);
        assert_same(&found, &reported);
        // trace-cmd does not turn the addresses of constant texts round, and prints them as numbers.
        if !machine.is_big {
            let suspended =
                |timeline: &Timeline| timeline.suspend.suspended.iter().collect::<Vec<_>>();
            assert_eq!(suspended(&found), suspended(&reported));
        }
        // The clock `local` is written in seconds.
        let file = machine.version_6(&cpus(), COMMS, "local");
        std::fs::write(&path, &file).unwrap();
        let text = run(program, &["report", "-t", "-i"], &path);
        let reported = wattle_ingest::read_bytes("report.txt", &text).unwrap();
        assert_eq!(reported.quality.artifacts[0].notes, []);
        assert_same(&read(&file), &reported);
    }
    for is_packed in [false, true] {
        let file = LITTLE.version_7(&cpus(), COMMS, is_packed);
        assert_same(&read(&file), &read(&LITTLE.version_6(&cpus(), COMMS, "boot")));
        assert_eq!(read(&file).quality.artifacts[0].notes, []);
        // Debian's trace-cmd is built without zlib.
        if !is_packed {
            let path = folder.join("7.dat");
            std::fs::write(&path, &file).unwrap();
            let text = run(program, &["report", "-t", "-i"], &path);
            assert_same(&read(&file), &wattle_ingest::read_bytes("report.txt", &text).unwrap());
        }
    }
    std::fs::remove_dir_all(folder).unwrap();
}

/// trace-cmd's own files: version 7, packed in each way.
#[requires(program = "trace-cmd")]
#[test]
fn trace_cmd_writes_the_same() {
    let program = "trace-cmd";
    let folder = folder("convert");
    let file = LITTLE.version_6(&cpus(), COMMS, "boot");
    let from = folder.join("6.dat");
    std::fs::write(&from, &file).unwrap();
    for packing in ["none", "zstd"] {
        let to = folder.join(format!("{packing}.dat"));
        let to_text = to.to_str().unwrap();
        run(
            program,
            &["convert", "--file-version", "7", "--compression", packing, "-o", to_text, "-i"],
            &from,
        );
        let converted = std::fs::read(&to).unwrap();
        assert_eq!(&converted[10..12], b"7\0");
        let timeline = read(&converted);
        let codes: Vec<_> =
            timeline.quality.artifacts[0].notes.iter().map(|n| n.code.clone()).collect();
        assert_eq!(codes, [""; 0], "{packing}");
        assert_same(&timeline, &read(&file));
    }
    std::fs::remove_dir_all(folder).unwrap();
}

/// Clocks that are not boot time are told of.
#[test]
fn clocks_are_told() {
    let codes = |clock: &str| {
        let timeline = read(&LITTLE.version_6(&cpus(), COMMS, clock));
        let artifact = &timeline.quality.artifacts[0];
        let codes: Vec<_> = artifact.notes.iter().map(|note| note.code.clone()).collect();
        (codes, artifact.records > 0)
    };
    assert_eq!(codes("boot"), (vec![], true));
    assert_eq!(codes("mono"), (vec!["clock-assumed".to_owned()], true));
    let refused = vec!["clock-not-time".to_owned(), "no-events".to_owned()];
    assert_eq!(codes("counter"), (refused, false));
}

/// A file that is cut off anywhere, or damaged, is read as far as it goes, and says so.
#[test]
fn damage_is_told() {
    let packed = LITTLE.version_7(&cpus(), COMMS, true);
    for length in (10..packed.len()).step_by(13) {
        let artifact = read(&packed[..length]).quality.artifacts.remove(0);
        assert!(!artifact.notes.is_empty(), "{length}");
    }
    hurt(&packed);
    let file = LITTLE.version_6(&cpus(), COMMS, "boot");
    hurt(&file);
    let whole = read(&file).quality.artifacts[0].records;
    let mut last = 0;
    for length in (10..file.len()).step_by(97) {
        let timeline = read(&file[..length]);
        let artifact = &timeline.quality.artifacts[0];
        assert!(artifact.records < whole || file.len() - length < PAGE, "{length}");
        assert!(artifact.records >= last, "{length}: less of more");
        assert!(!artifact.notes.is_empty() || artifact.records == whole, "{length}");
        last = artifact.records;
    }
}

/// A page whose time has a flipped bit is set apart, unless it is the last of its CPU: nothing comes after it that could tell.
#[test]
fn pages_of_another_age_are_set_apart() {
    let cpus = cpus();
    let file = LITTLE.version_6(&cpus, COMMS, "boot");
    let whole = read(&file);
    let is_start = |bytes: &[u8]| {
        let time = u64::from_le_bytes(bytes.try_into().expect("eight bytes"));
        cpus[0].iter().any(|event| event.time == time)
    };
    let starts: Vec<usize> =
        (0..file.len() - 8).filter(|at| is_start(&file[*at..*at + 8])).collect();
    let [decided @ .., _] = starts.as_slice() else { panic!("no page") };
    assert!(decided.len() >= 3, "{starts:?}");
    for at in decided {
        for byte in [6, 7] {
            let mut flipped = file.clone();
            flipped[at + byte] ^= 0x20;
            let found = read(&flipped);
            // Without its first page a CPU begins later.
            let inside = found.window.intersect(whole.window);
            assert_eq!(found.window, inside, "page at {at}, byte {byte}");
            let notes = &found.quality.artifacts[0].notes;
            let apart = notes.iter().find(|note| note.code == "time-outlier");
            assert_eq!(apart.map(|note| note.count), Some(1), "page at {at}: {notes:?}");
            let records = found.quality.artifacts[0].records;
            assert!(records < whole.quality.artifacts[0].records, "page at {at}");
        }
    }
}

/// Whatever is in it, reading ends.
fn hurt(file: &[u8]) {
    let mut random: u64 = 1;
    for _ in 0..300 {
        let mut damaged = file.to_vec();
        for _ in 0..4 {
            random = random
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            // Most of what matters is at the beginning.
            let reach = if random & 1 == 0 { damaged.len() } else { damaged.len().min(4096) };
            let at = 10 + (random >> 33) as usize % (reach - 10);
            damaged[at] = (random >> 24) as u8;
        }
        let _ = wattle_ingest::read_bytes("damaged", &damaged);
    }
}
