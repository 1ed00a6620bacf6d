//! Figures of one region.

use wattle_timeline::Window;
use wattle_units::Nanos;

use super::period::period;
use crate::events::{ThreadEvents, count_within};

/// Statistics of a thread's events in a stretch of time.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Statistics {
    pub(crate) events: u64,
    pub(crate) cpu: Nanos,
    /// `cpu` by the length of the region.
    pub(crate) cpu_use: f64,
    pub(crate) mean_interval: Option<Nanos>,
    pub(crate) interval_variation: Option<f64>,
    pub(crate) period: Option<Nanos>,
    pub(crate) period_share: Option<f64>,
    pub(crate) wakeups_per_second: f64,
}

/// Of the stretch of time. Where events are samples they have no period that would be the thread's own.
pub(crate) fn statistics(events: &ThreadEvents, window: Window, is_sampled: bool) -> Statistics {
    let inside = |times: &[_]| {
        let first = times.partition_point(|time| *time < window.start);
        first..times.partition_point(|time| *time < window.end).max(first)
    };
    let begins = events.begins.get(inside(&events.begins)).unwrap_or_default();
    let wakeups = events.wakeups.get(inside(&events.wakeups)).unwrap_or_default();
    let seconds = window.duration().seconds();
    let by_time = |value: f64| if seconds > 0.0 { value / seconds } else { 0.0 };
    let cpu = events.cpu.within(window);
    let intervals = begins.windows(2).filter_map(|pair| match pair {
        [one, next] => Some((*next - *one).seconds()),
        _ => None,
    });
    let count = begins.len().saturating_sub(1) as f64;
    let mean = intervals.clone().sum::<f64>() / count;
    let variance = intervals.map(|it| (it - mean).powi(2)).sum::<f64>() / count;
    let (period, period_share) = if is_sampled { None } else { period(wakeups) }.unzip();
    Statistics {
        events: count_within(&events.begins, window),
        cpu,
        cpu_use: by_time(cpu.seconds()),
        mean_interval: (begins.len() >= 2).then(|| Nanos::from_seconds(mean)),
        interval_variation: (begins.len() >= 3 && mean > 0.0).then(|| variance.sqrt() / mean),
        period,
        period_share,
        wakeups_per_second: by_time(wakeups.len() as f64),
    }
}
