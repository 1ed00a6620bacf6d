//! Idle runs: what the scheduler may not do, what the truth says, and what readers find in the traces.

use std::collections::BTreeMap;

use wattle_sim::idle::{
    EtlForm, IdleMachine, IdlePopulation, IdleRun, IdleSystem, PlantedKind, PointerSize,
    RequestKind, TimerRequest,
};
use wattle_timeline::{
    CounterScope, REQUESTED_TIMER_PERIOD, StackSample, TIMER_PERIOD, Timeline, Window,
};
use wattle_units::{BootNanos, Nanos};

fn population(system: IdleSystem) -> IdlePopulation {
    IdlePopulation { system, duration: Nanos::from_seconds(4.0), ..IdlePopulation::default() }
}

fn runs() -> impl Iterator<Item = IdleRun> {
    let systems = [IdleSystem::Linux, IdleSystem::Windows64, IdleSystem::Windows32];
    (0..12).map(move |seed| population(systems[seed as usize % 3]).machine(seed).run())
}

/// A thread on a core: thread, core, when.
type OnCore = (u32, u32, Window);

/// Who was on which core, from the switches alone.
fn on_cores(run: &IdleRun) -> Vec<OnCore> {
    let mut open: BTreeMap<u32, (u32, BootNanos)> = BTreeMap::new();
    let mut found = Vec::new();
    for switch in &run.switches {
        let before = open.remove(&switch.core);
        assert_eq!(before.map(|(thread, _)| thread), switch.from, "who goes is who was there");
        if let Some((thread, start)) = before {
            found.push((thread, switch.core, Window::new(start, switch.time)));
        }
        if let Some(thread) = switch.to {
            open.insert(switch.core, (thread, switch.time));
        }
    }
    let last = open.into_iter();
    found.extend(last.map(|(core, (thread, start))| (thread, core, Window::new(start, run.end))));
    found
}

#[test]
fn no_thread_is_on_two_cores() {
    for run in runs() {
        let mut found = on_cores(&run);
        found.sort_by_key(|(thread, _, window)| (*thread, window.start));
        let mut sums = vec![Nanos::ZERO; run.threads.len()];
        for pair in found.windows(2) {
            assert!(pair[0].0 != pair[1].0 || pair[0].2.end <= pair[1].2.start, "{pair:?}");
        }
        for (thread, _, window) in &found {
            sums[*thread as usize] += window.duration();
        }
        let booked: Vec<Nanos> = run.threads.iter().map(|thread| thread.cpu).collect();
        assert_eq!(sums, booked);
    }
}

#[test]
fn the_truth_is_what_was_on_cores() {
    for run in runs() {
        let found = on_cores(&run);
        for planted in &run.planted {
            let window = Window::new(planted.start, planted.end);
            let of_it = |thread: u32| run.threads[thread as usize].tid == planted.tid;
            let parts = found.iter().filter(|(thread, ..)| of_it(*thread));
            let cpu: Nanos = parts.map(|(.., on)| on.intersect(window).duration()).sum();
            let share = cpu.seconds() / window.duration().seconds();
            assert!((share - planted.cpu_use).abs() < 0.01, "{share} {planted:?}");
            let wakings =
                run.wakings.iter().filter(|it| of_it(it.thread) && window.contains(it.time));
            assert!(wakings.count() as u64 <= planted.wakeups, "{planted:?}");
            let is_whole = planted.kind == PlantedKind::WholeRunTimer;
            assert!(is_whole || planted.over_thread > 1.0, "{planted:?}");
            assert_eq!(planted.period.is_some(), planted.kind.has_beat(), "{planted:?}");
        }
    }
}

#[test]
fn the_same_seed_is_the_same_run() {
    let machine = population(IdleSystem::Linux).machine(3);
    assert_eq!(machine.run().switches, machine.run().switches);
    let other = population(IdleSystem::Linux).machine(4);
    assert_ne!(machine.run().switches, other.run().switches);
}

/// Compares what a reader found with the run: times may be rounded down to `grain` nanoseconds.
#[track_caller]
fn check(run: &IdleRun, timeline: &Timeline, grain: i64) {
    let round = |time: BootNanos| time.value().div_euclid(grain) * grain;
    let mut expected: Vec<(u32, u32, u32, i64, i64)> = on_cores(run)
        .into_iter()
        .map(|(thread, core, window)| {
            let tid = run.threads[thread as usize].tid;
            (core, tid, run.process(thread).pid, round(window.start), round(window.end))
        })
        .collect();
    let end = timeline.window.end.value();
    // A slice that is open at the end ends with what was last recorded.
    for slice in expected.iter_mut().filter(|slice| slice.4 > end) {
        slice.4 = end;
    }
    expected.retain(|slice| slice.4 > slice.3);
    let mut found = Vec::new();
    for (core, cpu) in (0..).zip(&timeline.cpus) {
        for slice in cpu.sched.iter().filter(|slice| !slice.thread.is_idle()) {
            let thread = &timeline.tasks.threads[slice.thread.index()];
            let pid = thread.process.map_or(0, |it| timeline.tasks.processes[it.index()].pid.0);
            let window = slice.window;
            found.push((core, thread.tid.0, pid, window.start.value(), window.end.value()));
        }
    }
    expected.sort_unstable();
    found.sort_unstable();
    let missing: Vec<_> = expected.iter().filter(|it| !found.contains(it)).take(9).collect();
    assert_eq!(found.len(), expected.len(), "{missing:?}");
    for (one, other) in found.iter().zip(&expected) {
        assert_eq!(one, other);
    }
}

#[test]
fn readers_find_who_was_on_a_core() {
    for run in runs() {
        let perfetto = run.write_perfetto(Vec::new()).unwrap();
        let timeline = wattle_ingest::read_bytes("idle.perfetto-trace", &perfetto).unwrap();
        check(&run, &timeline, 1);
        assert_eq!(timeline.wakeups.time.len(), run.wakings.len());
        let ftrace = run.write_ftrace(Vec::new()).unwrap();
        let timeline = wattle_ingest::read_bytes("idle.trace", &ftrace).unwrap();
        check(&run, &timeline, 1000);
    }
}

type Samples<'a> = Vec<&'a StackSample>;

#[test]
fn readers_find_stacks() {
    let run = IdleMachine::article(7).run();
    let perfetto = run.write_perfetto(Vec::new()).unwrap();
    let timeline = wattle_ingest::read_bytes("idle.perfetto-trace", &perfetto).unwrap();
    let samples = &timeline.code.samples;
    let (switches, clock): (Samples<'_>, Samples<'_>) =
        samples.samples.iter().partition(|sample| {
            samples.event(sample.event).is_some_and(|event| event.is_switch(&timeline.names))
        });
    let left = run.switches.iter().filter(|switch| switch.from.is_some());
    assert_eq!((switches.len(), clock.len()), (left.count(), run.samples.len()));
    // Functions of the stack of every clock sample, outermost first.
    let by_time = run.samples.iter().map(|it| ((it.time, it.core), it.stack));
    let by_time: BTreeMap<_, _> = by_time.collect();
    for sample in clock {
        let stack = by_time[&(sample.time, sample.cpu.unwrap().0)];
        let mut expected = run.stacks[stack as usize].iter().rev().map(|it| it.function.as_str());
        for frame in samples.stack(sample.site) {
            let function = frame.function.map(|name| timeline.names.get(name));
            assert_eq!(function, expected.next());
        }
        assert_eq!(expected.next(), None);
    }
}

/// Walks a log by nothing but sizes, as `WMI_BUFFER_HEADER`, `SYSTEM_TRACE_HEADER` and `PERFINFO_TRACE_HEADER` have them: counts
/// events by group and type.
fn walk(bytes: &[u8]) -> BTreeMap<(u8, u8), usize> {
    let u16_at = |at: usize| usize::from(u16::from_le_bytes([bytes[at], bytes[at + 1]]));
    let u32_at = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap()) as usize;
    let mut counts = BTreeMap::new();
    let mut buffer = 0;
    while buffer < bytes.len() {
        let (size, used) = (u32_at(buffer), u32_at(buffer + 0x30));
        let mut event = 72;
        while event < used {
            let at = buffer + event;
            *counts.entry((bytes[at + 7], bytes[at + 6])).or_default() += 1;
            event += u16_at(at + 4).next_multiple_of(8);
        }
        assert_eq!(event, used);
        assert!(bytes[buffer + used..buffer + size].iter().all(|byte| *byte == 0xFF));
        buffer += size;
    }
    assert_eq!(buffer, bytes.len());
    counts
}

#[test]
fn logs_hold_every_event() {
    for (run, pointers) in runs().zip([PointerSize::Eight, PointerSize::Four].iter().cycle()) {
        let form = EtlForm { pointers: *pointers, ..EtlForm::default() };
        let counts = walk(&run.write_etl(form, Vec::new()).unwrap());
        let check = |group, kind, expected: usize| {
            let found = counts.get(&(group, kind)).copied().unwrap_or(0);
            assert_eq!(found, expected, "group {group:#x}, type {kind}");
        };
        check(0x00, 0, 1);
        check(0x05, 36, run.switches.len());
        check(0x05, 50, run.wakings.len());
        check(0x05, 3, run.threads.len() + run.cores as usize);
        check(0x03, 3, run.processes.len() + 1);
        check(0x0F, 46, run.samples.len());
        let count = |kind| run.disk.iter().filter(|it| it.kind == kind).count();
        check(0x01, 12, count(RequestKind::Read));
        check(0x01, 13, count(RequestKind::Write));
        check(0x04, 36, run.files.len());
    }
}

/// Requests for a finer clock are read as they were made: those of before the log from its beginning on.
#[test]
fn logs_hold_requests_for_a_finer_clock() {
    for pointers in [PointerSize::Eight, PointerSize::Four] {
        let system = match pointers {
            PointerSize::Eight => IdleSystem::Windows64,
            PointerSize::Four => IdleSystem::Windows32,
        };
        let mut machine = population(system).machine(7);
        let [first, second, ..] = machine.processes.as_slice() else { panic!("two processes") };
        let request = |pid, millis: i64, from: i64, to: Option<i64>| TimerRequest {
            pid,
            period: Nanos::new(millis * 1_000_000),
            from: Nanos::new(from * 1_000_000),
            to: to.map(|it| Nanos::new(it * 1_000_000)),
        };
        machine.timer_requests =
            vec![request(first.pid, 5, 0, None), request(second.pid, 1, 1000, Some(3000))];
        let run = machine.run();
        let log = run.write_etl(EtlForm { pointers, ..EtlForm::default() }, Vec::new()).unwrap();
        let timeline = wattle_ingest::read_bytes("idle.etl", &log).unwrap();
        let values = |name: &str, pid: Option<u32>| -> Vec<(i64, i64)> {
            let counters = timeline.system.counters.iter();
            let counter = counters.filter(|it| timeline.names.get(it.name) == name).find(|it| {
                let of = match it.scope {
                    CounterScope::Process(process) => {
                        Some(timeline.tasks.processes[process.index()].pid.0)
                    }
                    _ => None,
                };
                of == pid
            });
            let counter = counter.unwrap_or_else(|| panic!("{name} of {pid:?}"));
            let since = |time: BootNanos| (time - timeline.window.start).value() / 1_000_000;
            let samples = counter.time.iter().zip(&counter.value);
            samples.map(|(time, value)| (since(*time), (*value / 1000.0) as i64)).collect()
        };
        assert_eq!(values(REQUESTED_TIMER_PERIOD, Some(run.processes[0].pid)), [(0, 5000)]);
        let changes = [(1000, 1000), (3000, 0)];
        assert_eq!(values(REQUESTED_TIMER_PERIOD, Some(run.processes[1].pid)), changes);
        assert_eq!(values(TIMER_PERIOD, None), [(0, 5000), (1000, 1000), (3000, 5000)]);
    }
}
