//! Energies of rail periods by a fit that has not seen them.

use wattle_fit::{ShrinkageRow, order};

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
    sum.values.sort_by_key(|(column, _)| *column);
    sum.values.dedup_by(|later, earlier| {
        let is_same = later.0 == earlier.0;
        if is_same {
            earlier.1 += later.1;
        }
        is_same
    });
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
            let follows = last.last().is_some_and(|it| {
                it.block == period.block && it.window.end == period.window.start
            });
            follows && seconds < LEAST_WINDOW
        };
        match found.last_mut().filter(is_open) {
            Some(last) => last.push(period),
            None => found.push(vec![period]),
        }
    }
    found
}

/// How far measured energies are from a fit that has not seen them, in standard deviations that the fit states.
#[derive(Clone, Debug)]
pub(super) struct Reach {
    /// By rail, over the fit's own standard deviation.
    of_rail: Vec<f64>,
    /// The number of the rail's deviations that nine in ten are within.
    of_period: f64,
    of_window: f64,
}

impl Reach {
    /// Of fits that lack one block of the regression's periods each, judged on that block.
    pub(super) fn new(regression: &Regression<'_>, units: &CodeUnits) -> Self {
        let (mut of_periods, mut of_windows) = (Vec::new(), Vec::new());
        for block in 0..BLOCKS {
            let Some(without) = regression.without(block) else { continue };
            let fit = without.read(units);
            for (rail, periods) in regression.used.iter().enumerate() {
                let inside: Vec<&PeriodEnergies> =
                    periods.iter().filter(|period| period.block == block).copied().collect();
                let off = |periods: &[&PeriodEnergies]| {
                    let measured: f64 = periods.iter().map(|period| period.measured).sum();
                    let predicted = predict(&without, &fit, rail, periods);
                    (rail, (measured - predicted.expected) / predicted.deviation)
                };
                of_periods.extend(inside.iter().map(|period| off(&[period])));
                of_windows.extend(windows(&inside).iter().map(|window| off(window)));
            }
        }
        let square = |off: &mut dyn Iterator<Item = &(usize, f64)>| {
            off.fold((0.0, 0.0), |(sum, count), (_, off)| (sum + off.powi(2), count + 1.0))
        };
        let (sum, count) = square(&mut of_periods.iter());
        let of_all = (sum + OF_ALL_RAILS) / (count + OF_ALL_RAILS);
        let of_rail: Vec<f64> = (0..regression.used.len())
            .map(|rail| {
                let (sum, count) = square(&mut of_periods.iter().filter(|(of, _)| *of == rail));
                ((sum + OF_ALL_RAILS * of_all) / (count + OF_ALL_RAILS)).sqrt()
            })
            .collect();
        let reach = |off: &[(usize, f64)]| {
            let scaled = off.iter().map(|(rail, off)| (off / of_rail[*rail]).abs());
            let sorted = order::sorted(&scaled.collect::<Vec<f64>>());
            let rank = (LEVEL * (sorted.len() + 1) as f64).ceil() as usize;
            sorted.get(rank.min(sorted.len()).saturating_sub(1)).copied()
        };
        let normal = wattle_fit::normal_quantile((1.0 + LEVEL) / 2.0);
        let (of_period, of_window) = (reach(&of_periods), reach(&of_windows));
        if std::env::var("RC_DEBUG").is_ok() {
            let scaled: Vec<String> =
                of_periods.iter().map(|(r, z)| format!("{r}:{z:.2}")).collect();
            eprintln!("reach rails {of_rail:?} {of_period:?} {of_window:?} {}", scaled.join(" "));
        }
        Self {
            of_rail,
            of_period: of_period.unwrap_or(normal),
            of_window: of_window.unwrap_or(normal),
        }
    }

    /// Half of a 90 % interval of a period, or of a window of several.
    pub(super) fn half_width(&self, rail: usize, of: Prediction, is_window: bool) -> f64 {
        let reach = if is_window { self.of_window } else { self.of_period };
        reach * self.of_rail.get(rail).copied().unwrap_or(1.0) * of.deviation
    }
}
