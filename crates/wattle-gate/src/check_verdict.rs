//! The verdict on a rule.

/// The verdict on a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CheckVerdict {
    /// It is kept.
    Passed,
    /// The runs cannot tell: the figure is not in them, or there is no baseline.
    NotMeasured,
    /// The limit lies within what is possible: more runs may settle it.
    Inconclusive,
    /// Runs of one build lie so far apart that no sensible number of runs would settle it.
    Flaky,
    /// It is broken for sure.
    Failed,
}

impl CheckVerdict {
    /// The word in files and tables.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Passed => "passed",
            Self::NotMeasured => "not measured",
            Self::Inconclusive => "inconclusive",
            Self::Flaky => "flaky",
            Self::Failed => "failed",
        }
    }

    /// Whether it is kept or broken for sure.
    pub const fn is_settled(self) -> bool {
        matches!(self, Self::Passed | Self::Failed)
    }
}
