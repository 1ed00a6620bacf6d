//! Conformal intervals where rows do not count alike.
//!
//! Split conformal prediction gives each calibration row the same say as the new row. Two things break that: rows of one group (an
//! app, a device) resemble each other, and so do neighbouring rows of one recording. With weights `w_i` for the calibration rows and 1
//! for the new one, the end of an interval is the score at which the weights below reach `level` of the sum of all, the new row's own
//! weight being at infinity:
//!
//! - rows of groups, for a row of a new group: `w_i = 1 / (rows of its group)`, so that each group counts once (Lee, Barber and Willett,
//!   *Distribution-free inference with hierarchical data*, 2023);
//! - neighbouring rows of one group: `w_i = (effective rows) / rows`, see [`effective_rows`](crate::effective_rows);
//! - a shifted population: `w_i` in proportion to how likely such a row is after the shift (Tibshirani, Barber, Candès and Ramdas,
//!   *Conformal prediction under covariate shift*, 2019).

/// Scores of rows that a model has not seen, with their weights.
#[derive(Debug, Clone, PartialEq)]
pub struct WeightedConformal {
    /// Score and weight, rising by score.
    scores: Vec<(f64, f64)>,
    /// Sum of the weights.
    total: f64,
}

/// An interval of scores, and by which promise.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ScoreInterval {
    /// Lowest score inside.
    pub low: f64,
    /// Highest score inside.
    pub high: f64,
    /// Whether the ends are equally far from 0, because the weight is too little for two ends of their own.
    pub is_symmetric: bool,
}

impl WeightedConformal {
    /// From scores and weights, in the same order; pairs that are not finite, or weigh nothing, are left out.
    pub fn new(scores: &[f64], weights: &[f64]) -> Self {
        let pairs = scores.iter().copied().zip(weights.iter().copied());
        let mut scores: Vec<(f64, f64)> =
            pairs.filter(|(score, weight)| score.is_finite() && *weight > 0.0).collect();
        scores.sort_by(|a, b| a.0.total_cmp(&b.0));
        let total = scores.iter().map(|(_, weight)| weight).sum();
        Self { scores, total }
    }

    /// The interval that holds a new score with at least this probability: two ends, each missed with half of the rest; where the
    /// weight does not reach for that, an end for the absolute score; `None` where it does not reach for that either.
    pub fn interval(&self, level: f64) -> Option<ScoreInterval> {
        let outside = 1.0 - level.clamp(0.0, 1.0);
        let high = quantile(self.scores.iter().copied(), self.total, 1.0 - outside / 2.0);
        let mirrored = self.scores.iter().rev().map(|(score, weight)| (-score, *weight));
        let low = quantile(mirrored, self.total, 1.0 - outside / 2.0).map(|score| -score);
        if let (Some(low), Some(high)) = (low, high) {
            return Some(ScoreInterval { low, high, is_symmetric: false });
        }
        let mut sizes: Vec<(f64, f64)> =
            self.scores.iter().map(|(score, weight)| (score.abs(), *weight)).collect();
        sizes.sort_by(|a, b| a.0.total_cmp(&b.0));
        let reach = quantile(sizes.into_iter(), self.total, 1.0 - outside)?;
        Some(ScoreInterval { low: -reach, high: reach, is_symmetric: true })
    }
}

/// The lowest of the rising scores at which the weights reach the level, the new row's weight of 1 being above all.
fn quantile(scores: impl Iterator<Item = (f64, f64)>, total: f64, level: f64) -> Option<f64> {
    let needed = level * (total + 1.0) - 1e-9;
    let mut reached = 0.0;
    for (score, weight) in scores {
        reached += weight;
        if reached >= needed {
            return Some(score);
        }
    }
    None
}
