//! The unit of formats that count energy in whole numbers.

use std::fmt;
use std::str::FromStr;

/// The energy that 1 stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum EnergyUnit {
    /// 1e-9 J.
    Nanojoules,
    /// 1e-6 J.
    Microjoules,
    /// 1e-3 J.
    Millijoules,
}

impl EnergyUnit {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Nanojoules, Self::Microjoules, Self::Millijoules];

    /// The word in flags and files.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Nanojoules => "nanojoules",
            Self::Microjoules => "microjoules",
            Self::Millijoules => "millijoules",
        }
    }

    /// The symbol.
    pub const fn symbol(self) -> &'static str {
        match self {
            Self::Nanojoules => "nJ",
            Self::Microjoules => "uJ",
            Self::Millijoules => "mJ",
        }
    }

    /// Returns the number of units in one joule.
    pub const fn in_a_joule(self) -> f64 {
        match self {
            Self::Nanojoules => 1e9,
            Self::Microjoules => 1e6,
            Self::Millijoules => 1e3,
        }
    }
}

impl fmt::Display for EnergyUnit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for EnergyUnit {
    type Err = String;

    fn from_str(word: &str) -> Result<Self, Self::Err> {
        Self::ALL
            .into_iter()
            .find(|unit| unit.name() == word || unit.symbol() == word)
            .ok_or_else(|| "expected nJ, uJ or mJ".to_owned())
    }
}
