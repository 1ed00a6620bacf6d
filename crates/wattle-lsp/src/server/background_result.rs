//! Results of work in the background.

use lsp_server::RequestId;

use crate::energy::{CallDetails, ProjectEnergies};

/// A result of work in the background.
#[derive(Debug)]
pub(super) enum Event {
    /// The energies of the project, or why there are none.
    Energies(Result<ProjectEnergies, String>),
    /// The calls of a run.
    Calls(Result<CallDetails, String>),
    /// A line that a command wrote.
    Line(RequestId, String),
    /// A command ended: its exit code, and what it wrote.
    Ended(RequestId, Option<i32>, String),
}
