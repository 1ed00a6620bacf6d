//! Wake-ups of a thread that come by one period.

use wattle_timeline::Window;
use wattle_units::BootNanos;

use super::look::Look;
use super::regular_times::RegularTimes;
use crate::Rule;

/// A stretch of wake-ups with one period.
#[derive(Clone, Copy, Debug)]
pub(super) struct RegularWakes {
    pub window: Window,
    pub times: RegularTimes,
    pub wakes: usize,
}

impl RegularWakes {
    /// Stretches by the thresholds of a rule (`longest-period`, `tolerance`, `least-share`, `least-time`), of so many wake-ups or more. A pause
    /// of more than three of the longest periods ends one.
    pub(super) fn of(
        look: &Look<'_>,
        rule: &Rule,
        least_count: f64,
        wakes: &[BootNanos],
    ) -> Vec<Self> {
        let longest = look.threshold(rule, "longest-period") * 1e-3;
        let tolerance = look.threshold(rule, "tolerance");
        let mut found = Vec::new();
        for stretch in wakes.chunk_by(|one, other| (*other - *one).seconds() <= longest * 3.0) {
            let (Some(first), Some(last)) = (stretch.first(), stretch.last()) else { continue };
            let window = Window::new(*first, *last);
            let Some(times) = RegularTimes::of(stretch, tolerance) else { continue };
            let is_regular = times.period > 0.0
                && times.period <= longest
                && times.share >= look.threshold(rule, "least-share")
                && stretch.len() as f64 >= least_count
                && window.duration().seconds() >= look.threshold(rule, "least-time");
            if is_regular {
                found.push(Self { window, times, wakes: stretch.len() });
            }
        }
        found
    }
}
