//! Workloads that nobody thought of.

use wattle_units::Nanos;

use super::system_processes::recorder;
use crate::SplitMix64;
use crate::{Action, AppSpec, InterruptSpec, PhoneEvent, PhoneSpec, ThreadSpec, Workload};

/// A random workload for any phone: processes with threads whose methods nest at random, sleep, wake each other,
/// and fit on no cluster in particular; sometimes a suspend or a hotplug.
pub fn random(phone: &PhoneSpec, duration: Nanos, seed: u64) -> Workload {
    let mut random = SplitMix64::new(seed).fork(4);
    let processes = 1 + random.below(4) as usize;
    let sizes: Vec<usize> = (0..processes).map(|_| 1 + random.below(4) as usize).collect();
    let threads: usize = sizes.iter().sum();
    let mut apps = Vec::new();
    for (index, size) in sizes.iter().enumerate() {
        let threads = (0..*size).map(|thread| {
            let mut program = body(&mut random, index, threads, 0);
            // Whatever else it does, it also lets go of the CPU.
            program.push(Action::sleep(random.between(0.5, 30.0)));
            let mut spec = ThreadSpec::new(&format!("p{index}-thread-{thread}"), program);
            spec.priority = 100 + random.below(30) as i32;
            if random.chance(0.2) {
                spec.clusters = vec![random.below(phone.clusters.len() as u64) as usize];
            }
            // The main thread is there as long as its process is.
            if random.chance(0.1) && thread > 0 {
                spec.starts_after =
                    Nanos::new((duration.value() as f64 * random.unit() * 0.5) as i64);
            }
            spec
        });
        let threads = threads.collect();
        let name = format!("com.example.random{index}");
        apps.push(AppSpec {
            package: Some(name.clone()),
            name,
            uid: 10_000 + index as u32,
            recorder: false,
            threads,
        });
    }
    apps.push(recorder());
    let mut interrupts = Vec::new();
    for number in 0..random.below(3) {
        interrupts.push(InterruptSpec {
            name: format!("dev{number}"),
            irq: 50 + number as i32,
            cpu: random.below(u64::from(phone.cpus())) as u32,
            mean_period: Nanos::from_seconds(random.between(0.5e-3, 20e-3)),
            hard: Nanos::from_seconds(random.between(1e-6, 40e-6)),
            soft: random.chance(0.5).then(|| (3, Nanos::from_seconds(random.between(2e-6, 90e-6)))),
            wakes: random.chance(0.5).then(|| random.below(threads as u64) as usize),
        });
    }
    let mut events = Vec::new();
    let part = |fraction: f64| Nanos::new((duration.value() as f64 * fraction) as i64);
    if random.chance(0.25) {
        events.push(PhoneEvent::Suspend { after: part(0.4), length: part(0.2) });
    }
    if phone.cpus() > 1 && random.chance(0.25) {
        let cpu = 1 + random.below(u64::from(phone.cpus() - 1)) as u32;
        events.push(PhoneEvent::Offline { cpu, after: part(0.2), length: part(0.3) });
    }
    Workload { duration, apps, interrupts, events }
}

fn body(random: &mut SplitMix64, process: usize, threads: usize, depth: u32) -> Vec<Action> {
    let mut actions = vec![Action::compute(random.exponential(0.4) + 0.01)];
    for _ in 0..random.below(4) {
        actions.push(match random.below(if depth < 4 { 8 } else { 4 }) {
            0 | 1 => Action::compute(random.exponential(1.0) + 0.01),
            2 => Action::sleep(random.exponential(2.0) + 0.05),
            3 => Action::Wake { thread: random.below(threads as u64) as usize },
            _ => {
                let method = format!("com.example.r{process}.Class.m{}", random.below(12));
                Action::Call { method, body: body(random, process, threads, depth + 1) }
            }
        });
    }
    actions
}
