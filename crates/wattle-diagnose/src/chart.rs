//! CPU use over time for a picture.

use wattle_timeline::Window;
use wattle_units::{BootNanos, Nanos};

use crate::events::ThreadEvents;
use crate::{UseChart, UseLine};

/// How many bins a chart has at most.
const BINS: i64 = 600;
/// How many threads have lines of their own.
const THREADS: usize = 10;

/// Of threads in descending order of their use, all of which count in the first line.
pub(crate) fn chart(window: Window, threads: &[&ThreadEvents]) -> UseChart {
    let length = window.duration().value().max(0);
    let width = length.saturating_add(BINS - 1) / BINS;
    if width == 0 {
        return UseChart { window, ..UseChart::default() };
    }
    let bins = length.saturating_add(width - 1) / width;
    let mut all = vec![0.0; bins as usize];
    let mut lines = Vec::new();
    for (index, events) in (0..).zip(threads) {
        let mut own = vec![0.0; bins as usize];
        for run in &events.runs {
            add(&mut own, run.window.intersect(window), window.start, width);
        }
        for (sum, own) in all.iter_mut().zip(&own) {
            *sum += own;
        }
        if lines.len() < THREADS {
            lines.push(UseLine { thread: Some(index), cpu_use: shares(&own, window, width) });
        }
    }
    lines.insert(0, UseLine { thread: None, cpu_use: shares(&all, window, width) });
    UseChart { window, bins: bins as u32, lines }
}

/// Adds the nanoseconds of a stretch to the bins that it has a part in.
fn add(bins: &mut [f64], stretch: Window, from: BootNanos, width: i64) {
    let mut start = (stretch.start - from).value();
    let end = (stretch.end - from).value();
    while start < end {
        let bin = start / width;
        let next = (bin.saturating_add(1)).saturating_mul(width).min(end);
        match bins.get_mut(bin as usize) {
            Some(sum) => *sum += (next - start) as f64,
            None => break,
        }
        start = next;
    }
}

/// Parts of the bins, of which the last one can be shorter.
fn shares(bins: &[f64], window: Window, width: i64) -> Vec<f32> {
    let share = |(index, nanos): (i64, &f64)| {
        let start = window.start + Nanos::new(index.saturating_mul(width));
        let bin = Window::new(start, start + Nanos::new(width)).intersect(window);
        let length = bin.duration().value() as f64;
        if length > 0.0 { (nanos / length) as f32 } else { 0.0 }
    };
    (0..).zip(bins).map(share).collect()
}

#[cfg(test)]
mod tests {
    use wattle_timeline::CpuId;

    use super::*;
    use crate::events::Run;

    fn window(start: i64, end: i64) -> Window {
        Window::new(BootNanos::new(start), BootNanos::new(end))
    }

    fn thread(runs: &[(i64, i64)]) -> ThreadEvents {
        let run = |(start, end): &(i64, i64)| Run {
            window: window(*start, *end),
            cpu: CpuId(0),
            is_wakeup: true,
        };
        ThreadEvents::new(runs.iter().map(run).collect(), Vec::new())
    }

    #[test]
    fn bins_have_the_part_of_time_that_threads_ran() {
        let (one, other) = (thread(&[(0, 2), (3, 5)]), thread(&[(1_199, 1_201)]));
        let found = chart(window(0, 1_201), &[&one, &other]);
        // 1,201 ns in bins of 3: the last one has but one.
        assert_eq!((found.bins, found.lines.len()), (401, 3));
        let third = |part: f64| (part / 3.0) as f32;
        assert_eq!(found.lines[0].cpu_use[..3], [third(2.0), third(2.0), 0.0]);
        assert_eq!(found.lines[0].cpu_use[399..], [third(1.0), 1.0]);
        assert_eq!(found.lines[2].thread, Some(1));
        assert_eq!(chart(window(5, 5), &[&one]).lines, []);
        let all = chart(window(i64::MIN, i64::MAX), &[&one]);
        assert!(all.lines[0].cpu_use.iter().all(|it| it.is_finite()));
    }
}
