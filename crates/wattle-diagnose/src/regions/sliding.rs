//! Sliding windows over clusters, and which of them qualify.

use wattle_timeline::Window;
use wattle_units::{BootNanos, Nanos};

use super::Means;
use crate::RegionOptions;
use crate::events::{ThreadEvents, count_within};

/// What a window has.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Use {
    cpu_use: f64,
    events: u64,
}

/// Judges windows of one thread.
#[derive(Debug)]
pub(crate) struct Sliding<'a> {
    pub(crate) events: &'a ThreadEvents,
    pub(crate) means: Means,
    pub(crate) options: &'a RegionOptions,
    /// Events are samples: how often they come says nothing.
    pub(crate) is_sampled: bool,
}

impl Sliding<'_> {
    /// The windows over a cluster that qualify, in order. All are of the length of the option, or of the looked-at stretch where
    /// that is shorter; several at full use in the middle of one event are one.
    pub(crate) fn qualifying(&self, cluster: Window, looked: Window) -> Vec<Window> {
        let length = self.options.window.value().max(1).min(looked.duration().value());
        let step = ((length as f64 * (1.0 - self.options.overlap)) as i64).max(1);
        let last = BootNanos::new(looked.end.value().saturating_sub(length)).max(looked.start);
        let mut found = Vec::new();
        if length <= 0 {
            return found;
        }
        let mut start = cluster.start.min(last);
        loop {
            let window = Window::new(start, start + Nanos::new(length));
            // What one event fills, each of the windows in it shows alike.
            let filled = self.filled_until(window);
            let judged = Window::new(start, window.end.max(filled));
            if self.qualifies(window) {
                found.push(judged);
            }
            if window.end >= cluster.end || start >= last {
                break;
            }
            let mut next = start + Nanos::new(step);
            if filled > window.end {
                next = next.max(on_grid(start, filled - Nanos::new(length), step));
            } else if let Some(event) = self.next_event(window) {
                next = next.max(on_grid(start, event - Nanos::new(length), step));
            }
            start = next.min(last);
        }
        found
    }

    /// The end of the event that fills all of the window; its start where none does.
    fn filled_until(&self, window: Window) -> BootNanos {
        let runs = &self.events.runs;
        let after = runs.partition_point(|run| run.window.start <= window.start);
        match after.checked_sub(1).and_then(|index| runs.get(index)) {
            Some(run) if run.window.end >= window.end => run.window.end,
            _ => window.start,
        }
    }

    /// When the next event begins after a window in which nothing is.
    fn next_event(&self, window: Window) -> Option<BootNanos> {
        let is_empty = self.events.cpu.within(window) == Nanos::ZERO
            && count_within(&self.events.begins, window) == 0;
        let begins = &self.events.begins;
        is_empty.then(|| begins.get(begins.partition_point(|it| *it < window.end)).copied())?
    }

    fn of(&self, window: Window) -> Use {
        let seconds = window.duration().seconds();
        let cpu = self.events.cpu.within(window).seconds();
        Use { cpu_use: cpu / seconds, events: count_within(&self.events.begins, window) }
    }

    /// Whether the window stands out, or is too much for idle.
    fn qualifies(&self, window: Window) -> bool {
        let options = self.options;
        let found = self.of(window);
        let seconds = window.duration().seconds();
        let rate = found.events as f64 / seconds;
        if found.cpu_use < options.least_cpu_use {
            return false;
        }
        let is_hot = found.cpu_use >= options.hot_cpu_use;
        let is_storm = !self.is_sampled && rate >= options.storm_rate;
        // Counts of a random process have the variance of their mean; their square roots one quarter, whatever the mean.
        let expected = self.means.rate * seconds;
        let deviations = 2.0 * ((found.events as f64).sqrt() - expected.sqrt());
        let stands_out = found.events >= u64::from(options.least_events)
            && found.cpu_use >= options.thread_factor * self.means.cpu_use
            && found.cpu_use >= options.process_factor * self.means.process_cpu_use
            && rate >= options.repetition_factor * self.means.rate
            && deviations >= options.significance;
        is_hot || is_storm || stands_out
    }
}

/// The last instant not after `time` that is a whole number of steps after `start`, or `start`.
fn on_grid(start: BootNanos, time: BootNanos, step: i64) -> BootNanos {
    let steps = (time - start).value().max(0) / step;
    start + Nanos::new(steps.saturating_mul(step))
}
