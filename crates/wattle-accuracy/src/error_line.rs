use serde::Serialize;
use wattle_fit::{Scores, coverage, cross_conformal};

/// Role of a model in the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Role {
    /// Baseline that the other models are compared with.
    Baseline,
    /// Its coefficients have a meaning: watts for each state.
    Interpretable,
    /// The model with the smallest error.
    Best,
    /// A figure that others computed, for comparison.
    Reference,
}

/// One line of the table: a model on a target of a data set, judged on rows it had not seen.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Line {
    /// Name of the data set.
    #[cfg_attr(feature = "schema", schemars(extend("enum" = ["androwatts", "freqbench", "android-runner", "rails"])))]
    pub set: &'static str,
    /// The quantity that is predicted.
    pub target: String,
    /// Name of the model.
    pub model: &'static str,
    /// Role of the model in the table.
    pub role: Role,
    /// Rows judged.
    #[cfg_attr(feature = "schema", schemars(range(min = 1)))]
    pub rows: usize,
    /// Rows left out: measured nothing, or nothing could be predicted.
    pub left_out: usize,
    /// Mean absolute relative error, as a share.
    #[cfg_attr(feature = "schema", schemars(range(min = 0.0)))]
    pub mape: f64,
    /// Sum of absolute errors over the sum of what was measured: rows count by their size.
    #[cfg_attr(feature = "schema", schemars(range(min = 0.0)))]
    pub weighted: f64,
    /// Median absolute relative error.
    #[cfg_attr(feature = "schema", schemars(range(min = 0.0)))]
    pub median: f64,
    /// The absolute relative error that 95 % of the rows stay within.
    #[cfg_attr(feature = "schema", schemars(range(min = 0.0)))]
    pub p95: f64,
    /// Share of the rows with an error of at most 10 %.
    #[cfg_attr(feature = "schema", schemars(range(min = 0.0, max = 1.0)))]
    pub within_tenth: f64,
    /// Mean signed relative error: above 0 is predicted too much.
    pub bias: f64,
    /// Share of the variance explained.
    #[cfg_attr(feature = "schema", schemars(range(max = 1.0)))]
    pub r_squared: Option<f64>,
    /// Share of the rows inside their 90 % interval; `None` where the model gives no interval.
    #[cfg_attr(feature = "schema", schemars(range(min = 0.0, max = 1.0)))]
    pub coverage: Option<f64>,
    /// Median width of the 90 % interval over the prediction.
    #[cfg_attr(feature = "schema", schemars(range(min = 0.0)))]
    pub interval_width: Option<f64>,
    /// `mape` over the baseline's on the same rows; `None` where there is no baseline.
    #[cfg_attr(feature = "schema", schemars(range(min = 0.0)))]
    pub ratio: Option<f64>,
}

/// The level of all intervals.
pub(crate) const LEVEL: f64 = 0.9;

/// Predictions of a model for the rows of a target.
#[derive(Debug, Clone)]
pub(crate) struct Predictions {
    pub(crate) model: &'static str,
    pub(crate) role: Role,
    pub(crate) predicted: Vec<f64>,
    /// Whether its interval is judged too.
    pub(crate) has_interval: bool,
}

/// The lines of models that were judged on the same rows; `groups` numbers what was held out together.
pub(crate) fn lines(
    set: &'static str,
    target: &str,
    measured: &[f64],
    groups: &[usize],
    said: &[Predictions],
) -> Vec<Line> {
    let intervals = |said: &Predictions| {
        let conformal = || cross_conformal(measured, &said.predicted, groups, LEVEL, 0.0);
        said.has_interval.then(conformal)
    };
    let said: Vec<(&Predictions, Option<Intervals>)> =
        said.iter().map(|said| (said, intervals(said))).collect();
    lines_with(set, target, measured, &said)
}

/// Low and high end by row.
pub(crate) type Intervals = Vec<(f64, f64)>;

/// The same of models with the intervals that they give themselves.
pub(crate) fn lines_with(
    set: &'static str,
    target: &str,
    measured: &[f64],
    said: &[(&Predictions, Option<Intervals>)],
) -> Vec<Line> {
    let mut baseline = None;
    let mut lines = Vec::new();
    for (said, intervals) in said {
        let Some(scores) = Scores::new(measured, &said.predicted) else { continue };
        if said.role == Role::Baseline {
            baseline = Some(scores.mean);
        }
        let intervals = intervals.as_ref();
        let widths = intervals.map(|intervals| {
            let widths = intervals.iter().zip(&said.predicted);
            widths.map(|((low, high), p)| (high - low) / p.abs()).collect::<Vec<f64>>()
        });
        lines.push(Line {
            set,
            target: target.to_owned(),
            model: said.model,
            role: said.role,
            rows: scores.rows,
            left_out: scores.left_out,
            mape: scores.mean,
            weighted: weighted(measured, &said.predicted),
            median: scores.median,
            p95: scores.p95,
            within_tenth: scores.within_tenth,
            bias: scores.bias,
            r_squared: scores.r_squared,
            coverage: intervals.and_then(|intervals| coverage(measured, intervals)),
            interval_width: widths
                .and_then(|widths| wattle_fit::order::median(&widths))
                .filter(|width| width.is_finite()),
            ratio: baseline.filter(|baseline| *baseline > 0.0).map(|base| scores.mean / base),
        });
    }
    lines
}

/// The sum of absolute errors over the sum of what was measured, of the rows that have both.
fn weighted(measured: &[f64], predicted: &[f64]) -> f64 {
    let both = measured.iter().zip(predicted);
    let both = both.filter(|(y, p)| y.is_finite() && p.is_finite());
    let (off, sum) = both.fold((0.0, 0.0), |(off, sum), (y, p)| (off + (y - p).abs(), sum + y));
    off / sum
}
