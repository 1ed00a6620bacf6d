//! The answer to whether an energy changed.

/// Probability of a definite verdict where nothing changed, both directions together.
pub(crate) const FALSE_VERDICTS: f64 = 0.05;

/// Verdict on a difference.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Verdict {
    /// The second energy is higher, by more than the threshold.
    Higher,
    /// The second energy is lower, by more than the threshold.
    Lower,
    /// The 90 % interval of the difference lies within the threshold to both sides.
    Equal,
    /// Neither is known.
    Inconclusive,
}

impl Verdict {
    /// The words of all verdicts.
    pub const NAMES: &'static [&'static str] = &["higher", "lower", "equal", "inconclusive"];

    /// The word in files and tables.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Higher => "higher",
            Self::Lower => "lower",
            Self::Equal => "equal",
            Self::Inconclusive => "inconclusive",
        }
    }

    /// Whether it states a direction.
    pub const fn is_definite(self) -> bool {
        matches!(self, Self::Higher | Self::Lower)
    }
}
