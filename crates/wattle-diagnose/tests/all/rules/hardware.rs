//! Rules about what keeps hardware awake at idle: interrupts, flushes of disks, chains of wake-ups.

use wattle_diagnose::FindingSeverity::{Note, Warning};
use wattle_timeline::{DiskKind, IdleState, InterruptKind, InterruptSlice, ThreadId};

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
        who: None,
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
