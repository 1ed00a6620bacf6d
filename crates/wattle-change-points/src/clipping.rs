//! Bounds for single commits, so that one of them alone never proves a change.

use crate::robust;

/// Commits that say where the level is.
const LEVEL_COMMITS: usize = 15;
/// Commits that say how far they scatter.
const SCATTER_COMMITS: usize = 40;
/// Fewer commits than this say neither.
const FEWEST_COMMITS: usize = 8;
/// Standard deviations of commits beyond which a value says no more than at the bound.
const BOUND: f64 = 4.0;

/// Bounds for single commits, learned from those before.
#[derive(Clone, Debug, Default)]
pub struct Clipping {
    values: Vec<f64>,
    /// Scatter of commits before the last change, for as long as there are few after it.
    inherited: Option<f64>,
}

impl Clipping {
    /// The value, or the bound that it is beyond.
    pub fn clip(&self, value: f64) -> f64 {
        let Some(deviation) = self.deviation() else { return value };
        let recent = &self.values[self.values.len().saturating_sub(LEVEL_COMMITS)..];
        if recent.len() < FEWEST_COMMITS / 2 {
            return value;
        }
        let center = robust::median(&mut recent.to_vec());
        value.clamp(center - BOUND * deviation, center + BOUND * deviation)
    }

    /// Learns from a commit, by its value before clipping.
    pub fn learn(&mut self, value: f64) {
        self.values.push(value);
        if self.values.len() > 2 * SCATTER_COMMITS {
            self.values.drain(..SCATTER_COMMITS);
        }
    }

    /// Bounds for what follows a change.
    pub fn restarted(&self) -> Self {
        Self { values: Vec::new(), inherited: self.deviation() }
    }

    fn deviation(&self) -> Option<f64> {
        if self.values.len() < FEWEST_COMMITS {
            return self.inherited;
        }
        let recent = &self.values[self.values.len().saturating_sub(SCATTER_COMMITS)..];
        let (_, deviation) = robust::median_and_deviation(recent);
        (deviation > 0.0).then_some(deviation)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_spike_is_bounded_and_a_usual_value_is_not() {
        let mut clipping = Clipping::default();
        assert_eq!(clipping.clip(5.0), 5.0);
        for i in 0..20 {
            clipping.learn(1.0 + 0.01 * f64::from(i % 5));
        }
        assert_eq!(clipping.clip(1.03), 1.03);
        assert!(clipping.clip(5.0) < 1.1 && clipping.clip(-5.0) > 0.9);
        assert_eq!(clipping.restarted().clip(5.0), 5.0);
    }
}
