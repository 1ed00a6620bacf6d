//! Damaged and malicious traces of the kernel, as text and in trace-cmd's files: never a panic, a hang or memory without bound.

use crate::ftrace_reader;
use crate::trace_dat_reader;
use crate::trace_dat_writer as writer;
use proptest::prelude::*;
use wattle_ingest::read_bytes;
use writer::{Event, Machine, Value};

/// A line of each kind.
const LINES: &str = "\
# entries-in-buffer/entries-written: 88819/134210   #P:2
##### CPU 1 buffer started ####
          <idle>-0     (-----) [001] d..2   538.064674: cpu_idle: state=2 cpu_id=1
 atrace-9     (    9) [001] ...1   538.064761: tracing_mark_write: trace_event_clock_sync: parent_ts=538.064758
 atrace-9     (    9) [001] ...1   538.064769: tracing_mark_write: trace_event_clock_sync: realtime_ts=1495123564025
 a b [0] (c)-7 7 [000] dNsa. 538.1: 0: B|7|x
 a-7     (    7) [000] ...1 538.2: tracing_mark_write: C|7|n|-5
 a-7     (    7) [000] ...1 538.2: tracing_mark_write: S|7|n|5
 a-7     (    7) [000] ...1 538.3: tracing_mark_write: E|7
 a-7     (    7) [000] d..2 538.4: sched_switch: prev_comm=a prev_pid=7 prev_prio=120 prev_state=R+ ==> next_comm=b next_pid=8 next_prio=120
 b-8     (    7) [000] d..2 538.5: sched_waking: comm=a pid=7 prio=120 target_cpu=001
 b-8     (    7) [000] d..2 538.6: cpu_frequency: state=1200000 cpu_id=0
 b-8     (    7) [000] d..2 538.7: irq_handler_entry: irq=16 name=mmc 0
 b-8     (    7) [000] d..2 538.8: irq_handler_exit: irq=16 ret=handled
 b-8     (    7) [000] d..2 538.9: suspend_resume: machine_suspend[3] begin
 b-8     (    7) [000] d..2 539.0: task_newtask: pid=9 comm=c clone_flags=10000 oom_score_adj=0
CPU:0 [LOST 12 EVENTS]
USER     PID   PPID  VSIZE  RSS     WCHAN    PC         NAME
u0_a5     640   124   1     2     ffffffff 00000000 S com.android.phone
  </script>
";

fn file(machine: Machine, version: u8) -> Vec<u8> {
    let number = Value::Number;
    let events = |first: u64| -> Vec<Event> {
        let event = |time, name, values| Event { time, tid: 7, name, values };
        let rows = (0..12).flat_map(|index| {
            let at = first + index * 1_000_000;
            let switch = vec![
                Value::Text("a"),
                number(7),
                number(120),
                number(1),
                Value::Text("b"),
                number(8),
                number(120),
            ];
            [
                event(at, "cpu_frequency", vec![number(1_200_000), number(0)]),
                event(at + 10, "irq_handler_entry", vec![number(16), Value::Text("mmc 0")]),
                event(at + 20, "print", vec![number(5), Value::Text("B|7|frame\n")]),
                event(at + 30, "sched_switch", switch),
            ]
        });
        rows.collect()
    };
    let cpus = [events(1_000_000_000), events(1_000_000_500)];
    match version {
        6 => machine.version_6(&cpus, "7 a\n8 b\n", "boot"),
        version => machine.version_7(&cpus, "7 a\n8 b\n", version == 8),
    }
}

/// Bytes put in places, an end cut off, a part repeated.
fn damage(
    bytes: &mut Vec<u8>,
    places: &[(prop::sample::Index, u8)],
    cut: Option<prop::sample::Index>,
    part: Option<(prop::sample::Index, prop::sample::Index)>,
) {
    for (place, byte) in places {
        let place = place.index(bytes.len());
        bytes[place] = *byte;
    }
    if let Some((from, to)) = part {
        let (from, to) = (from.index(bytes.len()), to.index(bytes.len()));
        let copied = bytes[from.min(to)..from.max(to)].to_vec();
        bytes.splice(from..from, copied);
    }
    if let Some(cut) = cut {
        bytes.truncate(cut.index(bytes.len()));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn damaged_text_never_panics(
        places in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..12),
        cut in prop::option::of(any::<prop::sample::Index>()),
        part in prop::option::of(any::<(prop::sample::Index, prop::sample::Index)>()),
    ) {
        let mut bytes = LINES.as_bytes().to_vec();
        damage(&mut bytes, &places, cut, part);
        ftrace_reader::run(&bytes);
    }

    #[test]
    fn numbers_of_any_size_never_panic(
        lines in prop::collection::vec((any::<u64>(), any::<u64>(), any::<i64>(), 0..6_u8), 0..12),
    ) {
        let rows = lines.iter().map(|(a, b, c, kind)| {
            let event = match kind {
                0 => format!("sched_switch: prev_comm=a prev_pid={a} prev_prio=1 prev_state=S ==> next_comm=b next_pid={b} next_prio={c}"),
                1 => format!("cpu_idle: state={a} cpu_id={b}"),
                2 => format!("gpu_work_period: gpu_id={a} uid={b} start_time_ns={c} end_time_ns={a} total_active_duration_ns={b}"),
                3 => format!("tracing_mark_write: C|{a}|n|{c}"),
                4 => format!("tracing_mark_write: trace_event_clock_sync: parent_ts={a}.{b}"),
                _ => format!("cpu_frequency: state={a} cpu_id={c}"),
            };
            format!(" a-{} [{:03}] d..2 {}.{:06}: {event}\n", a >> 40, b % 300, c.unsigned_abs() >> 20, b % 1_000_000)
        });
        ftrace_reader::run(rows.collect::<String>().as_bytes());
    }

    #[test]
    fn damaged_files_never_panic(
        machine in (any::<bool>(), any::<bool>()),
        version in 6..9_u8,
        places in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..12),
        cut in prop::option::of(any::<prop::sample::Index>()),
        part in prop::option::of(any::<(prop::sample::Index, prop::sample::Index)>()),
    ) {
        let machine = Machine { is_big: machine.0, long: if machine.1 { 8 } else { 4 } };
        let mut bytes = file(machine, version);
        trace_dat_reader::run_file(&bytes);
        damage(&mut bytes, &places, cut, part);
        trace_dat_reader::run_file(&bytes);
    }

    #[test]
    fn random_bytes_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..1_000)) {
        ftrace_reader::run(&bytes);
        trace_dat_reader::run(&bytes);
    }
}

/// A size declared in one place must not cost more than the file's own length.
#[test]
fn greedy_claims() {
    let little = Machine { is_big: false, long: 8 };
    let file = file(little, 6);
    // The sizes of tables and of CPUs' data, whichever stand there, as large as they get.
    for at in (10..file.len().min(4096)).step_by(4) {
        let mut greedy = file.clone();
        greedy[at..at + 4].fill(0xff);
        trace_dat_reader::run_file(&greedy);
    }
    // Losses that add up to more than a number holds.
    let lost = "CPU:0 [LOST 999999999999999999 EVENTS]\n".repeat(40);
    let text = ["# tracer: nop\n", &lost].concat();
    let timeline = read_bytes("lost", text.as_bytes()).unwrap();
    assert_eq!(timeline.quality.artifacts[0].lost_events, u64::MAX);
}

/// Time grows with length, not with its square.
#[test]
fn long_lines() {
    let megabyte = 1 << 20;
    for piece in
        ["[", "[0", "[001]", "(", "=", "a=", ":", " ==> ", "|", "-1 [001] 1.0:", "\\n\\", "\r"]
    {
        let line = piece.repeat(megabyte / piece.len());
        read_bytes("long", format!("# tracer: nop\n{line}\n").as_bytes()).unwrap();
        let event = format!("# tracer: nop\n a-1 [000] 1.0: sched_switch: prev_comm={line}\n");
        read_bytes("long", event.as_bytes()).unwrap();
    }
}
