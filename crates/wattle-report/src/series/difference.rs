//! Whether one build spends more than another.

use serde::Serialize;
use wattle_power::student_quantile;
use wattle_units::{Interval, Joules};

use super::BuildRow;

/// Runs of each build below which nothing is said: the scatter of two tells nearly nothing of the scatter.
const LEAST_RUNS: usize = 3;

/// Verdict of the runs on two builds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// The second spends more: the interval of the difference lies above 0.
    More,
    /// The second spends less.
    Less,
    /// The interval holds 0.
    NoDifferenceSeen,
    /// Too few runs for an interval.
    TooFewRuns,
}

/// The second build against the first (Welch: the scatter of both may differ).
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct DifferenceRow {
    /// The first build.
    pub from: Option<String>,
    /// The second.
    pub to: Option<String>,
    /// Mean of the second less mean of the first.
    pub joules: Joules,
    /// Its 90 % interval; `None` where a build has fewer than two runs.
    pub interval_joules: Option<Interval>,
    /// As a part of the first build's mean.
    pub share: Option<f64>,
    /// Verdict on that difference.
    pub verdict: Verdict,
}

impl DifferenceRow {
    /// Of two builds; `None` where one of them has no figure.
    pub(super) fn new(from: &BuildRow, to: &BuildRow) -> Option<Self> {
        let (before, after) = (from.mean_joules?, to.mean_joules?);
        let difference = after - before;
        let variances = from.variance_of_mean().zip(to.variance_of_mean());
        let interval = variances.map(|(a, b)| {
            let sum = a + b;
            let (n, m) = (from.runs as f64 - 1.0, to.runs as f64 - 1.0);
            // Welch and Satterthwaite; without any scatter there is nothing to divide by.
            let freedom = if sum > 0.0 { sum * sum / (a * a / n + b * b / m) } else { n + m };
            let half = Joules::new(student_quantile(freedom) * sum.sqrt());
            Interval { low: difference - half, high: difference + half }
        });
        let verdict = match interval {
            _ if from.runs.min(to.runs) < LEAST_RUNS => Verdict::TooFewRuns,
            None => Verdict::TooFewRuns,
            Some(interval) if interval.low > Joules::ZERO => Verdict::More,
            Some(interval) if interval.high < Joules::ZERO => Verdict::Less,
            Some(_) => Verdict::NoDifferenceSeen,
        };
        Some(Self {
            from: from.build.clone(),
            to: to.build.clone(),
            joules: difference,
            interval_joules: interval,
            share: (before != Joules::ZERO).then(|| difference / before),
            verdict,
        })
    }
}
