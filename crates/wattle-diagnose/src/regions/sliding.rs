//! Sliding windows over clusters, and which of them qualify.

use wattle_timeline::Window;
use wattle_units::{BootNanos, Nanos};

use super::Means;
use crate::RegionOptions;
use crate::events::{ThreadEvents, count_within};

/// CPU use and events of a window.
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

#[cfg(test)]
mod tests {
    use wattle_timeline::CpuId;

    use super::super::trim::trimmed;
    use super::*;
    use crate::events::Run;
    use crate::windows::union;

    fn window(start: i64, end: i64) -> Window {
        Window::new(BootNanos::new(start), BootNanos::new(end))
    }

    /// Options for a time scale on which everything can be counted: windows of 40 ns.
    fn options() -> RegionOptions {
        RegionOptions {
            window: Nanos::new(40),
            storm_rate: 5.0 / 40e-9,
            least_events: 2,
            significance: 0.5,
            ..RegionOptions::default()
        }
    }

    /// Every window of the grid, by going through every nanosecond and every event.
    fn every_window(sliding: &Sliding<'_>, cluster: Window, looked: Window) -> Vec<Window> {
        let mut found = Vec::new();
        let last = (looked.end.value() - 40).max(looked.start.value());
        for index in 0.. {
            let start = (cluster.start.value().min(last) + index * 20).min(last);
            let one = window(start, (start + 40).min(looked.end.value()));
            let length = one.duration().value();
            let runs = &sliding.events.runs;
            let is_on =
                |now: &i64| runs.iter().any(|run| run.window.contains(BootNanos::new(*now)));
            let cpu = (start..start + length).filter(is_on).count() as i64;
            let events =
                sliding.events.begins.iter().filter(|it| one.contains(**it)).count() as f64;
            // In seconds, as the finder counts: a window exactly on a threshold is not about rounding.
            let seconds = one.duration().seconds();
            let (cpu_use, rate) = (Nanos::new(cpu).seconds() / seconds, events / seconds);
            let Means { cpu_use: mean, rate: mean_rate, process_cpu_use } = sliding.means;
            let expected = mean_rate * seconds;
            let is_long = 2.0 * (events.sqrt() - expected.sqrt()) >= 0.5;
            let stands_out = events >= 2.0
                && cpu_use >= 1.5 * mean
                && cpu_use >= process_cpu_use
                && rate >= mean_rate
                && is_long;
            let is_too_much = cpu_use >= 0.5 || rate >= 5.0 / 40e-9;
            if cpu_use >= 0.01 && (stands_out || is_too_much) {
                found.push(one);
            }
            if one.end >= cluster.end || start >= last {
                break;
            }
        }
        found
    }

    proptest::proptest! {
        #[test]
        fn skipping_ahead_finds_what_every_window_does(
            gaps in proptest::collection::vec((0_i64..60, 1_i64..15, proptest::bool::weighted(0.1)), 1..40),
            process_cpu_use in 0.0_f64..0.3,
        ) {
            let mut now = 0;
            let mut runs = Vec::new();
            for (gap, length, is_long) in gaps {
                let start = now + gap;
                now = start + if is_long { length * 30 } else { length };
                runs.push(Run { window: window(start, now), cpu: CpuId(0), is_wakeup: true });
            }
            let events = ThreadEvents::new(runs, Vec::new());
            let looked = window(0, now + 25);
            let mut means = Means::new(&events, (Nanos::ZERO, 1), looked.duration());
            means.process_cpu_use = process_cpu_use;
            let options = options();
            let sliding = Sliding { events: &events, means, options: &options, is_sampled: false };
            let spans = events.spans();
            let silence = Nanos::new(30);
            for cluster in super::super::cluster::clusters(&spans, silence, &[looked]) {
                let trim = |windows: Vec<Window>| -> Vec<Window> {
                    let merged = union(windows).into_iter();
                    union(merged.filter_map(|it| trimmed(it, &events)).collect())
                };
                let found = trim(sliding.qualifying(cluster, looked));
                proptest::prop_assert_eq!(found, trim(every_window(&sliding, cluster, looked)));
            }
        }
    }

    #[test]
    fn one_event_of_a_century_takes_no_time() {
        let long = window(0, i64::MAX);
        let run = Run { window: long, cpu: CpuId(0), is_wakeup: true };
        let events = ThreadEvents::new(vec![run], Vec::new());
        let means = Means::new(&events, (long.duration(), 1), long.duration());
        let options = RegionOptions::default();
        let sliding = Sliding { events: &events, means, options: &options, is_sampled: false };
        let found = sliding.qualifying(long, long);
        assert_eq!(union(found), [long]);
    }
}
