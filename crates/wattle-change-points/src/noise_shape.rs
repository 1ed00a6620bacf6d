//! Kinds of noise that a series may have.

/// Shares of the variance of a single run that all runs of its commit have in common.
const COMMIT_SHARES: [f64; 3] = [0.3, 0.6, 0.9];
/// Correlations of neighbouring commits. 0: each build has luck of its own; near 1: the level wanders.
const CORRELATIONS: [f64; 3] = [0.0, 0.5, 0.85];
/// The same of noise that has a direction of its own: it drifts smoothly, as temperatures do.
const SMOOTHNESSES: [f64; 2] = [0.75, 0.9];
/// Probability of noise of single runs alone. So great that few commits do not suffice to take a step for drift.
const INDEPENDENT: f64 = 0.95;

/// One kind of noise: independent noise of runs, and noise of commits that decays from one to the next.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct NoiseShape {
    /// Share of the variance of a single run that all runs of its commit have in common.
    pub commit_share: f64,
    /// Weights of the last commit's part and of that before it in the next one's.
    pub follow: [f64; 2],
    /// Covariance of the parts of neighbouring commits.
    pub neighbour_covariance: f64,
    /// Variance of what each commit adds.
    pub fresh: f64,
    /// Probability before anything was seen.
    pub prior: f64,
    /// Whether the level drifts.
    pub drifts: bool,
}

impl NoiseShape {
    /// Share of the variance that each run has of its own.
    pub fn run_share(&self) -> f64 {
        1.0 - self.commit_share
    }

    /// Every kind that is considered.
    pub fn all() -> Vec<Self> {
        let kinds: Vec<([f64; 2], bool)> = CORRELATIONS
            .iter()
            .map(|correlation| ([*correlation, 0.0], *correlation > 0.8))
            .chain(SMOOTHNESSES.iter().map(|root| ([2.0 * root, -root * root], true)))
            .collect();
        let prior = (1.0 - INDEPENDENT) / (COMMIT_SHARES.len() * kinds.len()) as f64;
        let mut shapes = vec![Self::stationary(0.0, [0.0, 0.0], INDEPENDENT, false)];
        for share in COMMIT_SHARES {
            for (follow, drifts) in &kinds {
                shapes.push(Self::stationary(share, *follow, prior, *drifts));
            }
        }
        shapes
    }

    /// Noise whose variance is the same at every commit.
    fn stationary(commit_share: f64, follow: [f64; 2], prior: f64, drifts: bool) -> Self {
        let [first, second] = follow;
        let neighbour = first / (1.0 - second);
        Self {
            commit_share,
            follow,
            neighbour_covariance: commit_share * neighbour,
            fresh: commit_share * (1.0 - first * neighbour - second * (first * neighbour + second)),
            prior,
            drifts,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn priors_add_up_and_variances_stay() {
        let shapes = NoiseShape::all();
        let sum: f64 = shapes.iter().map(|shape| shape.prior).sum();
        assert!((sum - 1.0).abs() < 1e-12, "{sum}");
        for shape in shapes {
            let ([a, b], share) = (shape.follow, shape.commit_share);
            let next = a * a * share + b * b * share + 2.0 * a * b * shape.neighbour_covariance;
            assert!((next + shape.fresh - share).abs() < 1e-12, "{shape:?}");
            assert!(shape.fresh >= 0.0, "{shape:?}");
        }
    }
}
