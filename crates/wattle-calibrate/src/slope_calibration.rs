//! A figure from the slope of a cumulative counter.
//!
//! Counts from before the first reading are no part of what was drawn since: dividing the counter by the time
//! overstates the current by the start over the time, the more the shorter the run. The line is fitted with its own
//! start, in each series; the slope is common to all.

use serde::Serialize;
use wattle_fit::{SlopeOptions, order, student_quantile};
use wattle_power::{DeviceModel, Figure};
use wattle_units::Provenance;

use crate::{CalibrateError, CounterSeries, CounterUnit};

/// Settings for fitting a slope.
#[derive(Clone, Debug, PartialEq)]
pub struct SlopeRequest {
    /// The figure's name.
    pub figure: String,
    /// The counter's unit.
    pub unit: CounterUnit,
    /// Share of the time that is discarded at the start of each series, while the device settles.
    pub warm_up: f64,
    /// Whether single wild readings must not matter (Theil and Sen).
    pub robust: bool,
}

impl SlopeRequest {
    /// With a tenth of the time discarded, least squares.
    pub fn new(figure: &str, unit: CounterUnit) -> Self {
        Self { figure: figure.to_owned(), unit, warm_up: 0.1, robust: false }
    }
}

/// The slope of one series.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SeriesSlope {
    /// Which series.
    pub name: String,
    /// In the figure's unit.
    pub value: f64,
    /// 90 % confidence interval; `None` where there are too few readings.
    pub interval: Option<[f64; 2]>,
    /// Count at its start, in the counter's unit.
    pub start: f64,
    /// Readings used.
    pub rows: usize,
    /// Readings discarded as warm-up.
    pub discarded: usize,
    /// Largest distance of a reading from its line, as a part of what the counter rose by.
    pub largest_residual: f64,
}

/// A figure from one or more series.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SlopeCalibration {
    /// The figure's name.
    pub figure: String,
    /// Its value.
    pub value: f64,
    /// `mA` or `mW`.
    pub unit: &'static str,
    /// 90 % confidence interval.
    pub interval: Option<[f64; 2]>,
    /// Relative standard error.
    pub error: Option<f64>,
    /// Each series.
    pub series: Vec<SeriesSlope>,
    /// Warnings that a reader should know.
    pub warnings: Vec<String>,
}

/// A counter that takes fewer different values tells its own steps rather than a slope.
const FEW_VALUES: usize = 5;
/// Readings off their line by more than this part of the rise are not on a line.
const OFF_LINE: f64 = 0.1;
/// Halves of a series that differ by more than this are not of one slope.
const UNEVEN: f64 = 0.2;

impl SlopeCalibration {
    /// Fits all series.
    pub fn new(series: &[CounterSeries], request: &SlopeRequest) -> Result<Self, CalibrateError> {
        if series.is_empty() {
            return Err(CalibrateError::Request {
                what: "--slope",
                expected: "readings of a counter".to_owned(),
                found: "none".to_owned(),
            });
        }
        let options = SlopeOptions { warm_up: request.warm_up, robust: request.robust, level: 0.9 };
        let scale = request.unit.a_second();
        let mut warnings = Vec::new();
        let mut slopes = Vec::new();
        for of in series {
            let found = options.fit(&of.time, &of.value)?;
            warnings.extend(of.checks(&options, found.value)?);
            let finite = found.interval.0.is_finite() && found.interval.1.is_finite();
            slopes.push(SeriesSlope {
                name: of.name.clone(),
                value: found.value * scale,
                interval: finite.then_some([found.interval.0 * scale, found.interval.1 * scale]),
                start: found.intercept + found.value * of.time.first().copied().unwrap_or(0.0),
                rows: found.rows,
                discarded: found.discarded,
                largest_residual: of.largest_residual(
                    request.warm_up,
                    found.intercept,
                    found.value,
                ),
            });
        }
        let (value, deviation, freedom) = common(&slopes);
        if value < 0.0 {
            warnings.push("the counter falls: it is not cumulative, or it was reset".to_owned());
        }
        let reach = deviation.map(|deviation| deviation * student_quantile(0.95, freedom));
        Ok(Self {
            figure: request.figure.clone(),
            value,
            unit: request.unit.slope().name(),
            interval: reach.map(|reach| [value - reach, value + reach]),
            error: deviation.filter(|_| value != 0.0).map(|deviation| (deviation / value).abs()),
            series: slopes,
            warnings,
        })
    }

    /// The device model that says this and nothing else.
    pub fn device_model(&self, name: &str, source: &str) -> DeviceModel {
        let mut model = DeviceModel::named(name);
        source.clone_into(&mut model.source);
        let figure = Figure {
            values: vec![self.value],
            unit: wattle_power::Measure::named(self.unit)
                .unwrap_or(wattle_power::Measure::Milliamperes),
            source: format!(
                "slope of a cumulative counter, {} readings in {} series",
                self.series.iter().map(|series| series.rows).sum::<usize>(),
                self.series.len()
            ),
            provenance: Provenance::Measured,
            error: self.error.filter(|error| error.is_finite()),
        };
        model.figures.insert(self.figure.clone(), figure);
        model
    }
}

/// The common slope, its standard error and the degrees of freedom it is known with. Series that were read at the same
/// time are of the same counter and do not average out: the error is the larger one of what the readings of one series
/// leave and what series differ by.
fn common(series: &[SeriesSlope]) -> (f64, Option<f64>, f64) {
    let count = series.len().max(1) as f64;
    let values: Vec<f64> = series.iter().map(|slope| slope.value).collect();
    let mean = values.iter().sum::<f64>() / count;
    let each = series.iter().filter_map(|slope| {
        let [low, high] = slope.interval?;
        let student = student_quantile(0.95, slope.rows.saturating_sub(2).max(1) as f64);
        Some(((high - low) / 2.0 / student, slope.rows.saturating_sub(2)))
    });
    let within = each.max_by(|a, b| a.0.total_cmp(&b.0));
    if series.len() < 2 {
        return (
            mean,
            within.map(|(error, _)| error),
            within.map_or(1.0, |(_, freedom)| freedom.max(1) as f64),
        );
    }
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    let between = (squares / (count - 1.0)).sqrt();
    match within {
        Some((error, freedom)) if error >= between => (mean, Some(error), freedom.max(1) as f64),
        _ => (mean, Some(between), count - 1.0),
    }
}

impl CounterSeries {
    /// The readings after the warm-up.
    fn settled(&self, warm_up: f64) -> (Vec<f64>, Vec<f64>) {
        let first = self.time.iter().copied().fold(f64::INFINITY, f64::min);
        let last = self.time.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let from = first + warm_up * (last - first);
        let kept = self.time.iter().copied().zip(self.value.iter().copied());
        kept.filter(|(time, _)| *time >= from).unzip()
    }

    fn largest_residual(&self, warm_up: f64, start: f64, slope: f64) -> f64 {
        let (time, value) = self.settled(warm_up);
        let rise = match (value.first(), value.last()) {
            (Some(first), Some(last)) => (last - first).abs(),
            _ => 0.0,
        };
        let off = time.iter().zip(&value).map(|(t, v)| (v - start - slope * t).abs());
        let largest = off.fold(0.0, f64::max);
        if rise > 0.0 { largest / rise } else { 0.0 }
    }

    /// Whether the readings are those of one steady slope.
    fn checks(&self, options: &SlopeOptions, slope: f64) -> Result<Vec<String>, CalibrateError> {
        let mut warnings = Vec::new();
        let (time, value) = self.settled(options.warm_up);
        let mut distinct = order::sorted(&value);
        distinct.dedup();
        if distinct.len() < FEW_VALUES {
            warnings.push(format!(
                "{}: the counter takes {} different values only: record for longer",
                self.name,
                distinct.len()
            ));
        }
        let falls = value.windows(2).filter(|pair| matches!(pair, [a, b] if b < a)).count();
        if falls > 0 {
            warnings.push(format!("{}: the counter falls {falls} times: was it reset?", self.name));
        }
        let middle = value.len() / 2;
        if middle >= 3 {
            let whole = SlopeOptions { warm_up: 0.0, ..*options };
            let half = |range: std::ops::Range<usize>| {
                let part = |of: &[f64]| of.get(range.clone()).unwrap_or_default().to_vec();
                whole.fit(&part(&time), &part(&value)).map(|found| found.value)
            };
            if let (Ok(first), Ok(second)) = (half(0..middle), half(middle..value.len()))
                && slope != 0.0
                && ((first - second) / slope).abs() > UNEVEN
            {
                let scale = first / slope;
                warnings.push(format!(
                    "{}: the first half rises {:.0} % as fast as the whole, the second {:.0} %: the device had not settled, \
                     or did something else; discard more of the start (--warm-up)",
                    self.name,
                    scale * 100.0,
                    second / slope * 100.0
                ));
            }
        }
        let found = options.fit(&self.time, &self.value)?;
        if self.largest_residual(options.warm_up, found.intercept, found.value) > OFF_LINE {
            warnings.push(format!("{}: readings do not lie on a line", self.name));
        }
        Ok(warnings)
    }
}
