//! Activity of the CPUs over time, as a signal that a meter's power follows.

use wattle_timeline::{CpuTimeline, IdleState, Steps, Timeline, Window};
use wattle_units::Hertz;

use super::pieces::Pieces;

/// Busy cores, each weighed by the square of its clock's share of the fastest: what is nearest to power without a model.
/// Empty where nothing says what CPUs did.
pub(crate) fn pieces(timeline: &Timeline) -> Pieces {
    let fastest = timeline.cpus.iter().flat_map(|cpu| cpu.frequency.values()).max();
    let fastest = fastest.map_or(1.0, |fastest| fastest.value() as f64);
    let mut changes: Vec<(i64, f64)> = Vec::new();
    for cpu in &timeline.cpus {
        let mut add = |window: Window, weight: f64| {
            changes.push((window.start.value(), weight));
            changes.push((window.end.value(), -weight));
        };
        for window in busy(cpu, timeline.window) {
            weigh(&cpu.frequency, fastest, window, &mut add);
        }
    }
    changes.sort_by_key(|(time, _)| *time);
    let mut pieces = Pieces::default();
    let mut level = 0.0;
    for (time, change) in changes {
        level += change;
        match pieces.value.last_mut() {
            Some(last) if pieces.time.last() == Some(&time) => *last = level,
            _ => {
                pieces.time.push(time);
                pieces.value.push(level);
            }
        }
    }
    pieces
}

/// When the core did something: by the scheduler, else by its idle states.
fn busy(cpu: &CpuTimeline, window: Window) -> Vec<Window> {
    if cpu.sched.is_empty() {
        let active = |idle: &IdleState| idle.is_active();
        let segments = cpu.idle.segments(window).filter(|segment| active(&segment.value));
        return segments.map(|segment| segment.window).collect();
    }
    let slices = cpu.sched.iter().filter(|slice| !slice.thread.is_idle());
    slices.map(|slice| slice.window).collect()
}

fn weigh(
    frequency: &Steps<Hertz>,
    fastest: f64,
    window: Window,
    add: &mut impl FnMut(Window, f64),
) {
    let weight = |clock: Hertz| (clock.value() as f64 / fastest).powi(2);
    let Some((from, first)) = frequency.first() else { return add(window, 1.0) };
    if window.start < from {
        // What a clock was before its first event is taken to be what it was then.
        add(Window::new(window.start, window.end.min(from)), weight(first));
    }
    for segment in frequency.segments(window) {
        add(segment.window, weight(segment.value));
    }
}
