//! Reading the kernel's traces, written by this benchmark: some 20 MB of text as atrace and `trace-cmd report` print it, and the same
//! events in a file of trace-cmd.
#![allow(missing_docs, reason = "criterion's macros make undocumented functions")]
#![allow(clippy::expect_used, reason = "a benchmark that cannot run has nothing to say")]
#![allow(clippy::unwrap_used, reason = "the same")]

#[path = "../tests/all/trace_dat_writer.rs"]
mod writer;

use std::fmt::Write as _;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use wattle_ingest::read_bytes;
use writer::{Event, Machine, Value};

const CPUS: u64 = 8;
/// Rounds of each CPU, of nine events.
const ROUNDS: u64 = 2400;
/// Length of a round, nanoseconds.
const ROUND: u64 = 700_000;
const START: u64 = 1_000_000_000_000;

const NAMES: [&str; 8] = [
    "RenderThread",
    "surfaceflinger",
    "Binder:1234_5",
    "kworker/u16:3",
    "mple.app.sample",
    "HwBinder:910_1",
    "logd.writer",
    "rcu_preempt",
];

/// Returns the events of one CPU: it wakes up, runs a thread that marks a section, wakes another one, and idles.
fn cpu(cpu: u64) -> Vec<Event> {
    let number = Value::Number;
    let mut events = Vec::new();
    for round in 0..ROUNDS {
        let at = START + round * ROUND + cpu * 1000;
        let which = (round * 7 + cpu * 3) % NAMES.len() as u64;
        let (tid, name) = (1000 + which as u32, NAMES[which as usize]);
        let mut push = |after: u64, tid: u32, name: &'static str, values: Vec<Value>| {
            events.push(Event { time: at + after * 1000, tid, name, values });
        };
        let idle = |state: u64| vec![number(state), number(cpu)];
        let switch = |prev: (u64, &'static str), next: (u64, &'static str)| {
            let (prev, prev_name) = prev;
            let (next, next_name) = next;
            let text = Value::Text;
            let state = number(u64::from(prev != 0));
            let (prev, next) = (number(prev), number(next));
            vec![text(prev_name), prev, number(120), state, text(next_name), next, number(120)]
        };
        let (thread, idler) = ((u64::from(tid), name), (0, "swapper"));
        push(0, 0, "cpu_idle", idle(0xffff_ffff));
        push(5, 0, "cpu_frequency", vec![number(300_000 + round % 16 * 100_000), number(cpu)]);
        push(10, 0, "sched_switch", switch(idler, thread));
        push(20, tid, "print", vec![number(0xc000_8000), Value::Text("B|1000|draw frame")]);
        let woken = NAMES[(which as usize + 1) % NAMES.len()];
        let of = vec![Value::Text(woken), number(1001 + which), number(120), number(1)];
        push(100, tid, "sched_waking", [of, vec![number((cpu + 1) % CPUS)]].concat());
        push(200, tid, "print", vec![number(0xc000_8000), Value::Text("E|1000")]);
        push(210, tid, "sched_stat_runtime", vec![number(200_000)]);
        push(300, tid, "sched_switch", switch(thread, idler));
        push(310, 0, "cpu_idle", idle(2));
    }
    events
}

/// Events of all CPUs in order of time, as the kernel prints them.
fn text(cpus: &[Vec<Event>]) -> String {
    let numbered = cpus.iter().zip(0..);
    let mut all: Vec<(u32, &Event)> =
        numbered.flat_map(|(events, cpu)| events.iter().map(move |event| (cpu, event))).collect();
    all.sort_by_key(|(_, event)| event.time);
    let mut text = "# tracer: nop\n#\n".to_owned();
    for (cpu, event) in all {
        let comm = NAMES.get((event.tid as usize).wrapping_sub(1000)).unwrap_or(&"<idle>");
        let (seconds, micros) = (event.time / 1_000_000_000, event.time / 1000 % 1_000_000);
        let mark = if event.name == "print" { "tracing_mark_write" } else { event.name };
        let (tid, args) = (event.tid, arguments(event));
        let tgid = if tid == 0 { "-----" } else { " 1000" };
        writeln!(
            text,
            "{comm:>16}-{tid:<6} ({tgid}) [{cpu:03}] d..2  {seconds}.{micros:06}: {mark}: {args}"
        )
        .expect("memory takes text");
    }
    text
}

fn arguments(event: &Event) -> String {
    let value = |at: usize| match event.values[at] {
        Value::Number(number) => number.to_string(),
        Value::Text(text) => text.to_owned(),
    };
    match event.name {
        "cpu_idle" | "cpu_frequency" => format!("state={} cpu_id={}", value(0), value(1)),
        "sched_switch" => {
            let state = if value(3) == "0" { "R" } else { "S" };
            format!(
                "prev_comm={} prev_pid={} prev_prio=120 prev_state={state} ==> next_comm={} next_pid={} next_prio=120",
                value(0),
                value(1),
                value(4),
                value(5)
            )
        }
        "sched_waking" => {
            format!("comm={} pid={} prio=120 target_cpu={:0>3}", value(0), value(1), value(4))
        }
        "print" => value(1),
        _ => format!("runtime={} [ns]", value(0)),
    }
}

fn bench(criterion: &mut Criterion) {
    let cpus: Vec<Vec<Event>> = (0..CPUS).map(cpu).collect();
    let machine = Machine { is_big: false, long: 8 };
    let mut comms = String::new();
    for (name, tid) in NAMES.iter().zip(1000..) {
        writeln!(comms, "{tid} {name}").expect("memory takes text");
    }
    let inputs = [
        ("text", text(&cpus).into_bytes()),
        ("trace.dat 6", machine.version_6(&cpus, &comms, "boot")),
        ("trace.dat 7, zlib", machine.version_7(&cpus, &comms, true)),
    ];
    let mut group = criterion.benchmark_group("kernel traces");
    group.sample_size(10);
    for (name, bytes) in &inputs {
        // The files are left for other tools to be measured with.
        if let Some(folder) = std::env::var_os("WATTLE_BENCH_KEEP") {
            std::fs::write(std::path::Path::new(&folder).join(name), bytes).unwrap();
        }
        let events = cpus.iter().map(Vec::len).sum::<usize>() as u64;
        let read = read_bytes(name, bytes).expect("a trace");
        assert_eq!(read.quality.artifacts[0].records, events, "{name}");
        group.throughput(Throughput::Bytes(bytes.len() as u64));
        group.bench_function(*name, |bencher| {
            bencher.iter(|| read_bytes(name, bytes).expect("a trace"));
        });
    }
    group.finish();
}

criterion_group!(benches, bench);
criterion_main!(benches);
