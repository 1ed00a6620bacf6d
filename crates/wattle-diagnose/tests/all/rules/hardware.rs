//! Rules about what keeps hardware awake at idle: interrupts, flushes of disks, chains of wake-ups.

use wattle_diagnose::FindingSeverity::{Note, Warning};
use wattle_timeline::{
    CounterScope, DiskKind, IdleState, InterruptKind, InterruptSlice, ProcessId,
    REQUESTED_TIMER_PERIOD, StateKind, TIMER_PERIOD, ThreadId,
};

use super::scene::{Expected, Scene, at, check, window};

#[test]
fn idle_breaker() {
    // A CPU that leaves its idle state each 20 ms for a hundredth of a millisecond.
    let interrupts = |name: &str, count: u32| {
        let mut scene = Scene::new(10_000.0);
        let name = scene.timeline.names.intern(name);
        let cpu = &mut scene.timeline.cpus[0];
        cpu.idle.push(at(0.0), IdleState(2));
        for i in 1..=count {
            let time = f64::from(i) * 20.0;
            cpu.interrupts.push(InterruptSlice {
                window: window(time, time + 0.01),
                kind: InterruptKind::Hard,
                name,
            });
            cpu.idle.push(at(time), IdleState::ACTIVE);
            cpu.idle.push(at(time + 0.01), IdleState(2));
        }
        scene
    };
    let expected = Expected {
        severity: Warning,
        who: Some("IRQ (touch)"),
        says: "IRQ (touch) ends 40.0 idle states of CPUs each second",
        when: Some((0.0, 10_000.0)),
        place: None,
        joules: None,
    };
    let breaks = interrupts("IRQ (touch)", 400);
    // Somebody's timer, a wake-up from another CPU, interrupts now and then.
    for quiet in [
        interrupts("IRQ (arch_timer)", 400),
        interrupts("IPI (Rescheduling interrupts)", 400),
        interrupts("IRQ (touch)", 100),
    ] {
        check("idle-breaker", &breaks, &quiet, ("least-rate", 50.0), expected);
    }
}

#[test]
fn periodic_flush() {
    let flushes = |period: f64, scatter: f64| {
        let times = (1..=10_u32)
            .map(|i| f64::from(i) * period + f64::from(i * i * 7919 % 29) * scatter * period);
        let mut scene = Scene::new(period * 15.0).writes(times, 0);
        for operation in &mut scene.timeline.hardware.disk {
            operation.kind = DiskKind::Flush;
            operation.bytes = None;
        }
        scene
    };
    let expected = Expected {
        severity: Note,
        who: Some("com.example.app"),
        says: "flushes a disk every 30.0 s, 10 times",
        when: Some((30_000.0, 300_001.0)),
        place: None,
        joules: None,
    };
    let regular = flushes(30_000.0, 0.0);
    // By no clock; so often that it is chatter; each ten minutes; writes.
    let writes = Scene::new(450_000.0).writes((1..=10).map(|i| f64::from(i) * 30_000.0), 4096);
    for quiet in [flushes(30_000.0, 0.03), flushes(1000.0, 0.0), flushes(600_000.0, 0.0), writes] {
        check("periodic-flush", &regular, &quiet, ("least-count", 11.0), expected);
    }
}

#[test]
fn wake_chain() {
    // Each half second the timer's thread wakes the first of others, which wakes the next, a millisecond each.
    let chains = |others: u32| {
        let mut scene = Scene::new(11_000.0).core(1.0);
        let threads: Vec<ThreadId> = ["Dispatcher", "Worker", "Logger"]
            .into_iter()
            .take(others as usize)
            .map(|name| scene.beside(ThreadId(1), name))
            .collect();
        let chain: Vec<u32> = std::iter::once(1).chain(threads.iter().map(|it| it.0)).collect();
        let mut runs: Vec<(f64, f64, u32, bool)> = Vec::new();
        let mut wakes: Vec<(f64, u32)> = Vec::new();
        let mut end = 0.0;
        for i in 1..=20 {
            let start = f64::from(i) * 500.0;
            runs.push((end, start, 0, false));
            end = start;
            for (index, thread) in (0..).zip(&chain) {
                let woken = start + f64::from(index) - 0.5;
                wakes.push((woken, *thread));
                runs.push((end, end + 1.0, *thread, true));
                end += 1.0;
            }
        }
        runs.push((end, 11_000.0, 0, false));
        scene.runs(runs).wakes(wakes)
    };
    let expected = Expected {
        severity: Warning,
        who: Some("com.example.app"),
        says: "each wake-up of com.example.app (101) wakes 3.0 other threads, 1.8 times each second",
        when: Some((9999.5, 10_002.5)),
        place: None,
        joules: Some(0.08),
    };
    check("wake-chain", &chains(3), &chains(2), ("least-count", 21.0), expected);
    check("wake-chain", &chains(3), &chains(0), ("longest-step", 0.1), expected);
}

#[test]
fn raised_timer() {
    // Periods in milliseconds; 0 where none is asked for.
    let asks = |values: &[(f64, f64)]| {
        let values: Vec<(f64, f64)> = values.iter().map(|(at, it)| (*at, it * 1e6)).collect();
        let clock: Vec<(f64, f64)> =
            values.iter().map(|(at, it)| (*at, if *it > 0.0 { *it } else { 15.625e6 })).collect();
        Scene::new(20_000.0)
            .counter(REQUESTED_TIMER_PERIOD, CounterScope::Process(ProcessId(0)), &values)
            .counter(TIMER_PERIOD, CounterScope::Global, &clock)
    };
    let expected = Expected {
        severity: Warning,
        who: Some("com.example.app"),
        says: "asks for a clock of 1.0 ms for 16.0 s at idle",
        when: Some((2000.0, 18_000.0)),
        place: None,
        joules: None,
    };
    let raised = asks(&[(0.0, 0.0), (2000.0, 1.0), (18_000.0, 0.0)]);
    // For a while, hardly, not at all.
    for quiet in [
        asks(&[(0.0, 0.0), (2000.0, 1.0), (9000.0, 0.0)]),
        asks(&[(0.0, 10.0)]),
        asks(&[(0.0, 0.0)]),
    ] {
        check("raised-timer", &raised, &quiet, ("least-share", 0.9), expected);
    }
    check("raised-timer", &raised, &asks(&[(0.0, 0.0)]), ("longest-period", 0.9), expected);
    check("raised-timer", &raised, &asks(&[(0.0, 0.0)]), ("least-time", 17.0), expected);
    // A driver: the clock is fine, and nobody is known to have asked.
    let driver = Scene::new(20_000.0).counter(TIMER_PERIOD, CounterScope::Global, &[(0.0, 1e6)]);
    let found = driver.findings("raised-timer", &[]);
    assert_eq!(found[0].who, None);
    assert!(found[0].title.contains("no program asks for it"), "{found:#?}");
}

#[test]
fn wakeup_sources_are_evidence() {
    // A suspend of a second, ended by a timer; a key that was pressed before the recording began.
    let scene = |sources: bool| {
        let storm = Scene::new(10_000.0).wakes((0..2000).map(|i| (f64::from(i) * 5.0, 1)));
        if !sources {
            return storm;
        }
        let mut storm = storm
            .state(StateKind::WakeupSource, None, "alarmtimer", &[(4001.0, 1), (6001.0, 0)])
            .state(StateKind::WakeupSource, None, "a key", &[(1000.0, 0)]);
        storm.timeline.suspend.suspended =
            [(at(3000.0), true), (at(4000.0), false)].into_iter().collect();
        storm
    };
    let texts = |scene: &Scene| -> String {
        let found = scene.findings("wakeup-storm", &[]);
        found[0].evidence.iter().map(|it| it.text.clone()).collect::<Vec<_>>().join("; ")
    };
    let told = texts(&scene(true));
    assert!(
        told.contains("kept awake in 10.0 s (suspended for 1.0 s of it) by the kernel's wakeup sources \"alarmtimer\" for 2.0 s, \"a key\" for 1.0 s"),
        "{told}"
    );
    assert!(
        told.contains("began first after 1 resume from suspend: \"alarmtimer\" 1 time"),
        "{told}"
    );
    assert!(!texts(&scene(false)).contains("wakeup source"));
}
