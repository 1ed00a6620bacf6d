//! Of how much an energy is compared.

use wattle_ledger::{Ledger, steady_name};
use wattle_table::{Column, describe};

/// Of how much an energy is compared.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Per {
    /// The whole run: whoever needs longer for the same work spends more.
    #[default]
    Run,
    /// A second of it, so that figures are watts: for runs that last as long as one likes.
    Second,
    /// A call of the method, or a slice, of this name: for work of which a run does as much as it gets to.
    Call(String),
}

/// Why energies cannot be compared by the call.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PerError {
    /// The method has no calls.
    #[error(
        "{name}: no call of it is in {run}; expected the name of a method or slice as the ledger has it"
    )]
    NoCalls {
        /// The name.
        name: String,
        /// Which run.
        run: &'static str,
    },
    /// A window without length.
    #[error("{run} has no length: nothing can be said of a second of it")]
    NoTime {
        /// Which run.
        run: &'static str,
    },
}

/// Divisor of the figures of both runs.
#[derive(Clone, Debug, PartialEq)]
pub struct PerUnit {
    /// `run`, `second`, `call`.
    pub unit: &'static str,
    /// The method whose calls count.
    pub call: Option<String>,
    /// Number of units in the first run.
    pub before: f64,
    /// The second.
    pub after: f64,
}

describe!(
    PerUnit,
    "per",
    "divisor of the figures of both runs: all joules are joules of that",
    [
        Column::text("unit", "the unit", |row: &PerUnit| row.unit)
            .words(&["run", "second", "call"]),
        Column::maybe_text("call", "the method whose calls count", |row: &PerUnit| row
            .call
            .as_deref()),
        Column::number("before", "number of units in the first run", |row: &PerUnit| row.before)
            .at_least(0.0),
        Column::number("after", "number of units in the second run", |row: &PerUnit| row.after)
            .at_least(0.0),
    ]
);

impl Per {
    /// Counts the units in two runs.
    pub fn of(&self, ledgers: [&Ledger; 2]) -> Result<PerUnit, PerError> {
        const RUNS: [&str; 2] = ["the first run", "the second run"];
        let counts = match self {
            Self::Run => [1.0; 2],
            Self::Second => ledgers.map(|ledger| ledger.recording.window.duration().seconds()),
            Self::Call(name) => ledgers.map(|ledger| calls(ledger, name) as f64),
        };
        if let Some(at) = counts.iter().position(|count| *count <= 0.0) {
            let run = RUNS[at];
            return Err(match self {
                Self::Call(name) => PerError::NoCalls { name: name.clone(), run },
                _ => PerError::NoTime { run },
            });
        }
        let (unit, call) = match self {
            Self::Run => ("run", None),
            Self::Second => ("second", None),
            Self::Call(name) => ("call", Some(name.clone())),
        };
        Ok(PerUnit { unit, call, before: counts[0], after: counts[1] })
    }
}

impl PerUnit {
    /// Returns the factors of the energies of each run.
    pub(super) fn factors(&self) -> [f64; 2] {
        [1.0 / self.before, 1.0 / self.after]
    }

    /// The divisor of figures, in words behind their name; empty for whole runs.
    pub fn words(&self) -> String {
        match &self.call {
            Some(call) => format!(" for each call of {call}"),
            None if self.unit == "second" => " each second".to_owned(),
            None => String::new(),
        }
    }

    /// The unit of figures: `J`, `W`; joules of a call are joules.
    pub fn symbol(&self) -> &'static str {
        if self.unit == "second" { "W" } else { "J" }
    }
}

/// Calls of all paths of that name.
fn calls(ledger: &Ledger, name: &str) -> u64 {
    let of_name = |path: &&wattle_ledger::PathEntry| path.name == name || steady_name(path) == name;
    ledger.rows.paths.iter().filter(of_name).map(|path| path.calls).sum()
}
