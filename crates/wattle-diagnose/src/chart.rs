//! CPU use over time for a picture.

use wattle_timeline::{Timeline, Window};
use wattle_units::{BootNanos, Nanos};

use crate::{ThreadUse, UseChart, UseLine};

/// Maximum number of bins in a chart.
const BINS: i64 = 600;
/// Number of threads with lines of their own.
const THREADS: usize = 10;

/// Over the window, idle or not. `threads` are in descending order of their use at idle, and all of them count in the first line.
pub(crate) fn chart(timeline: &Timeline, window: Window, threads: &[ThreadUse]) -> UseChart {
    let length = window.duration().value().max(0);
    let width = length.saturating_add(BINS - 1) / BINS;
    if width == 0 {
        return UseChart { window, ..UseChart::default() };
    }
    let bins = length.saturating_add(width - 1) / width;
    // By thread of the timeline: in no line, in the first one only, or in one of its own.
    let mut line_of: Vec<Option<usize>> = vec![None; timeline.tasks.threads.len()];
    for (index, thread) in threads.iter().enumerate() {
        if let Some(line) = line_of.get_mut(thread.thread.index()) {
            *line = Some(if index < THREADS { index + 1 } else { 0 });
        }
    }
    let mut lines = vec![vec![0.0; bins as usize]; threads.len().min(THREADS) + 1];
    for slice in timeline.cpus.iter().flat_map(|cpu| cpu.sched.iter()) {
        let Some(line) = line_of.get(slice.thread.index()).copied().flatten() else { continue };
        let inside = slice.window.intersect(window);
        for line in [Some(0), Some(line).filter(|line| *line > 0)].into_iter().flatten() {
            if let Some(bins) = lines.get_mut(line) {
                add(bins, inside, window.start, width);
            }
        }
    }
    let line = |(index, bins): (u32, &Vec<f64>)| UseLine {
        thread: index.checked_sub(1),
        cpu_use: shares(bins, window, width),
    };
    let lines = (0..).zip(&lines).map(line).collect();
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
