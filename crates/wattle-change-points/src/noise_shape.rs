//! Kinds of noise that a series may have.

/// Shares of the variance that commits have in common with their neighbours, or of their own.
const COMMIT_SHARES: [f64; 3] = [0.3, 0.6, 0.9];
/// Correlations of neighbouring commits. 0: each build has luck of its own; near 1: slow drift.
const CORRELATIONS: [f64; 5] = [0.0, 0.35, 0.65, 0.85, 0.96];

/// One kind of noise: independent noise of runs, and noise of commits that decays from one to the next.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct NoiseShape {
    /// Share of the variance of a single run that all runs of its commit have in common.
    pub commit_share: f64,
    /// Correlation of that part with the same of the next commit.
    pub correlation: f64,
    /// Probability before anything was seen.
    pub prior: f64,
}

impl NoiseShape {
    /// Share of the variance that each run has of its own.
    pub fn run_share(&self) -> f64 {
        1.0 - self.commit_share
    }

    /// Whether commits follow their neighbours so closely that the level drifts.
    pub fn drifts(&self) -> bool {
        self.commit_share > 0.0 && self.correlation > 0.8
    }

    /// Every kind that is considered.
    pub fn all() -> Vec<Self> {
        let independent = Self { commit_share: 0.0, correlation: 0.0, prior: 0.3 };
        let others = (COMMIT_SHARES.len() * CORRELATIONS.len()) as f64;
        let mut shapes = vec![independent];
        for commit_share in COMMIT_SHARES {
            for correlation in CORRELATIONS {
                let prior = (1.0 - independent.prior) / others;
                shapes.push(Self { commit_share, correlation, prior });
            }
        }
        shapes
    }
}
