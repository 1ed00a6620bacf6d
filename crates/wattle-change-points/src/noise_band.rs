//! Values that the next commit is expected to have.

/// Values among which the next commit's mean lies with 95 % if nothing changes.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct NoiseBand {
    /// Expected value.
    pub level: f64,
    /// Lower end.
    pub low: f64,
    /// Upper end.
    pub high: f64,
}

impl NoiseBand {
    /// Whether a value lies inside.
    pub fn contains(&self, value: f64) -> bool {
        (self.low..=self.high).contains(&value)
    }
}
