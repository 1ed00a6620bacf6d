use wattle_random::SplitMix64;

use crate::row_sample::sample;
use crate::tree::{Binned, Growth, Tree};
use crate::{Design, FitError, order};

/// Loss that boosting minimises.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Loss {
    /// The square of the residual.
    #[default]
    Squared,
    /// The square near, linear beyond the 90 % quantile of the residuals of each round: single wild rows lose their say.
    Huber,
}

/// Settings for growing boosted trees (Friedman's stochastic gradient boosting).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BoostOptions {
    /// Number of trees.
    pub trees: usize,
    /// Weight of each tree (0 to 1).
    pub learning_rate: f64,
    /// Splits from the root to a leaf.
    pub depth: usize,
    /// The fewest rows of a leaf.
    pub least_rows: usize,
    /// Share of the rows each tree sees (above 0, to 1).
    pub row_share: f64,
    /// Share of the columns each tree sees (above 0, to 1).
    pub column_share: f64,
    /// Loss to minimise.
    pub loss: Loss,
    /// Seed of what looks random.
    pub seed: u64,
}

impl Default for BoostOptions {
    /// 300 trees of depth 3, each seeing 70 % of the rows and counting for 5 %.
    fn default() -> Self {
        Self {
            trees: 300,
            learning_rate: 0.05,
            depth: 3,
            least_rows: 2,
            row_share: 0.7,
            column_share: 1.0,
            loss: Loss::Squared,
            seed: 1,
        }
    }
}

/// Boosted regression trees. Missing values (`NaN`) go to the side that fits better.
#[derive(Debug, Clone)]
pub struct Boosted {
    start: f64,
    learning_rate: f64,
    trees: Vec<Tree>,
}

impl BoostOptions {
    /// Fits `observed` to the columns of `design`.
    ///
    /// # Errors
    /// Lengths that differ, observed values that are not finite, settings out of range, fewer than two rows.
    pub fn fit(&self, design: &Design, observed: &[f64]) -> Result<Boosted, FitError> {
        self.check()?;
        design.check_observed("observed values", observed)?;
        if design.rows() < 2 {
            return Err(FitError::TooFew { what: "boosting", needed: 2, found: design.rows() });
        }
        let binned = Binned::new(design);
        let rows: Vec<Vec<f64>> = (0..design.rows()).map(|row| design.row(row)).collect();
        let start = match self.loss {
            Loss::Squared => observed.iter().sum::<f64>() / observed.len() as f64,
            Loss::Huber => order::median(observed).unwrap_or_default(),
        };
        let mut random = SplitMix64::new(self.seed);
        let mut left: Vec<f64> = observed.iter().map(|y| y - start).collect();
        let growth = Growth { depth: self.depth, least_rows: self.least_rows };
        let row_count = portion(design.rows(), self.row_share);
        let column_count = portion(design.width(), self.column_share);
        let mut trees = Vec::with_capacity(self.trees);
        for _ in 0..self.trees {
            let chosen = sample(&mut random, design.rows(), row_count);
            let columns = sample(&mut random, design.width(), column_count);
            let tree = match self.loss {
                Loss::Squared => Tree::grow(&binned, &left, chosen, &columns, growth),
                Loss::Huber => Tree::grow(&binned, &clipped(&left), chosen, &columns, growth),
            };
            for (residual, row) in left.iter_mut().zip(&rows) {
                *residual -= self.learning_rate * tree.predict(row);
            }
            trees.push(tree);
        }
        Ok(Boosted { start, learning_rate: self.learning_rate, trees })
    }

    fn check(&self) -> Result<(), FitError> {
        let shares = [
            ("share of rows", self.row_share),
            ("share of columns", self.column_share),
            ("learning rate", self.learning_rate),
        ];
        match shares.into_iter().find(|(_, share)| !(*share > 0.0 && *share <= 1.0)) {
            Some((what, found)) => {
                Err(FitError::Setting { what, expected: "above 0, at most 1", found })
            }
            None => Ok(()),
        }
    }
}

/// Residuals, none beyond the 90 % quantile of their sizes.
fn clipped(residuals: &[f64]) -> Vec<f64> {
    let sizes: Vec<f64> = residuals.iter().map(|residual| residual.abs()).collect();
    let limit = order::quantile(&order::sorted(&sizes), 0.9).unwrap_or_default();
    residuals.iter().map(|residual| residual.clamp(-limit, limit)).collect()
}

fn portion(whole: usize, share: f64) -> usize {
    ((whole as f64 * share).round() as usize).clamp(1, whole.max(1))
}

impl Boosted {
    /// The value at a row, in the order of the design's columns.
    pub fn predict(&self, row: &[f64]) -> f64 {
        let sum: f64 = self.trees.iter().map(|tree| tree.predict(row)).sum();
        self.start + self.learning_rate * sum
    }

    /// The value at every row of a design with the same columns.
    pub fn predict_all(&self, design: &Design) -> Vec<f64> {
        (0..design.rows()).map(|row| self.predict(&design.row(row))).collect()
    }
}
