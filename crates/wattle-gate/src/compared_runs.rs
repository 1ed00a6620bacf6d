//! The runs of a baseline that can be compared with those that are judged.

use crate::one_line::one_line;
use crate::{BaselineOrigin, GateRun};

/// The baseline as rows need it.
pub(crate) struct Against<'r> {
    /// The comparable runs, the oldest first.
    pub runs: Vec<&'r GateRun>,
    /// The number of latest ones that are compared with directly.
    pub last: usize,
    pub origin: &'r BaselineOrigin,
    /// Number of figures whose growth is judged.
    pub figures: usize,
    /// Whether the judged commit is of the branch that its history is of.
    pub is_same_branch: bool,
}

impl Against<'_> {
    /// So many runs of it, in words.
    pub fn describe(&self, runs: usize) -> String {
        one_line(&self.origin.describe(runs))
    }
}
