//! Drift of a meter's clock against the recording's: the offset in several windows, and a line through them.

use super::correlate::{Pair, Peak, find};
use super::pieces::Pieces;

/// The shortest window, nanoseconds, and the most of them.
const WINDOW: i64 = 10_000_000_000;
const MOST_WINDOWS: i64 = 16;
/// Fewer windows make no line.
const LEAST_WINDOWS: usize = 4;
/// Largest drift of instruments' clocks.
const MOST_DRIFT: f64 = 500e-6;
/// Two-sided 90 % of a normal distribution.
const NORMAL: f64 = 1.645;

/// Offsets along the recording, as a line.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Line {
    /// Time of the recording at which the offset holds.
    pub at: i64,
    pub offset: i64,
    /// Change of the offset, parts per billion of the recording's time; `None` where none can be told.
    pub drift_ppb: Option<i64>,
    pub residual: i64,
    pub windows: u32,
}

/// Offsets of windows of the recording, near the offset of the whole. `None`: too few windows say something.
pub(crate) fn line(pair: Pair<'_>, whole: &Peak) -> Option<Line> {
    let (from, to) = overlap(pair, whole.offset)?;
    let windows = ((to - from) / WINDOW).min(MOST_WINDOWS);
    if windows < LEAST_WINDOWS as i64 {
        return None;
    }
    let length = (to - from) / windows;
    let reach = whole.residual + ((to - from) as f64 * MOST_DRIFT) as i64 + 20_000_000;
    let points: Vec<(f64, f64, f64)> = (0..windows)
        .filter_map(|window| {
            let begins = from + window * length;
            let reference = cut(pair.reference, begins, begins + length);
            let near = begins - whole.offset;
            let meter = cut(pair.meter, near - reach, near + length + reach);
            let part = Pair { reference: &reference, meter: &meter, ..pair };
            let within = (whole.offset - reach, whole.offset + reach);
            let peak = find(part, Some(within)).ok()?;
            (peak.correlation > whole.correlation / 2.0).then(|| {
                let middle = (begins + length / 2 - from) as f64;
                (middle, (peak.offset - whole.offset) as f64, peak.residual.max(1) as f64)
            })
        })
        .collect();
    if points.len() < LEAST_WINDOWS {
        return None;
    }
    let fitted = fit(&points)?;
    let at = from + fitted.middle as i64;
    let offset = whole.offset + fitted.offset as i64;
    let is_drift = fitted.slope.abs() > 2.0 * fitted.slope_error && fitted.slope.abs() < MOST_DRIFT;
    let half = (to - from) as f64 / 2.0;
    let slope_error =
        if is_drift { fitted.slope_error } else { fitted.slope.abs().max(fitted.slope_error) };
    let error = NORMAL * (fitted.offset_error.powi(2) + (slope_error * half).powi(2)).sqrt();
    Some(Line {
        at,
        offset,
        drift_ppb: is_drift.then(|| (fitted.slope * 1e9).round() as i64),
        residual: (error as i64).max(1),
        windows: u32::try_from(points.len()).unwrap_or(u32::MAX),
    })
}

/// Returns the interval that both cover, in the recording's time.
fn overlap(pair: Pair<'_>, offset: i64) -> Option<(i64, i64)> {
    let (reference, meter) = (pair.reference.span()?, pair.meter.span()?);
    let (from, to) = (reference.0.max(meter.0 + offset), reference.1.min(meter.1 + offset));
    (from < to).then_some((from, to))
}

fn cut(pieces: &Pieces, from: i64, to: i64) -> Pieces {
    let first = pieces.time.partition_point(|time| *time <= from).saturating_sub(1);
    let last = (pieces.time.partition_point(|time| *time < to) + 1).min(pieces.time.len());
    let mut time = pieces.time.get(first..last).unwrap_or_default().to_vec();
    let value = pieces.value.get(first..last).unwrap_or_default().to_vec();
    for time in &mut time {
        *time = (*time).clamp(from, to);
    }
    Pieces { time, value }
}

struct Fitted {
    middle: f64,
    offset: f64,
    offset_error: f64,
    slope: f64,
    slope_error: f64,
}

/// A line by weighted least squares. Its errors are those of the points, or of their scatter where that is larger.
fn fit(points: &[(f64, f64, f64)]) -> Option<Fitted> {
    let weight = |error: f64| (NORMAL / error).powi(2);
    let total: f64 = points.iter().map(|(_, _, error)| weight(*error)).sum();
    let mean = |of: &dyn Fn(&(f64, f64, f64)) -> f64| {
        points.iter().map(|point| of(point) * weight(point.2)).sum::<f64>() / total
    };
    let (middle, offset) = (mean(&|point| point.0), mean(&|point| point.1));
    let spread = mean(&|point| (point.0 - middle).powi(2)) * total;
    let slope = mean(&|point| (point.0 - middle) * (point.1 - offset)) * total / spread;
    if !slope.is_finite() {
        return None;
    }
    let miss = |point: &(f64, f64, f64)| point.1 - offset - slope * (point.0 - middle);
    let chi = mean(&|point| miss(point).powi(2)) * total / (points.len() as f64 - 2.0).max(1.0);
    let scatter = chi.max(1.0).sqrt();
    Some(Fitted {
        middle,
        offset,
        offset_error: scatter / total.sqrt(),
        slope,
        slope_error: scatter / spread.sqrt(),
    })
}

#[cfg(test)]
mod tests {
    use super::super::synthetic::{Run, SECOND, activity, metered};
    use super::*;

    /// A drift, and whether it has to be told.
    #[track_caller]
    fn check(drift: f64, is_told: bool) {
        let run = Run { seed: 3, seconds: 120, offset: 5 * SECOND, noise: 0.1, drift };
        let reference = activity(&run);
        let meter = metered(&reference, &run);
        let pair = Pair { reference: &reference, meter: &meter, drops_slow: true };
        let whole = find(pair, None).unwrap();
        let line = line(pair, &whole).unwrap();
        // A fast meter has more added to its times the later they are taken off: the offset falls.
        let at = |boot: i64| run.offset - ((boot - 100 * SECOND) as f64 * drift) as i64;
        for boot in [100, 160, 220].map(|second| second * SECOND) {
            let told = line.drift_ppb.unwrap_or(0) as f64 * 1e-9;
            let found = line.offset + (told * (boot - line.at) as f64) as i64;
            let off = (found - at(boot)).abs();
            assert!(off <= line.residual + 100_000, "{off} ns off at {boot}: {line:?}");
            assert!(off <= 2_000_000, "{off} ns off at {boot}: {line:?}");
        }
        assert_eq!(line.drift_ppb.is_some(), is_told, "{line:?}");
    }

    #[test]
    fn a_drift_is_told_where_there_is_one() {
        check(0.0, false);
        check(100e-6, true);
        check(-40e-6, true);
    }
}
