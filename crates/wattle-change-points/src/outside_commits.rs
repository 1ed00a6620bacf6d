//! The newest commits that are not where they were expected.

use crate::noise_band::NoiseBand;

/// The newest commits in a row beyond the same end of the noise band.
#[derive(Clone, Copy, Debug, Default)]
pub struct OutsideCommits {
    /// Their runs; 0: the newest commit lies within the band.
    pub runs: usize,
    is_above: bool,
}

impl OutsideCommits {
    /// Takes in the next commit with so many runs. `band`: where it was expected, if anything was.
    pub fn push(&mut self, band: Option<NoiseBand>, mean: f64, runs: usize) {
        let is_above = match band {
            Some(band) if mean > band.high => true,
            Some(band) if mean < band.low => false,
            _ => return *self = Self::default(),
        };
        let in_a_row = if self.is_above == is_above { self.runs } else { 0 };
        *self = Self { runs: in_a_row + runs, is_above };
    }
}
