//! Levels of a branch between its changes.

use wattle_change_points::{ChangePoint, NoiseBand};

/// A stretch of versions without a change.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Level {
    /// Place of its first version among those of the branch.
    pub first: usize,
    /// Place of its last.
    pub last: usize,
    /// Median of the versions' means, in joules.
    pub joules: f64,
    /// Values among which the next version's mean was expected (95 %), as known at its last version; `None` of too few.
    pub band: Option<NoiseBand>,
}

impl Level {
    /// Number of its versions.
    pub fn len(&self) -> usize {
        self.last + 1 - self.first
    }

    /// Never: a level has a version.
    pub fn is_empty(&self) -> bool {
        false
    }

    /// The least change of one version's mean that lies outside the band with 90 %, as a share of the level: half of
    /// the band (1.96 standard deviations) and 1.28 more.
    pub fn detectable_share(&self) -> Option<f64> {
        let band = self.band?;
        let half = (band.high - band.low) / 2.0;
        let share = half * (1.96 + 1.2816) / 1.96 / self.joules.abs();
        (share.is_finite() && share > 0.0).then_some(share)
    }
}

/// The levels between changes, in order. Changes name places among the branch's versions; `bands` are those known after each version.
pub(crate) fn levels(
    means: &[f64],
    bands: &[Option<NoiseBand>],
    changes: &[ChangePoint],
) -> Vec<Level> {
    let mut starts = vec![0];
    for change in changes {
        let start = change.range.first_bad as usize;
        if starts.last().is_some_and(|last| *last < start) && start < means.len() {
            starts.push(start);
        }
    }
    // Energies are not negative, unless some are.
    let least = if means.iter().all(|mean| *mean >= 0.0) { 0.0 } else { f64::NEG_INFINITY };
    let ends = starts.iter().skip(1).copied().chain([means.len()]);
    starts
        .iter()
        .zip(ends)
        .filter(|(first, end)| **first < *end)
        .map(|(first, end)| {
            let band = bands.get(end - 1).copied().flatten();
            let band = band.map(|band| NoiseBand { low: band.low.max(least), ..band });
            Level { first: *first, last: end - 1, joules: median(&means[*first..end]), band }
        })
        .collect()
}

fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    let middle = sorted.len() / 2;
    match sorted.get(middle) {
        Some(upper) if sorted.len().is_multiple_of(2) => f64::midpoint(sorted[middle - 1], *upper),
        Some(only) => *only,
        None => 0.0,
    }
}
