//! Residuals of calibration: the errors of a model's figures on measured specimens.

use super::{Policy, PolicyId};
use wattle_units::Hertz;

/// Which figure of a policy a residual is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ResidualKind {
    /// Active power at a clock.
    Active(Hertz),
    /// Shared power.
    Static,
    /// Idle power.
    Idle,
}

/// Measured over modelled, on one specimen.
#[derive(Clone, Debug, PartialEq)]
pub struct Residual {
    /// Of which policy.
    pub policy: PolicyId,
    /// Which phone was measured.
    pub specimen: String,
    /// Which figure.
    pub kind: ResidualKind,
    /// Measured over modelled, above 0.
    pub ratio: f64,
}

/// Sizes of a policy's errors, in natural logarithms (relative, where small).
#[derive(Clone, Debug, PartialEq)]
pub struct ErrorSizes {
    /// Standard deviation of the error common to all figures of a policy.
    pub shared: f64,
    /// Standard deviation of each figure's own error.
    pub own: f64,
    /// From how many independent observations the sizes were learnt; `None` for a judgement.
    pub freedom: Option<f64>,
    /// Origin of the sizes.
    pub source: String,
}

/// Own error of a figure of a model that states none.
const UNKNOWN_OWN: f64 = 0.1;

/// From this many degrees of freedom on, a policy's sizes are learnt from its own residuals.
const ENOUGH: usize = 8;

/// A difference of two noisy sizes near zero does not show that there is no common error: at least
/// this part of what specimens show stays.
const LEAST_SHARED_PART: f64 = 0.1;

/// Sums over the residuals of policies.
#[derive(Clone, Copy, Default)]
struct Spread {
    /// Specimens, each a policy's.
    specimens: usize,
    points: usize,
    /// Σ (specimen's mean)².
    of_means: f64,
    /// Σ (residual − specimen's mean)².
    within: f64,
    /// Σ 1/points, for the noise that a mean keeps.
    inverse_points: f64,
}

impl Spread {
    fn new(residuals: &[Residual], policy: PolicyId) -> Self {
        let mut specimens: std::collections::BTreeMap<&str, Vec<f64>> =
            std::collections::BTreeMap::new();
        for residual in residuals.iter().filter(|r| r.policy == policy) {
            specimens.entry(&residual.specimen).or_default().push(residual.ratio.ln());
        }
        let mut spread = Self::default();
        for logs in specimens.values() {
            let mean = logs.iter().sum::<f64>() / logs.len() as f64;
            spread.specimens += 1;
            spread.points += logs.len();
            spread.of_means += mean * mean;
            spread.within += logs.iter().map(|log| (log - mean).powi(2)).sum::<f64>();
            spread.inverse_points += 1.0 / logs.len() as f64;
        }
        spread
    }

    fn merge(self, other: Self) -> Self {
        Self {
            specimens: self.specimens + other.specimens,
            points: self.points + other.points,
            of_means: self.of_means + other.of_means,
            within: self.within + other.within,
            inverse_points: self.inverse_points + other.inverse_points,
        }
    }

    /// One-way random effects about the model's own figure: the specimens' means are taken about 0, not
    /// about their mean, because it is the model that is used and its bias is an error too.
    fn sizes(self) -> Option<(f64, f64, f64)> {
        if self.specimens == 0 {
            return None;
        }
        let specimens = self.specimens as f64;
        let of_means = self.of_means / specimens;
        let within = match self.points - self.specimens {
            0 => 0.0,
            freedom => self.within / freedom as f64,
        };
        let shared =
            (of_means - within * self.inverse_points / specimens).max(of_means * LEAST_SHARED_PART);
        Some((shared.sqrt(), within.sqrt(), specimens))
    }
}

impl super::DeviceModel {
    /// Returns the sizes of the errors of each policy, by index: learnt from its residuals where there are enough, else
    /// from those of all policies, else the model's `[error]`, else `None`. Where power rails corrected a policy, the common error is what
    /// they left.
    pub fn error_sizes(&self) -> Vec<Option<ErrorSizes>> {
        let spreads: Vec<Spread> =
            self.policies.iter().map(|policy| Spread::new(&self.residuals, policy.id)).collect();
        let pooled = spreads.iter().copied().fold(Spread::default(), Spread::merge);
        let each = spreads.into_iter().map(|spread| {
            let spread = if spread.specimens >= ENOUGH { spread } else { pooled };
            let (shared, own, freedom) = spread.sizes()?;
            Some(ErrorSizes {
                shared,
                own,
                freedom: Some(freedom),
                source: format!("{} residuals of {}", spread.points, self.name),
            })
        });
        let sizes = each.map(|learnt| learnt.or_else(|| self.error.clone()));
        let by_rails = |(policy, known): (&Policy, Option<ErrorSizes>)| {
            let own = known.as_ref().map_or(UNKNOWN_OWN, |known| known.own);
            self.error_by_rails(policy.id, own).or(known)
        };
        self.policies.iter().zip(sizes).map(by_rails).collect()
    }
}
