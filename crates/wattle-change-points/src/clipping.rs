//! Bounds for single commits, so that one of them alone never proves a change.

use crate::robust;

/// Commits that say where the level is.
const LEVEL_COMMITS: usize = 15;
/// Commits that say how far they scatter.
const SCATTER_COMMITS: usize = 40;
/// Fewer commits than this say neither.
const FEWEST_COMMITS: usize = 8;
/// Commits in a row that are no spikes any more.
pub const LASTING_COMMITS: usize = 3;
/// Standard deviations of commits beyond which a value says no more than at the bound.
const BOUND: f64 = 4.0;
/// Values beyond a bound are near each other up to this part of their distance from the level: what draws twenty times as much also
/// scatters by more.
const ALIKE: f64 = 0.25;

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
        match self.bounds() {
            Some((low, high)) if !self.is_lasting(value) => value.clamp(low, high),
            _ => value,
        }
    }

    /// Whether the value and those of the last commits are beyond the same bound and near each other: then they are no spikes,
    /// and should not have been clipped either.
    pub fn is_lasting(&self, value: f64) -> bool {
        let (Some((low, high)), Some(deviation)) = (self.bounds(), self.deviation()) else {
            return false;
        };
        let last = &self.values[self.values.len().saturating_sub(LASTING_COMMITS - 1)..];
        let distance = (value - f64::midpoint(low, high)).abs();
        let reach = (2.0 * BOUND * deviation).max(ALIKE * distance);
        let near = |other: &f64| (other - value).abs() <= reach;
        let beyond = |is_beyond: &dyn Fn(f64) -> bool| {
            is_beyond(value) && last.iter().all(|other| is_beyond(*other) && near(other))
        };
        last.len() + 1 == LASTING_COMMITS && (beyond(&|v| v > high) || beyond(&|v| v < low))
    }

    fn bounds(&self) -> Option<(f64, f64)> {
        let deviation = self.deviation()?;
        let recent = &self.values[self.values.len().saturating_sub(LEVEL_COMMITS)..];
        if recent.len() < FEWEST_COMMITS / 2 {
            return None;
        }
        let center = robust::median(&mut recent.to_vec());
        Some((center - BOUND * deviation, center + BOUND * deviation))
    }

    /// Learns from a commit, by its value before clipping.
    pub fn learn(&mut self, value: f64) {
        self.values.push(value);
        if self.values.len() > 2 * SCATTER_COMMITS {
            self.values.drain(..SCATTER_COMMITS);
        }
    }

    /// Bounds for what follows a change, after which commits scatter by so many times as much.
    pub fn restarted(&self, ratio: f64) -> Self {
        Self { values: Vec::new(), inherited: self.deviation().map(|deviation| deviation * ratio) }
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
        assert_eq!(clipping.restarted(1.0).clip(5.0), 5.0);
        // The third in a row is no spike.
        for value in [5.0, 5.01] {
            assert!(clipping.clip(value) < 1.1 && !clipping.is_lasting(value));
            clipping.learn(value);
        }
        assert!(clipping.is_lasting(4.99) && !clipping.is_lasting(9.0));
        assert_eq!(clipping.clip(4.99), 4.99);
    }
}
