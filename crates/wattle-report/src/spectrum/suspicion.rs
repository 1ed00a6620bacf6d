//! GreenDroid's four classes.

use serde::Serialize;

use super::Counts;

/// Degree of suspicion of a method, by GreenDroid's colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Suspicion {
    /// It ran in tests that stand out and rarely in others: less than [`Suspicion::RARE`] of the tests in which it ran are normal.
    Red,
    /// It ran in tests that stand out and in normal ones.
    Yellow,
    /// It ran in normal tests only.
    Green,
    /// It did not run.
    White,
}

impl Suspicion {
    /// From this share of normal tests on, among those in which it ran, a method is not rare in them: the one of GreenDroid's program
    /// (`norm < 0.4 * (norm + exc)` in its `ProjectAnalyzer`).
    pub const RARE: f64 = 0.4;

    /// The class of a method that ran in so many tests of each kind.
    pub fn from_counts(counts: Counts) -> Self {
        let Counts { e_f, e_p, .. } = counts;
        match (e_f, e_p) {
            (0, 0) => Self::White,
            (0, _) => Self::Green,
            _ if (e_p as f64) < Self::RARE * (e_p + e_f) as f64 => Self::Red,
            _ => Self::Yellow,
        }
    }

    /// The word in files and tables.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Red => "red",
            Self::Yellow => "yellow",
            Self::Green => "green",
            Self::White => "white",
        }
    }
}
