//! A run of a history.

use std::fmt;
use std::str::FromStr;

use wattle_units::Estimate;

use crate::{KeptLedger, RunFacts};

/// The number of a run in its history, from 1. It is never given to another run.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize,
)]
#[serde(transparent)]
pub struct RunId(pub i64);

/// `run:12`.
impl fmt::Display for RunId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "run:{}", self.0)
    }
}

/// From `run:12` or `12`.
impl FromStr for RunId {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let number = text.strip_prefix("run:").unwrap_or(text).parse().ok();
        let number = number.filter(|number| *number > 0);
        number.map(Self).ok_or_else(|| format!("expected a run by its number, such as run:12, found {text:?}; `wattle runs` lists them"))
    }
}

/// A run of a history.
#[derive(Clone, Debug, PartialEq)]
pub struct KeptRun {
    /// Its number.
    pub id: RunId,
    /// When it was kept, Unix milliseconds.
    pub kept_ms: i64,
    /// Its facts.
    pub facts: RunFacts,
    /// The energy of the whole run; `None` where it cannot be estimated.
    pub total: Option<Estimate>,
    /// The energy of its app; `None` without an app, or where it does not occur.
    pub app: Option<Estimate>,
    /// Its ledger.
    pub ledger: KeptLedger,
}

impl KeptRun {
    /// The time of the run: when it began, else when it was kept. Unix milliseconds.
    pub fn time_ms(&self) -> i64 {
        self.facts.circumstances.started_ms.unwrap_or(self.kept_ms)
    }

    /// The energy that its history is of: the app's, else the total.
    pub fn energy(&self) -> Option<Estimate> {
        if self.facts.app.package.is_empty() { self.total } else { self.app }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_are_named_by_numbers() {
        assert_eq!("run:12".parse(), Ok(RunId(12)));
        assert_eq!("12".parse(), Ok(RunId(12)));
        assert_eq!(RunId(12).to_string(), "run:12");
        for text in ["run:", "0", "-1", "run:1a", ""] {
            assert!(text.parse::<RunId>().is_err(), "{text}");
        }
    }
}
