//! The lines of a digest.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use wattle_compare::{Change, Verdict};
use wattle_ledger::{CallEdge, CalledLine, FunctionPlace};
use wattle_store::RunFacts;
use wattle_units::Estimate;

/// The version of the form; a server and its child are the same program.
pub const DIGEST_FORMAT: u32 = 1;

/// A line of the energies of a project.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum EnergyRecord {
    /// The first one: the form.
    Format(u32),
    /// Runs of one commit, device and scenario. Lines of its methods follow, in order of names.
    Group(Box<GroupRecord>),
    /// A method of the group above.
    Method(MethodRecord),
}

/// Runs of one commit, device and scenario.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct GroupRecord {
    /// The runs, the newest first.
    pub runs: Vec<i64>,
    /// The facts of the newest.
    pub facts: RunFacts,
    /// When the newest began, Unix milliseconds.
    pub time_ms: i64,
    /// The runs of the baseline.
    pub before: Vec<i64>,
    /// A name for the baseline: its build, or its branch.
    pub before_name: String,
    /// The mean energy of the app, or of the device for runs without an app; absent where it cannot be estimated.
    pub energy: Option<Estimate>,
}

/// Energies of a method over the runs of a group.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MethodRecord {
    /// Its name in the history.
    pub name: String,
    /// Calls of a run, on average; 0 where only samples know it.
    pub calls: f64,
    /// The number of runs in which it occurred.
    pub runs: u32,
    /// The mean energy of a run while it was innermost.
    pub own: Estimate,
    /// The same with all that it called.
    pub total: Estimate,
    /// The changes of both against the baseline.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub changes: Option<[MethodChange; 2]>,
}

/// A difference from the baseline.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct MethodChange {
    /// Joules more than before.
    pub joules: f64,
    /// Its 90 % interval.
    pub interval: [f64; 2],
    /// Higher (1), lower (-1), equal (0); absent where it is inconclusive, after correction for the number of methods.
    pub verdict: Option<i8>,
}

/// Changes of methods by their names: of energies without what they called, and with it.
pub type MethodChanges = BTreeMap<String, [MethodChange; 2]>;

impl From<&Change> for MethodChange {
    fn from(change: &Change) -> Self {
        Self {
            joules: change.joules.value(),
            interval: [change.interval.low.value(), change.interval.high.value()],
            verdict: Self::code(change.verdict()),
        }
    }
}

impl MethodChange {
    /// The number of a verdict.
    pub const fn code(verdict: Verdict) -> Option<i8> {
        match verdict {
            Verdict::Higher => Some(1),
            Verdict::Lower => Some(-1),
            Verdict::Equal => Some(0),
            Verdict::Inconclusive => None,
        }
    }
}

/// A line of what one run's ledger says of calls and places.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum CallRecord {
    /// The first one: the form.
    Format(u32),
    /// A call from one method to another.
    Edge(CallEdge),
    /// A line from which something was called.
    Line(CalledLine),
    /// A function that has a place, and no class of Java.
    Place(FunctionPlace),
}
