//! A model moved to another phone or population by a few measured runs.

use serde::Serialize;
use wattle_fit::{normal_quantile, order, student_quantile};
use wattle_power::LinearModel;
use wattle_units::Volts;

use crate::table_prediction::columns;
use crate::{CalibrateError, Table, TablePrediction};

/// A model's scale and spread on runs of another phone or population.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct AnchorCalibration {
    /// Runs that were used.
    pub runs: usize,
    /// Factor that the model is multiplied by.
    pub scale: f64,
    /// 90 % confidence interval of the factor.
    pub scale_interval: [f64; 2],
    /// Mean of |predicted − measured| / measured before.
    pub error_before: f64,
    /// The same afterwards, each run predicted with the factor of the others.
    pub error_after: f64,
    /// 90 % prediction interval afterwards, relative to the prediction.
    pub interval: [f64; 2],
    /// Whether the interval is by these runs alone, because they spread otherwise than the runs of the calibration.
    pub is_own_spread: bool,
    /// Warnings that a reader should know.
    pub warnings: Vec<String>,
    /// The model afterwards.
    #[serde(skip)]
    pub model: LinearModel,
}

/// Fewer runs than this tell neither a factor nor a spread.
const LEAST: usize = 3;
/// With fewer, a factor is still uncertain by more than a few percent on usual data.
const FEW: usize = 8;
/// The level of intervals.
const LEVEL: f64 = 0.9;

impl AnchorCalibration {
    /// Multiplies the model by one factor, so that the mean of predicted over measured is 1 on these runs (robustly), and gives it
    /// the interval that these runs call for.
    ///
    /// # Errors
    /// Columns that are not there, and fewer than three runs with a measured value above 0.
    pub fn new(
        model: &LinearModel,
        table: &Table,
        voltage: Option<Volts>,
    ) -> Result<Self, CalibrateError> {
        let target = columns(model).target;
        if target.is_empty() {
            return Err(CalibrateError::Request {
                what: "--anchor",
                expected: "a model that was calibrated from a table (--csv)".to_owned(),
                found: "one that does not say which column was measured".to_owned(),
            });
        }
        table.formula(&target)?;
        let found = TablePrediction::new(model, table, voltage, None)?;
        let both = found.rows.iter().filter_map(|row| row.predicted.zip(row.measured));
        let ratios: Vec<f64> =
            both.filter(|(p, y)| *p > 0.0 && *y > 0.0).map(|(p, y)| p / y).collect();
        if ratios.len() < LEAST {
            return Err(CalibrateError::Request {
                what: "--anchor",
                expected: format!("{LEAST} runs or more with a measured value above 0"),
                found: ratios.len().to_string(),
            });
        }
        let middle = robust_mean(&ratios);
        let scale = 1.0 / middle;
        // Measured over what the moved model predicts, less 1.
        let left: Vec<f64> = ratios.iter().map(|ratio| middle / ratio - 1.0).collect();
        let runs = left.len() as f64;
        let own = spread(&left);
        let student = student_quantile(0.5 + LEVEL / 2.0, runs - 1.0);
        let reach = student * own / runs.sqrt();
        let ends = model.correction.as_ref().map_or(model.interval, |of| of.interval);
        let (interval, is_own_spread) = interval(ends, own, runs);
        let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len().max(1) as f64;
        let before: Vec<f64> = ratios.iter().map(|ratio| (ratio - 1.0).abs()).collect();
        let after: Vec<f64> = (0..ratios.len())
            .map(|run| {
                let mut rest = ratios.clone();
                let ratio = rest.remove(run);
                (ratio / robust_mean(&rest) - 1.0).abs()
            })
            .collect();
        let mut warnings = Vec::new();
        if left.len() < FEW {
            warnings.push(format!(
                "{} runs tell the factor to {:.0} % only: ten or more are better",
                left.len(),
                reach * 100.0
            ));
        }
        if is_own_spread && ends.is_some() {
            warnings.push(
                "these runs spread otherwise than those of the calibration: the interval is by them alone".to_owned(),
            );
        }
        let mut moved = model.scaled(scale);
        moved.interval = Some(interval);
        if let Some(correction) = &mut moved.correction {
            correction.interval = Some(interval);
        }
        Ok(Self {
            runs: left.len(),
            scale,
            scale_interval: [scale * (1.0 - reach), scale * (1.0 + reach)],
            error_before: mean(&before),
            error_after: mean(&after),
            interval,
            is_own_spread,
            warnings,
            model: moved,
        })
    }
}

/// Huber's mean: values beyond 1.345 robust deviations count as if they were there.
fn robust_mean(values: &[f64]) -> f64 {
    let mut middle = order::median(values).unwrap_or(1.0);
    let limit = 1.345 * order::robust_deviation(values).unwrap_or_default();
    if limit <= 0.0 {
        return middle;
    }
    for _ in 0..50 {
        let near = values.iter().map(|value| (value - middle).clamp(-limit, limit));
        let step = near.sum::<f64>() / values.len() as f64;
        middle += step;
        if step.abs() < 1e-12 {
            break;
        }
    }
    middle
}

/// Deviation of errors whose mean is taken away; single wild ones count as three robust deviations.
fn spread(left: &[f64]) -> f64 {
    let limit = 3.0 * order::robust_deviation(left).unwrap_or_default();
    let squares = left.iter().map(|error| error.clamp(-limit, limit).powi(2));
    (squares.sum::<f64>() / (left.len() as f64 - 1.0)).sqrt()
}

/// The calibration's interval where the runs spread as it does; else one by Student's t from the runs alone. The uncertain factor
/// widens both.
fn interval(ends: Option<[f64; 2]>, own: f64, runs: f64) -> ([f64; 2], bool) {
    let widened = (1.0 + 1.0 / runs).sqrt();
    let normal = normal_quantile(0.5 + LEVEL / 2.0);
    if let Some([low, high]) = ends {
        let usual = (high - low) / (2.0 * normal);
        // The ratio of a sample's variance to its own lies between these nine times of ten (Wilson and Hilferty).
        let freedom = runs - 1.0;
        let end = |side: f64| {
            let part = 2.0 / (9.0 * freedom);
            (1.0 - part + side * normal * part.sqrt()).powi(3)
        };
        let ratio = (own / usual).powi(2);
        if (end(-1.0)..=end(1.0)).contains(&ratio) {
            return ([low * widened, high * widened], false);
        }
    }
    let reach = student_quantile(0.5 + LEVEL / 2.0, runs - 1.0) * own * widened;
    ([-reach, reach], true)
}
