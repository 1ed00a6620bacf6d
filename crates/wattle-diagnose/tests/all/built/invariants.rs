//! Invariants of every diagnosis, counted without the code under test.

use wattle_diagnose::Diagnosis;
use wattle_timeline::{ThreadId, Timeline, Window};
use wattle_units::{BootNanos, Estimate, Nanos};

/// When the thread was on CPUs: one that comes to a CPU has left the one before.
fn stretches(timeline: &Timeline, thread: ThreadId) -> Vec<Window> {
    let slices = timeline.cpus.iter().flat_map(|cpu| cpu.sched.iter());
    let own = slices.filter(|it| it.thread == thread);
    let mut all: Vec<(BootNanos, BootNanos)> =
        own.map(|it| (it.window.start, it.window.end)).collect();
    all.sort_unstable();
    for index in 1..all.len() {
        all[index - 1].1 = all[index - 1].1.min(all[index].0);
    }
    all.retain(|(start, end)| start < end);
    all.into_iter().map(|(start, end)| Window::new(start, end)).collect()
}

/// (events that have a part in the windows, time on CPUs there) of a thread with these stretches.
fn count(
    timeline: &Timeline,
    thread: ThreadId,
    stretches: &[Window],
    windows: &[Window],
) -> (u64, Nanos) {
    let (mut events, mut cpu) = (0, Nanos::ZERO);
    for window in windows {
        for stretch in stretches {
            let inside = stretch.intersect(*window);
            events += u64::from(!inside.is_empty());
            cpu += inside.duration();
        }
        let disk = timeline.hardware.disk.iter();
        let begun = disk.filter(|it| it.begin_seen && window.contains(it.window.start));
        events += begun.filter(|it| it.thread == thread).count() as u64;
    }
    (events, cpu)
}

fn is_sound(estimate: Option<Estimate>) -> bool {
    estimate.is_none_or(|it| {
        let (low, joules, high) =
            (it.interval.low.value(), it.joules.value(), it.interval.high.value());
        0.0 <= low && low <= joules && joules <= high && high.is_finite()
    })
}

/// Asserts that the figures are those of a plain count, finite, and within each other.
#[track_caller]
pub fn check(name: &str, timeline: &Timeline, found: &Diagnosis) {
    let looked = &found.idle.windows;
    assert!(looked.iter().all(|it| it.intersect(found.window) == *it), "{name}");
    assert!(looked.windows(2).all(|it| it[0].end < it[1].start), "{name}");
    for thread in &found.threads {
        let own = stretches(timeline, thread.thread);
        let (events, cpu) = count(timeline, thread.thread, &own, looked);
        assert_eq!((thread.events, thread.cpu), (events, cpu), "{name}: {thread:?}");
        assert!(is_sound(thread.energy), "{name}: {thread:?}");
    }
    assert!(found.threads.windows(2).all(|it| it[0].cpu >= it[1].cpu), "{name}");
    assert!(found.regions.windows(2).all(|it| it[0].cpu_use >= it[1].cpu_use), "{name}");
    for region in &found.regions {
        let thread = &found.threads[region.thread as usize];
        let window = region.window;
        assert!(!window.is_empty() && looked.iter().any(|it| it.intersect(window) == window));
        let own = stretches(timeline, thread.thread);
        let (events, cpu) = count(timeline, thread.thread, &own, &[window]);
        // One that lies across the beginning of a looked-at stretch begins there.
        assert_eq!((region.events, region.cpu), (events, cpu), "{name}: {region:?}");
        let process = timeline.tasks.threads[thread.thread.index()].process;
        let of_process = |it: ThreadId| match process {
            Some(_) => timeline.tasks.threads[it.index()].process == process,
            None => it == thread.thread,
        };
        let share = |all: u64| (events as f64 / all as f64).min(1.0);
        let begun = |of: &dyn Fn(ThreadId) -> bool| {
            let cut = |window: &Window| looked.iter().any(|it| it.start == window.start);
            let slices = timeline.cpus.iter().flat_map(|cpu| cpu.sched.iter());
            // One that came with its CPU's last event has no length: nothing is known of its use.
            let slices =
                slices.filter(|it| of(it.thread) && !it.thread.is_idle() && !it.window.is_empty());
            let inside = slices.filter(|it| {
                window.contains(it.window.start)
                    || (cut(&window) && it.window.contains(window.start))
            });
            let disk = timeline.hardware.disk.iter().filter(|it| {
                of(it.thread)
                    && !it.thread.is_idle()
                    && it.begin_seen
                    && window.contains(it.window.start)
            });
            inside.count() as u64 + disk.count() as u64
        };
        assert_eq!(region.share_of_process, share(begun(&of_process)), "{name}: {region:?}");
        assert_eq!(region.share_of_machine, share(begun(&|_| true)), "{name}: {region:?}");
        for part in [region.cpu_use, region.cpu_use_of_machine, region.stack.majority_share] {
            assert!((0.0..=1.0 + 1e-9).contains(&part), "{name}: {region:?}");
        }
        assert!(region.wakeups_per_second.is_finite() && region.wakeups_per_second >= 0.0);
        assert!(region.interval_variation.is_none_or(|it| it.is_finite() && it >= 0.0));
        assert!(region.period.is_none_or(|it| it > Nanos::ZERO));
        assert!(is_sound(region.energy) && is_sound(region.saved), "{name}: {region:?}");
        if let Some(energy) = region.energy {
            let whole = thread.energy.unwrap().joules.value();
            assert!(energy.joules.value() <= whole * (1.0 + 1e-9), "{name}: {region:?}");
            assert!(region.saved.is_none_or(|it| it.joules <= energy.joules), "{name}: {region:?}");
        }
        let stack = &region.stack;
        assert!(stack.majority.starts_with(&stack.strict), "{name}: {region:?}");
        assert!(stack.switch_stacks <= stack.stacks);
        let group = &found.groups[region.group as usize];
        assert!(group.stack.iter().map(|it| &it.text).eq(stack.strict.iter().map(|it| &it.text)));
    }
    let mut of_groups: Vec<u32> = found.groups.iter().flat_map(|it| it.regions.clone()).collect();
    of_groups.sort_unstable();
    assert!(of_groups.into_iter().eq(0..found.regions.len() as u32), "{name}");
    for row in &found.disk {
        let inside = row.region.map(|it| found.regions[it as usize].window);
        assert!(inside.is_none_or(|it| it.start <= row.window.start && row.window.start <= it.end));
    }
    for line in &found.chart.lines {
        assert_eq!(line.cpu_use.len(), found.chart.bins as usize, "{name}");
        assert!(line.cpu_use.iter().all(|it| it.is_finite() && *it >= 0.0), "{name}");
    }
    let text = serde_json::to_string(found).unwrap();
    let again: Diagnosis = serde_json::from_str(&text).unwrap();
    assert_eq!(again.regions.len(), found.regions.len(), "{name}");
}
