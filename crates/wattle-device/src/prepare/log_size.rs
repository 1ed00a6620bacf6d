//! Sizes of log buffers.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A size as `logcat -g` prints it and `logcat -G` takes it: a number and `K`, `M` or `G`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct LogSize(pub(super) u64);

impl LogSize {
    pub(super) const UNITS: [(char, u64); 3] = [('G', 1 << 30), ('M', 1 << 20), ('K', 1 << 10)];

    pub(crate) const fn mebibytes(number: u32) -> Self {
        Self((number as u64) << 20)
    }
}

impl fmt::Display for LogSize {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match Self::UNITS.iter().find(|(_, unit)| self.0 >= *unit && self.0.is_multiple_of(*unit)) {
            Some((letter, unit)) => write!(f, "{}{letter}", self.0 / unit),
            None => write!(f, "{}", self.0),
        }
    }
}
