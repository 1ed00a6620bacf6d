//! Out-of-sample error of a calibration.

use std::collections::BTreeMap;

use serde::Serialize;
use wattle_fit::{
    Design, FitError, Folds, LinearOptions, Scores, Split, WeightedConformal, effective_rows, pick,
};

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

/// The rows that an interval is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum IntervalScope {
    /// A row of a group that nobody has seen: each group counted once.
    NewGroup,
    /// Another row of the same groups: neighbouring rows count as fewer.
    SameGroups,
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
    /// Standard error of that mean, by folds.
    pub mean_error_deviation: f64,
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
    /// The same in the group (or block) where it is lowest, of those with ten rows or more.
    pub worst_coverage: Option<f64>,
    /// The 90 % prediction interval from all rows held out, relative to the prediction; `None` where they are too few for a promise.
    pub interval: Option<[f64; 2]>,
    /// The rows that the interval is for.
    pub interval_scope: IntervalScope,
    /// Independent rows that the interval counts: groups, or neighbouring rows by their autocorrelation.
    pub effective_rows: f64,
    /// Measured minus predicted, one a row.
    #[serde(skip)]
    pub residuals: Vec<f64>,
    /// Mean relative error of each fold.
    #[serde(skip)]
    pub(crate) fold_errors: Vec<f64>,
}

/// Folds when there is one group only: with fewer rows, and with more.
const BLOCKS: [usize; 2] = [5, 10];
/// Rows from which on there are more blocks.
const MANY_ROWS: usize = 400;
/// Groups below which no interval is one for a new group: its end would be at a rank that they do not have.
pub(crate) const LEAST_GROUPS: usize = 9;
/// The level of intervals.
const LEVEL: f64 = 0.9;
/// A group's own coverage is known from so many rows on.
const ROWS_OF_COVERAGE: usize = 10;

fn is_one(groups: &[String]) -> bool {
    groups.windows(2).all(|pair| pair.first() == pair.last())
}

/// The way rows are held out, and the folds.
pub(crate) fn plan(groups: &[String], folds: Option<usize>) -> (FoldKind, Folds) {
    let alone = Folds::leave_one_group_out(groups);
    let rows = groups.len();
    match (alone.count(), folds) {
        (0 | 1, count) => {
            let [few, many] = BLOCKS;
            let usual = if rows < MANY_ROWS { few } else { many };
            (FoldKind::Blocked, Folds::blocked(rows, count.unwrap_or(usual).max(2)))
        }
        (there, Some(count)) if count < there => {
            (FoldKind::Grouped, Folds::grouped(groups, count.max(2)))
        }
        // Each of hundreds of apps once would fit hundreds of models, and ten folds of whole apps say the same.
        (there, None) if there > MOST_ALONE => (FoldKind::Grouped, Folds::grouped(groups, 10)),
        _ => (FoldKind::LeaveOneGroupOut, alone),
    }
}

/// More groups than this are held out in ten folds.
const MOST_ALONE: usize = 20;

impl CrossValidation {
    /// Holds out each group (or blocks of the only one); `None` where there are too few rows for it.
    pub(crate) fn new(
        design: &Design,
        power: &[f64],
        groups: &[String],
        folds: Option<usize>,
        options: &LinearOptions,
    ) -> Result<Option<Self>, FitError> {
        let (kind, folds) = plan(groups, folds.or(Some(BLOCKS[0]).filter(|_| is_one(groups))));
        let least = design.width() + 2;
        if folds.splits().any(|split| split.train.len() < least) {
            return Ok(None);
        }
        let predict = |split: &Split| {
            let fit = options.fit(&design.select(&split.train), &pick(power, &split.train))?;
            Ok::<_, FitError>(fit.predict_all(&design.select(&split.test)))
        };
        let predicted = folds.out_of_fold(predict)?;
        Ok(Self::judged((kind, &folds), power, &predicted, groups))
    }

    /// Of predictions that were made without the row's own fold.
    pub(crate) fn judged(
        (kind, folds): (FoldKind, &Folds),
        power: &[f64],
        predicted: &[f64],
        groups: &[String],
    ) -> Option<Self> {
        let scores = Scores::new(power, predicted)?;
        let floor = power.iter().copied().sum::<f64>() / power.len().max(1) as f64 * 1e-3;
        let relative = |(y, p): (&f64, &f64)| (y - p) / p.abs().max(floor.abs());
        let errors: Vec<f64> = power.iter().zip(predicted).map(relative).collect();
        // Groups of the data, or blocks where there is one only.
        let names = Folds::leave_one_group_out(groups);
        let all: Vec<usize> = (0..power.len()).collect();
        let found = Calibration::new(&errors, names.fold_of_row(), &all);
        let mut inside: BTreeMap<usize, (usize, usize)> = BTreeMap::new();
        for split in folds.splits() {
            let others = Calibration::new(&errors, names.fold_of_row(), &split.train);
            let Some([low, high]) = others.interval else { continue };
            for row in &split.test {
                let Some(error) = errors.get(*row).filter(|error| error.is_finite()) else {
                    continue;
                };
                let of = if names.count() > 1 { names.fold_of_row() } else { folds.fold_of_row() };
                let group = of.get(*row).copied().unwrap_or_default();
                let count = inside.entry(group).or_default();
                count.0 += usize::from(low <= *error && *error <= high);
                count.1 += 1;
            }
        }
        let rows: usize = inside.values().map(|(_, rows)| rows).sum();
        let share = |(inside, rows): &(usize, usize)| *inside as f64 / *rows as f64;
        let own = inside.values().filter(|(_, rows)| *rows >= ROWS_OF_COVERAGE).map(share);
        let fold_errors = crate::model_kind::fold_errors(folds, power, predicted);
        let folds_there = fold_errors.len().max(1) as f64;
        let middle = fold_errors.iter().sum::<f64>() / folds_there;
        let squares: f64 = fold_errors.iter().map(|error| (error - middle).powi(2)).sum();
        Some(Self {
            kind,
            folds: folds.count(),
            mean_error: scores.mean,
            mean_error_deviation: (squares / (folds_there - 1.0).max(1.0) / folds_there).sqrt(),
            median_error: scores.median,
            p95_error: scores.p95,
            within_tenth: scores.within_tenth,
            bias: scores.bias,
            r_squared: scores.r_squared,
            interval_coverage: (rows > 0).then(|| {
                inside.values().map(|(inside, _)| *inside).sum::<usize>() as f64 / rows as f64
            }),
            worst_coverage: own.min_by(f64::total_cmp),
            interval: found.interval,
            interval_scope: found.scope,
            effective_rows: found.effective,
            residuals: power.iter().zip(predicted).map(|(y, p)| y - p).collect(),
            fold_errors,
        })
    }
}

/// An interval from relative errors of rows held out.
struct Calibration {
    interval: Option<[f64; 2]>,
    scope: IntervalScope,
    effective: f64,
}

impl Calibration {
    fn new(errors: &[f64], groups: &[usize], rows: &[usize]) -> Self {
        let errors = pick(errors, rows);
        let groups = pick(groups, rows);
        let mut counts: BTreeMap<usize, f64> = BTreeMap::new();
        for group in &groups {
            *counts.entry(*group).or_default() += 1.0;
        }
        let (scope, effective, weights): (_, f64, Vec<f64>) = if counts.len() >= LEAST_GROUPS {
            let weight = |group| counts.get(group).map_or(0.0, |count| 1.0 / count);
            (IntervalScope::NewGroup, counts.len() as f64, groups.iter().map(weight).collect())
        } else {
            let effective: f64 = counts
                .keys()
                .map(|group| {
                    let own = errors.iter().zip(&groups).filter(|(_, of)| *of == group);
                    effective_rows(&own.map(|(error, _)| *error).collect::<Vec<f64>>())
                })
                .sum();
            let weight = effective / errors.len().max(1) as f64;
            (IntervalScope::SameGroups, effective, vec![weight; errors.len()])
        };
        let interval = WeightedConformal::new(&errors, &weights).interval(LEVEL);
        Self { interval: interval.map(|ends| [ends.low, ends.high]), scope, effective }
    }
}
