//! Threads, clocks and processes of kernels that are not Linux (`generic_kernel`), by Perfetto's own tests of them
//! (`test/trace_processor/diff_tests/parser/generic_kernel/tests.py`) and by cases of our own.

use wattle_timeline::{ThreadId, Timeline};

use super::{notes, read};
use crate::traces::Trace;

const T0: u64 = 360_831_239_274;
const SECOND: u64 = 1_000_000_000;
const RUNNABLE: u64 = 2;
const RUNNING: u64 = 3;
const SLEEPS: u64 = 4;
const DEAD: u64 = 7;
const DESTROYED: u64 = 8;
/// States in which threads leave, as Linux numbers them.
const SLEEPING: Option<u16> = Some(1);
const PREEMPTED: Option<u16> = Some(0);
const GONE: Option<u16> = Some(0x80);

/// A state of a thread: seconds, CPU, thread, state.
fn state(trace: Trace, (seconds, cpu, tid, state): (u64, u64, u64, u64)) -> Trace {
    trace.at(T0 + seconds * SECOND, 117, |event| {
        event.varint(1, cpu);
        event.string(2, &format!("task{}", tid % 100));
        event.varint(3, tid);
        event.varint(4, state);
        event.varint(5, 100);
    })
}

fn states(of: &[(u64, u64, u64, u64)]) -> Trace {
    of.iter().fold(Trace::default(), |trace, event| state(trace, *event))
}

/// Start and end in seconds, thread, state at the end of each slice of a CPU that is not idle.
fn busy(timeline: &Timeline, cpu: usize) -> Vec<(i64, i64, u32, Option<u16>)> {
    let seconds = |time: wattle_units::BootNanos| (time.value() - T0 as i64) / SECOND as i64;
    let slices = timeline.cpus[cpu].sched.iter().filter(|slice| slice.thread != ThreadId::IDLE);
    slices
        .map(|slice| {
            let tid = timeline.tasks.threads[slice.thread.index()].tid.0;
            let (start, end) = (seconds(slice.window.start), seconds(slice.window.end));
            (start, end, tid, slice.end_state.map(|state| state.0))
        })
        .collect()
}

#[test]
fn a_thread_comes_and_leaves() {
    let timeline = read(states(&[(0, 0, 101, RUNNING), (1, 0, 101, DESTROYED)]));
    assert_eq!(busy(&timeline, 0), [(0, 1, 101, GONE)]);
    assert_eq!(notes(&timeline), []);
}

#[test]
fn a_thread_takes_the_cpu_of_another() {
    // Perfetto's order: the next one comes before it is said why the one before left.
    let events =
        [(0, 0, 101, RUNNING), (1, 0, 102, RUNNING), (1, 0, 101, SLEEPS), (3, 0, 102, SLEEPS)];
    let expected = [(0, 1, 101, SLEEPING), (1, 3, 102, SLEEPING)];
    assert_eq!(busy(&read(states(&events)), 0), expected);
    // The other order, and packets that are not in order of time.
    let [first, comes, leaves, last] = events;
    assert_eq!(busy(&read(states(&[first, leaves, comes, last])), 0), expected);
    assert_eq!(busy(&read(states(&[last, leaves, comes, first])), 0), expected);
}

#[test]
fn a_state_for_another_instant_is_not_that_of_the_switch() {
    let events =
        [(0, 0, 101, RUNNING), (1, 0, 102, RUNNING), (2, 0, 101, DESTROYED), (3, 0, 102, SLEEPS)];
    let timeline = read(states(&events));
    assert_eq!(busy(&timeline, 0), [(0, 1, 101, PREEMPTED), (1, 3, 102, SLEEPING)]);
}

#[test]
fn a_cpu_without_a_thread_is_idle() {
    let events = [(0, 1, 7, RUNNING), (1, 0, 7, SLEEPS), (4, 1, 8, RUNNING), (6, 0, 8, RUNNABLE)];
    let timeline = read(states(&events));
    // The CPU of a thread that leaves is the one that it came to, whatever the event says.
    assert_eq!(busy(&timeline, 1), [(0, 1, 7, SLEEPING), (4, 6, 8, PREEMPTED)]);
    let idle: Vec<_> =
        timeline.cpus[1].sched.iter().filter(|s| s.thread == ThreadId::IDLE).collect();
    assert_eq!(idle[0].window.duration().value(), 3 * SECOND as i64);
    assert!(timeline.cpus[0].sched.is_empty());
}

#[test]
fn threads_that_run_twice_and_dead_ones_that_run_are_counted() {
    let twice = read(states(&[(0, 0, 101, RUNNING), (1, 0, 101, RUNNING), (2, 0, 101, SLEEPS)]));
    assert_eq!(notes(&twice), [("task-state-order", 1)]);
    assert_eq!(busy(&twice, 0), [(0, 2, 101, SLEEPING)]);
    let dead =
        read(states(&[(0, 0, 101, DEAD), (2, 0, 101, RUNNING), (3, 0, 102, 0), (3, 0, 102, 9)]));
    assert_eq!(notes(&dead), [("task-state-malformed", 2), ("task-state-order", 1)]);
}

#[test]
fn a_number_that_is_free_is_another_thread() {
    let events = [(0, 0, 1, DEAD), (1, 0, 1, DESTROYED), (2, 0, 1, RUNNING), (3, 0, 1, SLEEPS)];
    let timeline = read(states(&events));
    assert_eq!(busy(&timeline, 0), [(2, 3, 1, SLEEPING)]);
    let lives = timeline.tasks.threads.iter().filter(|thread| thread.tid.0 == 1).count();
    assert_eq!((lives, notes(&timeline)), (2, vec![]));
}

#[test]
fn numbers_of_64_bits() {
    let (first, second) = (9_023_372_036_854_775_807, 8_923_372_036_854_775_807);
    let events = [
        (0, 0, first, RUNNING),
        (1, 0, second, RUNNING),
        (2, 0, first, RUNNING),
        (3, 0, first, SLEEPS),
    ];
    let timeline = read(states(&events));
    let slices = busy(&timeline, 0);
    assert_eq!(
        slices.iter().map(|(start, end, ..)| (*start, *end)).collect::<Vec<_>>(),
        [(0, 1), (1, 2), (2, 3)]
    );
    let tids: Vec<u32> = slices.iter().map(|(_, _, tid, _)| *tid).collect();
    assert_eq!((tids[0] == tids[2], tids[0] == tids[1]), (true, false), "{tids:?}");
}

#[test]
fn processes_clocks_and_idle_threads() {
    let trace = Trace::default().at(T0, 122, |tree| {
        tree.message(1, |process| {
            process.varint(1, 10);
            process.varint(2, 1);
            process.string(3, "/bin/shell --login");
        });
        for (tid, pid, name, is_main, is_idle) in [
            (11, 10, "main", true, false),
            (12, 10, "worker", false, false),
            (900, 1, "idle-0", false, true),
        ] {
            tree.message(2, |thread| {
                thread.varint(1, tid);
                thread.varint(2, pid);
                thread.string(3, name);
                thread.bool(4, is_main);
                thread.bool(5, is_idle);
            });
        }
    });
    let trace =
        [(0, 0, 900, RUNNING), (1, 0, 12, RUNNING), (2, 0, 12, SLEEPS), (2, 0, 900, RUNNING)]
            .iter()
            .fold(trace, |trace, event| state(trace, *event));
    let trace = trace
        .at(T0, 118, |clock| clock.varint(2, 1_800_000_000))
        .at(T0 + SECOND, 118, |clock| clock.varint(2, 600_000_000))
        .at(T0, 129, |clock| {
            clock.varint(1, 1);
            clock.varint(2, 848_000);
        })
        .at(T0 + SECOND, 120, |rename| {
            rename.varint(1, 12);
            rename.string(2, "pool");
        });
    let timeline = read(trace);
    assert_eq!(busy(&timeline, 0), [(1, 2, 12, SLEEPING)]);
    let idle = timeline.cpus[0].sched.iter().filter(|slice| slice.thread == ThreadId::IDLE);
    assert_eq!(idle.map(|slice| slice.window.duration().value()).sum::<i64>(), SECOND as i64);
    let clocks: Vec<_> =
        timeline.cpus[0].frequency.iter().map(|(_, clock)| clock.value()).collect();
    assert_eq!(clocks, [1_800_000_000, 600_000_000]);
    let gpu = &timeline.hardware.gpus[0];
    assert_eq!((gpu.id, gpu.frequency.first().unwrap().1.value()), (1, 848_000_000));
    let of = |tid: u32| {
        let thread = timeline.tasks.threads.iter().find(|thread| thread.tid.0 == tid).unwrap();
        let process = &timeline.tasks.processes[thread.process.unwrap().index()];
        let text = |name: Option<_>| name.map(|name| timeline.names.get(name));
        (text(thread.name), process.pid.0, text(process.name))
    };
    assert_eq!(of(11), (Some("main"), 10, Some("/bin/shell")));
    // The scheduler's events still call it as before.
    assert_eq!((of(12).1, of(12).2), (10, Some("/bin/shell")));
    assert!(timeline.tasks.threads.iter().all(|thread| thread.tid.0 != 900));
}
