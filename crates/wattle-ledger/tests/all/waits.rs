//! Why threads did not run, and what woke them. Times are in microseconds.

use wattle_ledger::{AttributionOptions, Ledger, NoWaits, WaitEntry, WaitKind, attribute};
use wattle_power::PowerEstimate;
use wattle_timeline::{
    BlockedReason, CpuId, InterruptKind, InterruptSlice, SchedSlice, SchedSlices, TaskState,
    ThreadId, Timeline, Window,
};
use wattle_units::Nanos;

use crate::common::{Phone, at, window};

/// A thread's run, and the state in which it left. What comes before on that CPU is idle.
fn run(
    timeline: &mut Timeline,
    cpu: usize,
    (start, end): (i64, i64),
    thread: ThreadId,
    state: u16,
) {
    idle_until(timeline, cpu, start);
    let end_state = Some(TaskState(state));
    timeline.cpus[cpu].sched.push(SchedSlice { window: window(start, end), thread, end_state });
}

/// The idle task runs from the last run on.
fn idle_until(timeline: &mut Timeline, cpu: usize, end: i64) {
    let sched = &mut timeline.cpus[cpu].sched;
    let start = sched.iter().last().map_or(at(0), |slice| slice.window.end);
    let window = Window::new(start, at(end));
    if !window.is_empty() {
        sched.push(SchedSlice { window, thread: ThreadId::IDLE, end_state: Some(TaskState(0)) });
    }
}

fn wake(timeline: &mut Timeline, time: i64, cpu: u32, thread: ThreadId) {
    timeline.wakeups.time.push(at(time));
    timeline.wakeups.cpu.push(CpuId(cpu));
    timeline.wakeups.thread.push(thread);
    timeline.wakeups.target.push(CpuId(0));
}

fn ledger(timeline: &Timeline, keep_waits: bool) -> Ledger {
    let mut options = AttributionOptions::default();
    options.keep_waits = keep_waits;
    attribute(timeline, &PowerEstimate::default(), &options).expect("a ledger")
}

/// Two CPUs: `main` sleeps until `worker` wakes it and waits for a CPU, is preempted, waits for a disk, and for a timer.
fn phone() -> Timeline {
    let mut phone = Phone::new(2, 1000);
    let (main, worker) = (phone.thread("main"), phone.thread("worker"));
    let timeline = &mut phone.timeline;
    run(timeline, 0, (0, 10), main, 1);
    run(timeline, 0, (60, 100), main, 0);
    run(timeline, 0, (130, 200), main, 2);
    run(timeline, 0, (300, 400), main, 1);
    run(timeline, 0, (600, 700), main, 1);
    run(timeline, 1, (0, 250), worker, 1);
    run(timeline, 1, (900, 950), worker, 0x40);
    idle_until(timeline, 0, 1000);
    idle_until(timeline, 1, 1000);
    wake(timeline, 50, 1, main);
    wake(timeline, 290, 0, main);
    wake(timeline, 590, 1, main);
    let handler = timeline.names.intern("IRQ (arch_timer)");
    timeline.cpus[1].interrupts.push(InterruptSlice {
        window: window(585, 595),
        kind: InterruptKind::Hard,
        name: handler,
    });
    let function = Some(timeline.names.intern("wait_on_page_bit"));
    timeline.blocked = vec![BlockedReason { time: at(290), thread: main, is_io: true, function }];
    phone.timeline
}

#[test]
fn waits_are_told_apart_by_reason_and_waker() {
    let ledger = ledger(&phone(), true);
    let rows: Vec<_> = ledger.sheets.waits.iter().map(short).collect();
    let expected = [
        ("worker", WaitKind::Sleep, None, None, 1, 650),
        ("main", WaitKind::Sleep, None, Some("IRQ (arch_timer)"), 1, 190),
        ("main", WaitKind::Disk, Some("wait_on_page_bit"), Some("an interrupt"), 1, 90),
        // After each of three wake-ups, and once preempted.
        ("main", WaitKind::Runnable, None, None, 4, 60),
        ("main", WaitKind::Sleep, None, Some("worker"), 1, 40),
    ];
    assert_eq!(rows, expected);
    let runnable = &ledger.sheets.waits[3];
    assert_eq!((runnable.longest, runnable.longest_at), (Nanos::new(30_000), at(100)));
    assert_eq!((runnable.pid, runnable.tid), (Some(101), 101));
}

fn short(row: &WaitEntry) -> (&str, WaitKind, Option<&str>, Option<&str>, u64, i64) {
    let micros = row.total.value() / 1000;
    (&row.thread, row.kind, row.function.as_deref(), row.woken_by.as_deref(), row.count, micros)
}

#[test]
fn waits_are_kept_on_request_and_in_files() {
    assert_eq!(ledger(&phone(), false).sheets.waits, []);
    let ledger = ledger(&phone(), true);
    let file = ledger.to_bytes().expect("a file");
    assert_eq!(Ledger::from_bytes(&file).expect("the same").sheets, ledger.sheets);
}

#[test]
fn where_no_wait_is_known_the_ledger_says_why() {
    let check = |expected: Option<NoWaits>, change: fn(&mut Timeline)| {
        let mut phone = phone();
        change(&mut phone);
        let ledger = ledger(&phone, true);
        assert_eq!(ledger.sheets.no_waits, expected);
        assert_eq!(ledger.sheets.waits.is_empty(), expected.is_some());
        let file = ledger.to_bytes().expect("a file");
        assert_eq!(Ledger::from_bytes(&file).expect("the same").sheets, ledger.sheets);
    };
    check(None, |_| ());
    check(Some(NoWaits::Samples), |phone| phone.cpus[0].sched_is_inferred = true);
    check(Some(NoWaits::NoCpus), |phone| phone.cpus.iter_mut().for_each(|it| it.is_virtual = true));
    check(Some(NoWaits::NoSwitches), |phone| {
        phone.cpus.iter_mut().for_each(|cpu| cpu.sched = SchedSlices::default());
    });
}

#[test]
fn while_events_of_a_cpu_are_missing_nobody_is_known_to_wait() {
    let mut phone = Phone::new(2, 1000);
    let main = phone.thread("main");
    for (start, end) in [(0, 10), (60, 100), (300, 400)] {
        run(&mut phone.timeline, 0, (start, end), main, 1);
    }
    idle_until(&mut phone.timeline, 0, 1000);
    // Of the other CPU nothing is known before 50 µs, and between 200 and 250.
    phone.timeline.cpus[1].sched.push(SchedSlice {
        window: window(50, 200),
        thread: ThreadId::IDLE,
        end_state: None,
    });
    phone.timeline.cpus[1].sched.push(SchedSlice {
        window: window(250, 1000),
        thread: ThreadId::IDLE,
        end_state: None,
    });
    let ledger = ledger(&phone.timeline, true);
    assert_eq!(ledger.sheets.waits, []);
    assert_eq!(ledger.sheets.doubtful_waits, 2);
}

#[test]
fn states_of_a_thread_are_told_apart() {
    let kind = |state: u16| {
        let mut phone = Phone::new(1, 1000);
        let main = phone.thread("main");
        run(&mut phone.timeline, 0, (0, 10), main, state);
        run(&mut phone.timeline, 0, (100, 110), main, 1);
        idle_until(&mut phone.timeline, 0, 1000);
        ledger(&phone.timeline, true).sheets.waits[0].kind
    };
    // `S`, `D`, `D|K`, `D|N` (idle kernel threads), `T`, `P` (parked).
    assert_eq!(
        [0, 1, 2, 0x102, 0x402, 4, 0x40].map(kind),
        [
            WaitKind::Runnable,
            WaitKind::Sleep,
            WaitKind::Blocked,
            WaitKind::Blocked,
            WaitKind::Blocked,
            WaitKind::Stopped,
            WaitKind::Stopped,
        ]
    );
}
