//! Out-of-sample error of a calibration.

use serde::Serialize;
use wattle_fit::{Design, FitError, Folds, LinearOptions, Scores, coverage, cross_conformal, pick};

/// Method of holding rows out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum FoldKind {
    /// Each group once.
    LeaveOneGroupOut,
    /// Several groups at a time.
    Grouped,
    /// Neighbouring rows of the only group. What one device does at one time is not told from what others would do.
    Blocked,
}

/// Outcome of a cross-validation.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CrossValidation {
    /// Method by which rows were held out.
    pub kind: FoldKind,
    /// Number of folds.
    pub folds: usize,
    /// Mean of |predicted − measured| / measured.
    pub mean_error: f64,
    /// The median of it.
    pub median_error: f64,
    /// Error that 95 % of the rows stay below.
    pub p95_error: f64,
    /// Share of rows within a tenth.
    pub within_tenth: f64,
    /// Mean of (predicted − measured) / measured.
    pub bias: f64,
    /// Part of the variance that is explained, of rows not seen.
    pub r_squared: Option<f64>,
    /// Share of rows inside their 90 % prediction interval, each interval made from the residuals of other folds only.
    pub interval_coverage: Option<f64>,
    /// Measured minus predicted, one a row.
    #[serde(skip)]
    pub residuals: Vec<f64>,
}

/// Folds when there is one group only.
const BLOCKS: usize = 5;

impl CrossValidation {
    /// Holds out each group (or blocks of the only one); `None` where there are too few rows for it.
    pub(crate) fn new(
        design: &Design,
        power: &[f64],
        groups: &[String],
        folds: Option<usize>,
        options: &LinearOptions,
    ) -> Result<Option<Self>, FitError> {
        let alone = Folds::leave_one_group_out(groups);
        let (kind, folds) = match (alone.count(), folds) {
            (0 | 1, count) => {
                (FoldKind::Blocked, Folds::blocked(power.len(), count.unwrap_or(BLOCKS).max(2)))
            }
            (groups_there, Some(count)) if count < groups_there => {
                (FoldKind::Grouped, Folds::grouped(groups, count.max(2)))
            }
            _ => (FoldKind::LeaveOneGroupOut, alone),
        };
        let least = design.width() + 2;
        if folds.splits().any(|split| split.train.len() < least) {
            return Ok(None);
        }
        let predicted = folds.out_of_fold(|split| {
            let fit = options.fit(&design.select(&split.train), &pick(power, &split.train))?;
            Ok::<_, FitError>(fit.predict_all(&design.select(&split.test)))
        })?;
        let Some(scores) = Scores::new(power, &predicted) else { return Ok(None) };
        let floor = power.iter().copied().sum::<f64>() / power.len().max(1) as f64 * 1e-3;
        let intervals = cross_conformal(power, &predicted, folds.fold_of_row(), 0.9, floor);
        let residuals = power.iter().zip(&predicted).map(|(y, p)| y - p).collect();
        Ok(Some(Self {
            kind,
            folds: folds.count(),
            mean_error: scores.mean,
            median_error: scores.median,
            p95_error: scores.p95,
            within_tenth: scores.within_tenth,
            bias: scores.bias,
            r_squared: scores.r_squared,
            interval_coverage: coverage(power, &intervals),
            residuals,
        }))
    }
}
