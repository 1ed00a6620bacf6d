//! The classes.

use std::fmt;

use serde::Serialize;

/// A class, the most frugal first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub enum Letter {
    /// The most frugal.
    A,
    /// Frugal.
    B,
    /// As most.
    C,
    /// Costly.
    D,
    /// The costliest.
    E,
}

impl Letter {
    /// All of them.
    pub const ALL: [Self; 5] = [Self::A, Self::B, Self::C, Self::D, Self::E];

    /// Whether it is one that a reader may take for good.
    pub fn is_good(self) -> bool {
        self <= Self::B
    }
}

impl fmt::Display for Letter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::A => "A",
            Self::B => "B",
            Self::C => "C",
            Self::D => "D",
            Self::E => "E",
        })
    }
}
