//! The runs that growth is measured against.

use crate::{BaselineChoice, GateRun};

/// The runs that growth is measured against.
#[derive(Clone, Debug)]
pub struct Baseline<'r> {
    /// The runs, the oldest first.
    pub runs: &'r [GateRun],
    /// The number of latest ones that are compared with directly.
    pub last: usize,
    /// Their origin.
    pub origin: BaselineOrigin,
}

/// The origin of the runs of a baseline.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BaselineOrigin {
    /// A history, of this branch or of all.
    History(Option<String>),
    /// Something with a name, all of which is compared with: a file, the other build of a series.
    Named(String),
}

impl<'r> Baseline<'r> {
    /// Runs of a history, of which the latest ones that were chosen are compared with directly, or all runs of something with a name.
    pub fn new(runs: &'r [GateRun], origin: BaselineOrigin, choice: &BaselineChoice) -> Self {
        let last = match origin {
            BaselineOrigin::History(_) => choice.last,
            BaselineOrigin::Named(_) => usize::MAX,
        };
        Self { runs, last, origin }
    }

    /// No runs.
    pub const NONE: Self = Self { runs: &[], last: 0, origin: BaselineOrigin::History(None) };
}

impl BaselineOrigin {
    /// Whether its runs are those of commit after commit: those of another build of a series are not.
    pub(crate) const fn has_commits(&self) -> bool {
        matches!(self, Self::History(_))
    }

    /// So many runs of it, in words.
    pub(crate) fn describe(&self, runs: usize) -> String {
        let Self::History(branch) = self else {
            let Self::Named(name) = self else { return String::new() };
            return name.clone();
        };
        let of_branch = branch.as_ref().map_or_else(String::new, |it| format!(" of {it}"));
        match runs {
            0 => format!("the history{of_branch}"),
            1 => format!("the last run{of_branch}"),
            count => format!("the last {count} runs{of_branch}"),
        }
    }
}
