use wattle_fit::{
    BoostOptions, Boosted, Design, FitError, Folds, GaussianOptions, GaussianProcess, Loss, Scores,
    order, pick,
};

/// The best model of a smooth quantity with wild rows: a Gaussian process and robust boosted trees on the logarithm of power, in
/// the proportion that was best on training rows each had not seen.
#[derive(Debug, Clone)]
pub(crate) struct Blend {
    smooth: GaussianProcess,
    trees: Boosted,
    /// Share of the smooth model, 0 to 1.
    share: f64,
    filling: Filling,
}

/// Inner folds that the proportion is chosen on.
const INNER: usize = 5;

impl Blend {
    pub(crate) fn fit(inputs: &Design, watts: &[f64], seed: u64) -> Result<Self, FitError> {
        let logarithms: Vec<f64> = watts.iter().map(|y| y.ln()).collect();
        let filling = Filling::from_inputs(inputs);
        let smooth = GaussianOptions::default().fit(&filling.fill(inputs)?, &logarithms)?;
        let options = BoostOptions { loss: Loss::Huber, seed, ..BoostOptions::default() };
        let folds = Folds::blocked(inputs.rows(), INNER);
        let unseen = folds.out_of_fold(|split| {
            let trees =
                options.fit(&inputs.select(&split.train), &pick(&logarithms, &split.train))?;
            Ok::<_, FitError>(trees.predict_all(&inputs.select(&split.test)))
        })?;
        let error = |share: f64| {
            let pairs = smooth.left_out.iter().zip(&unseen);
            let mixed: Vec<f64> = pairs.map(|(s, t)| mix(*s, *t, share)).collect();
            Scores::new(watts, &mixed).map_or(f64::INFINITY, |scores| scores.mean)
        };
        let shares = (0..=10).map(|tenth| f64::from(tenth) / 10.0);
        let share = shares.min_by(|a, b| error(*a).total_cmp(&error(*b))).unwrap_or(0.5);
        let trees = options.fit(inputs, &logarithms)?;
        Ok(Self { smooth, trees, share, filling })
    }

    pub(crate) fn predict(&self, inputs: &Design) -> Result<Vec<f64>, FitError> {
        let smooth = self.smooth.predict_all(&self.filling.fill(inputs)?);
        let trees = self.trees.predict_all(inputs);
        Ok(smooth.iter().zip(&trees).map(|(s, t)| mix(*s, *t, self.share)).collect())
    }
}

/// Watts from two logarithms.
fn mix(smooth: f64, trees: f64, share: f64) -> f64 {
    (share * smooth + (1.0 - share) * trees).exp()
}

/// Substitute for a missing input where none may be missing: its median, and a column that says so.
#[derive(Debug, Clone)]
struct Filling {
    medians: Vec<f64>,
    missing: Vec<bool>,
}

impl Filling {
    fn from_inputs(inputs: &Design) -> Self {
        let medians = inputs.columns().iter().map(|c| order::median(c).unwrap_or_default());
        let missing = inputs.columns().iter().map(|c| c.iter().any(|value| value.is_nan()));
        Self { medians: medians.collect(), missing: missing.collect() }
    }

    fn fill(&self, inputs: &Design) -> Result<Design, FitError> {
        let flags = inputs.names().iter().zip(&self.missing).filter(|(_, missing)| **missing);
        let flags = flags.map(|(name, _)| format!("{name} is missing"));
        let mut filled = Design::new(inputs.names().iter().cloned().chain(flags));
        for row in 0..inputs.rows() {
            let values = inputs.row(row);
            let gaps = values.iter().zip(&self.missing).filter(|(_, missing)| **missing);
            let gaps: Vec<f64> = gaps.map(|(v, _)| if v.is_nan() { 1.0 } else { 0.0 }).collect();
            let known = values.iter().zip(&self.medians);
            let known = known.map(|(v, median)| if v.is_nan() { *median } else { *v });
            filled.push_row(&known.chain(gaps).collect::<Vec<f64>>())?;
        }
        Ok(filled)
    }
}
