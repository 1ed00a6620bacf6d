//! One parameter over time.

use wattle_timeline::{CpuId, Steps, Uid, Window};
use wattle_units::BootNanos;

/// A named quantity over time: the sum of its parts.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameter {
    /// Its name.
    pub name: String,
    /// Its unit: `core`, `GHz`, `B/s`, `1/s`; empty for a number.
    pub unit: &'static str,
    /// Disjoint parts.
    pub parts: Vec<ParameterPart>,
}

/// Part of a parameter that belongs to one part of the hardware, or to one app.
#[derive(Clone, Debug, PartialEq)]
pub struct ParameterPart {
    /// Whose.
    pub owner: ParameterOwner,
    /// Its value; `None` where it is not known, as before the first change.
    pub value: Steps<Option<f64>>,
}

/// Whose part of a parameter it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ParameterOwner {
    /// The device's.
    Device,
    /// One core's.
    Core(CpuId),
    /// That of cores that share something.
    Cores(Box<[CpuId]>),
    /// One GPU's.
    Gpu(u32),
    /// Part that one app caused.
    App(Uid),
}

/// A mean is known where the value is for at least this part of the time.
const ENOUGH: f64 = 0.9;

impl ParameterPart {
    /// A part of changes.
    pub fn new(owner: ParameterOwner, value: Steps<Option<f64>>) -> Self {
        Self { owner, value }
    }

    /// The mean over the window, of those of its instants at which the value is known; `None` where they are too few.
    pub fn mean(&self, window: Window) -> Option<f64> {
        let (mut known, mut sum) = (0.0, 0.0);
        for segment in self.value.segments(window) {
            if let Some(value) = segment.value {
                let seconds = segment.window.duration().seconds();
                known += seconds;
                sum += value * seconds;
            }
        }
        let whole = window.duration().seconds();
        (known > 0.0 && known >= whole * ENOUGH).then(|| sum / known)
    }
}

impl Parameter {
    /// The mean over the window; `None` where a part is not known for most of it.
    pub fn mean(&self, window: Window) -> Option<f64> {
        let means = self.parts.iter().map(|part| part.mean(window));
        means.sum::<Option<f64>>().filter(|_| !self.parts.is_empty())
    }

    /// Without parts there is nothing.
    pub(super) fn new(name: &str, unit: &'static str, parts: Vec<ParameterPart>) -> Option<Self> {
        let parts: Vec<_> = parts.into_iter().filter(|part| !part.value.is_empty()).collect();
        (!parts.is_empty()).then(|| Self { name: name.to_owned(), unit, parts })
    }
}

/// A value of two others, known where both are.
pub(super) fn combined(
    first: &Steps<Option<f64>>,
    second: &Steps<Option<f64>>,
    with: impl Fn(f64, f64) -> f64,
) -> Steps<Option<f64>> {
    let mut times: Vec<BootNanos> = first.times().iter().chain(second.times()).copied().collect();
    times.sort_unstable();
    times.dedup();
    let mut value = Steps::with_capacity(times.len());
    let (mut a, mut b) = (first.iter().peekable(), second.iter().peekable());
    let (mut now_a, mut now_b) = (None, None);
    for time in times {
        if let Some((_, next)) = a.next_if(|(at, _)| *at <= time) {
            now_a = next;
        }
        if let Some((_, next)) = b.next_if(|(at, _)| *at <= time) {
            now_b = next;
        }
        let both = if let (Some(a), Some(b)) = (now_a, now_b) { Some(with(a, b)) } else { None };
        value.push(time, both);
    }
    value
}

#[cfg(test)]
mod tests {
    use super::*;

    fn steps(changes: &[(i64, Option<f64>)]) -> Steps<Option<f64>> {
        changes.iter().map(|(time, value)| (BootNanos::new(*time), *value)).collect()
    }

    #[track_caller]
    fn check(changes: &[(i64, Option<f64>)], window: (i64, i64), expected: Option<f64>) {
        let part = ParameterPart::new(ParameterOwner::Device, steps(changes));
        let window = Window::new(BootNanos::new(window.0), BootNanos::new(window.1));
        assert_eq!(part.mean(window), expected);
    }

    #[test]
    fn a_mean_is_of_what_is_known_or_it_is_not_known() {
        check(&[(0, Some(1.0)), (50, Some(3.0))], (0, 100), Some(2.0));
        check(&[(5, Some(1.0))], (0, 100), Some(1.0));
        check(&[(20, Some(1.0))], (0, 100), None);
        check(&[(0, Some(1.0)), (50, None)], (0, 100), None);
        check(&[(0, Some(1.0))], (0, 0), None);
        check(&[], (0, 100), None);
    }

    #[test]
    fn two_values_are_combined_where_both_are_known() {
        let found = combined(
            &steps(&[(0, Some(1.0)), (10, Some(2.0)), (30, None)]),
            &steps(&[(5, Some(10.0)), (20, Some(20.0))]),
            |a, b| a * b,
        );
        let expected = [(0, None), (5, Some(10.0)), (10, Some(20.0)), (20, Some(40.0)), (30, None)];
        assert_eq!(found, steps(&expected));
    }
}
