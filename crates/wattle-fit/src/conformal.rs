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

/// The jackknife+ or CV+ interval of Barber, Candès, Ramdas and Tibshirani (2021) for one new row.
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
