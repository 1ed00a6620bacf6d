//! Conformal prediction intervals.
//!
//! Let `s_1 ≤ … ≤ s_n` be the scores (signed residuals over size) of rows that the model has not seen, and `s` that of a new row. If the
//! new row is exchangeable with the others, its rank among all `n + 1` scores is uniform, whatever their distribution. Hence
//!
//! `P(s ≤ s_k) ≥ k / (n + 1)`, and with `k = ⌈(n + 1)(1 − α/2)⌉` the new score lies above `s_k` with at most `α/2`
//!
//! (Vovk, Gammerman and Shafer, *Algorithmic Learning in a Random World*, 2005; as split conformal prediction in Lei, G'Sell, Rinaldo,
//! Tibshirani and Wasserman, *JASA* 113, 2018). The same from below gives `s_(n+1−k)`:
//!
//! ```text
//! level 0.9, n = 39: k = ⌈40 · 0.95⌉ = 38
//! scores   s1 [s2 ──────────── 90 % ──────────── s38] s39
//! interval    prediction + s2 · size … prediction + s38 · size
//! ```
//! The `+ 1` counts the new row itself; without it intervals are too narrow by one rank, which matters for small `n`. Where `k > n`
//! (at level 0.9 with fewer than 19 scores) no finite end keeps the promise, so the end is infinite instead of a guess.
//!
//! Two ends with `α/2` each instead of one quantile of `|s|`: models of power err to one side more than to the other, and an interval
//! that is symmetric by force is too wide on one side and too narrow on the other. Scores are relative because errors of power grow
//! with power; an absolute residual of a phone at full load says nothing of one at idle.
//!
//! Not promised: coverage for a single kind of rows (the promise is an average over rows), and coverage on a device that is not
//! like those of the calibration, which are not exchangeable with it. [`cross_conformal`] uses residuals of several models, one for
//! each fold; it has no such proof, and its coverage is measured. [`cv_plus`] has one, at the price of `1 − 2α` instead of `1 − α`.

use crate::order;

/// Prediction intervals from residuals of rows that the model had not seen (split or cross-conformal prediction): no
/// assumption about how errors are distributed, only that a new row is like those.
///
/// Errors are taken relative to the predicted size, on each side apart, so that intervals follow the size of what is
/// predicted and lean to the side that errors lean to.
#[derive(Debug, Clone, PartialEq)]
pub struct Conformal {
    /// `(measured − predicted) / size`, rising.
    scores: Vec<f64>,
}

impl Conformal {
    /// From measured values and what out-of-fold models predicted of them. Each error is divided by the size of the
    /// prediction; `floor` (watts, joules …) is the least size, for predictions near zero.
    pub fn new(measured: &[f64], predicted: &[f64], floor: f64) -> Self {
        let scores: Vec<f64> = measured
            .iter()
            .zip(predicted)
            .map(|(y, p)| (y - p) / size(*p, floor))
            .filter(|score| score.is_finite())
            .collect();
        Self { scores: order::sorted(&scores) }
    }

    /// The number of residuals behind it.
    pub fn rows(&self) -> usize {
        self.scores.len()
    }

    /// The interval around a prediction that holds a new row with at least this probability (0.9); infinite where there are
    /// too few residuals to promise that. `floor` is that of [`Conformal::new`].
    pub fn interval(&self, predicted: f64, level: f64, floor: f64) -> (f64, f64) {
        let outside = (1.0 - level.clamp(0.0, 1.0)) / 2.0;
        // The ⌈(n+1)(1−α/2)⌉-th smallest, as Vovk's argument needs; the same from below.
        let rank = ((self.scores.len() + 1) as f64 * (1.0 - outside) - 1e-9).ceil() as usize;
        let above = rank.checked_sub(1).and_then(|place| self.scores.get(place));
        let below = self.scores.len().checked_sub(rank).and_then(|place| self.scores.get(place));
        let size = size(predicted, floor);
        (
            below.map_or(f64::NEG_INFINITY, |score| predicted + score * size),
            above.map_or(f64::INFINITY, |score| predicted + score * size),
        )
    }
}

fn size(predicted: f64, floor: f64) -> f64 {
    predicted.abs().max(floor.abs()).max(f64::MIN_POSITIVE)
}

/// Intervals for rows that were themselves predicted out of fold, each from the residuals of the *other* folds only, so
/// that no row has a say in its own interval.
pub fn cross_conformal(
    measured: &[f64],
    predicted: &[f64],
    fold_of_row: &[usize],
    level: f64,
    floor: f64,
) -> Vec<(f64, f64)> {
    let folds = fold_of_row.iter().max().map_or(0, |last| last + 1);
    let calibrations: Vec<Conformal> = (0..folds)
        .map(|fold| {
            let others: Vec<usize> =
                (0..measured.len()).filter(|row| fold_of_row.get(*row) != Some(&fold)).collect();
            let measured = crate::design::pick(measured, &others);
            let predicted = crate::design::pick(predicted, &others);
            Conformal::new(&measured, &predicted, floor)
        })
        .collect();
    predicted
        .iter()
        .zip(fold_of_row)
        .map(|(p, fold)| match calibrations.get(*fold) {
            Some(calibration) => calibration.interval(*p, level, floor),
            None => (f64::NEG_INFINITY, f64::INFINITY),
        })
        .collect()
}

/// The jackknife+ or CV+ interval of Barber, Candès, Ramdas and Tibshirani (*Predictive inference with the jackknife+*, Annals of
/// Statistics 49, 2021) for one new row `x`: from the `⌊α(n+1)⌋`-th smallest of `μ₋ᵢ(x) − Rᵢ` to the `⌈(1−α)(n+1)⌉`-th smallest of
/// `μ₋ᵢ(x) + Rᵢ`, with `α = 1 − level`. The residuals are added to the predictions of the very models that made them, so that an
/// unstable model, whose folds predict different values of `x`, gets a wider interval.
///
/// `fold_predictions[i]` is what the model without the fold of calibration row `i` predicts of the new row, `residuals[i]` the
/// absolute residual of row `i` under that same model. Holds a new row with at least `1 − 2(1−level)`, in practice with `level`.
pub fn cv_plus(fold_predictions: &[f64], residuals: &[f64], level: f64) -> (f64, f64) {
    let ends = |sign: f64| {
        let pairs = fold_predictions.iter().zip(residuals);
        order::sorted(&pairs.map(|(p, r)| p + sign * r.abs()).collect::<Vec<f64>>())
    };
    let (lows, highs) = (ends(-1.0), ends(1.0));
    let rank = ((highs.len() + 1) as f64 * level.clamp(0.0, 1.0) - 1e-9).ceil() as usize;
    let high = rank.checked_sub(1).and_then(|place| highs.get(place));
    let low = lows.len().checked_sub(rank).and_then(|place| lows.get(place));
    (low.copied().unwrap_or(f64::NEG_INFINITY), high.copied().unwrap_or(f64::INFINITY))
}
