//! Energies of rail periods by a fit that has not seen them.

use wattle_fit::{ShrinkageRow, effective_rows, normal_quantile, order};
use wattle_units::sum_by_key;

use super::code_units::CodeUnits;
use super::rail_fit::{PeriodEnergies, RailFit, Regression};
use super::time_blocks::BLOCKS;

/// Neighbouring periods are looked at together until they are this long, in seconds: nine tenths of 250 ms, because stamps are a few
/// milliseconds off.
const LEAST_WINDOW: f64 = 0.225;
/// The level of intervals.
const LEVEL: f64 = 0.9;
/// That a rail's errors are as large as those of all rails counts as much as so many periods.
const OF_ALL_RAILS: f64 = 4.0;

/// The energy of one or several neighbouring periods of a rail, in joules: by the fit, and the standard deviation that it has.
#[derive(Clone, Copy, Debug)]
pub(super) struct Prediction {
    pub(super) expected: f64,
    pub(super) deviation: f64,
}

/// Predicts neighbouring periods of a rail together.
pub(super) fn predict(
    regression: &Regression<'_>,
    fit: &RailFit,
    rail: usize,
    periods: &[&PeriodEnergies],
) -> Prediction {
    let mut sum = ShrinkageRow::default();
    let mut expected = 0.0;
    let mut noise: Vec<f64> = Vec::new();
    for period in periods {
        let energy = fit.expected(rail, period);
        let row = regression.row(rail, period, energy);
        expected += energy;
        noise.push(row.noise);
        sum.values.extend(row.values);
    }
    sum_by_key(&mut sum.values);
    let known = regression.fit.variance_of(&sum);
    let follows = regression.fit.autocorrelation.clamp(0.0, 0.9);
    let mut of_noise = 0.0;
    for (at, one) in noise.iter().enumerate() {
        for (other_at, other) in noise.iter().enumerate() {
            of_noise += one * other * follows.powi(at.abs_diff(other_at) as i32);
        }
    }
    let variance = known + regression.fit.noise.powi(2) * of_noise;
    Prediction { expected, deviation: variance.sqrt() }
}

/// Neighbouring periods of a rail, of one block, that together are windows of 250 ms or one longer period.
pub(super) fn windows<'a>(periods: &[&'a PeriodEnergies]) -> Vec<Vec<&'a PeriodEnergies>> {
    let mut found: Vec<Vec<&PeriodEnergies>> = Vec::new();
    for period in periods {
        let is_open = |last: &&mut Vec<&PeriodEnergies>| {
            let seconds: f64 = last.iter().map(|period| period.seconds).sum();
            let follows = last
                .last()
                .is_some_and(|it| it.block == period.block && it.window.end == period.window.start);
            follows && seconds < LEAST_WINDOW
        };
        match found.last_mut().filter(is_open) {
            Some(last) => last.push(period),
            None => found.push(vec![period]),
        }
    }
    found
}

/// Distances of measured energies from fits that have not seen them, in standard deviations that the fits state; by rail.
struct Distances {
    of_periods: Vec<Vec<f64>>,
    of_windows: Vec<Vec<f64>>,
}

impl Distances {
    /// Of fits that lack one block of the regression's periods each, from that block.
    fn new(regression: &Regression<'_>, units: &CodeUnits) -> Self {
        let none = vec![Vec::new(); regression.used.len()];
        let mut found = Self { of_periods: none.clone(), of_windows: none };
        for block in 0..BLOCKS {
            let Some(without) = regression.without(block) else { continue };
            let fit = without.read(units);
            for (rail, periods) in regression.used.iter().enumerate() {
                let inside = periods.iter().filter(|period| period.block == block);
                let inside: Vec<&PeriodEnergies> = inside.copied().collect();
                let off = |periods: &[&PeriodEnergies]| {
                    let measured: f64 = periods.iter().map(|period| period.measured).sum();
                    let predicted = predict(&without, &fit, rail, periods);
                    let off = (measured - predicted.expected) / predicted.deviation;
                    if off.is_finite() { off } else { 0.0 }
                };
                found.of_periods[rail].extend(inside.iter().map(|period| off(&[period])));
                found.of_windows[rail].extend(windows(&inside).iter().map(|window| off(window)));
            }
        }
        found
    }
}

/// Distances of measured energies from a fit that has not seen them, over those that it states.
///
/// Standard deviations are the root mean square of those of a rail, drawn to that of all rails. How many of them hold nine in ten
/// is the rank of a conformal interval, `⌈0.9·(n + 1)⌉` of `n`, with as many distances as count as independent: neighbouring
/// periods are off by much the same.
#[derive(Clone, Debug)]
pub(super) struct Reach {
    /// Over the fit's own standard deviation, by rail.
    by_rail: Vec<f64>,
    /// The number of the rail's deviations that nine in ten are within.
    in_period: f64,
    in_window: f64,
}

impl Reach {
    /// Of a regression, from blocks of its own periods.
    pub(super) fn new(regression: &Regression<'_>, units: &CodeUnits) -> Self {
        let distances = Distances::new(regression, units);
        let square = |off: &[f64]| -> f64 { off.iter().map(|off| off.powi(2)).sum() };
        let periods = &distances.of_periods;
        let count: usize = periods.iter().map(Vec::len).sum();
        let sum: f64 = periods.iter().map(|of_rail| square(of_rail)).sum();
        let of_all = (sum + OF_ALL_RAILS) / (count as f64 + OF_ALL_RAILS);
        let of_rail = periods.iter().map(|of_rail| {
            let of_both = square(of_rail) + OF_ALL_RAILS * of_all;
            (of_both / (of_rail.len() as f64 + OF_ALL_RAILS)).sqrt()
        });
        let by_rail: Vec<f64> = of_rail.collect();
        let within = |distances: &[Vec<f64>]| {
            let pairs = distances.iter().zip(&by_rail);
            let scaled: Vec<f64> =
                pairs.flat_map(|(off, scale)| off.iter().map(move |off| off / scale)).collect();
            within(&scaled)
        };
        let (in_period, in_window) = (within(periods), within(&distances.of_windows));
        Self { by_rail, in_period, in_window }
    }

    /// Half of a 90 % interval of a period, or of a window of several.
    pub(super) fn half_width(&self, rail: usize, of: Prediction, is_window: bool) -> f64 {
        let reach = if is_window { self.in_window } else { self.in_period };
        reach * self.by_rail.get(rail).copied().unwrap_or(1.0) * of.deviation
    }
}

/// The distance that nine in ten new ones are within.
fn within(distances: &[f64]) -> f64 {
    let absolute: Vec<f64> = distances.iter().map(|off| off.abs()).collect();
    let sorted = order::sorted(&absolute);
    let independent = effective_rows(distances);
    let part = (LEVEL * (independent + 1.0)).ceil() / independent.max(1.0);
    let rank = (part.min(1.0) * sorted.len() as f64).ceil() as usize;
    let found = rank.checked_sub(1).and_then(|place| sorted.get(place)).copied();
    found.unwrap_or_else(|| normal_quantile(f64::midpoint(1.0, LEVEL)))
}

#[cfg(test)]
mod tests {
    use wattle_timeline::Window;
    use wattle_units::BootNanos;

    use super::*;

    /// Nine in ten of what is independent, with the rank that counts the new one too; more of what follows each other.
    #[test]
    fn distances_that_follow_each_other_reach_farther() {
        let apart: Vec<f64> = (0..99).map(|it| f64::from(it * 37 % 99 + 1)).collect();
        let ordered: Vec<f64> = (0..99).map(|it| f64::from(it + 1)).collect();
        assert!((90.0..=92.0).contains(&within(&apart)), "{}", within(&apart));
        assert!(within(&ordered) > 95.0, "{}", within(&ordered));
        assert!((within(&[]) - 1.645).abs() < 1e-3);
        assert_eq!(within(&[1.0, -3.0, 2.0]), 3.0);
    }

    #[test]
    fn windows_are_of_a_quarter_of_a_second_and_of_one_block() {
        let period = |start: i64, length: i64, block: usize| PeriodEnergies {
            window: Window::new(BootNanos::new(start), BootNanos::new(start + length)),
            seconds: length as f64 * 1e-9,
            block,
            ..PeriodEnergies::default()
        };
        let check = |periods: &[(i64, i64, usize)], expected: &[usize]| {
            let periods: Vec<PeriodEnergies> = periods
                .iter()
                .map(|(start, length, block)| period(start * 1_000_000, length * 1_000_000, *block))
                .collect();
            let all: Vec<&PeriodEnergies> = periods.iter().collect();
            let lengths: Vec<usize> = windows(&all).iter().map(Vec::len).collect();
            assert_eq!(lengths, expected, "{periods:?}");
        };
        check(&[(0, 250, 0), (250, 245, 0)], &[1, 1]);
        check(&[(0, 100, 0), (100, 100, 0), (200, 50, 0), (250, 100, 0)], &[3, 1]);
        check(&[(0, 100, 0), (100, 100, 1)], &[1, 1]);
        check(&[(0, 100, 0), (150, 100, 0)], &[1, 1]);
        check(&[], &[]);
    }
}
