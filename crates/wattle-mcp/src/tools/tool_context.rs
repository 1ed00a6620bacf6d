//! The surroundings of a call.

use std::ffi::OsString;
use std::time::Duration;

use crate::answer::ToolError;
use crate::mcp_setup::ServerSetup;
use crate::opened::{ProgramOutput, ProgramRun, RecordingShelf, ToolJob};

/// The surroundings of a call.
#[derive(Debug)]
pub struct ToolContext<'a> {
    /// The recordings that are open.
    pub shelf: &'a RecordingShelf,
    /// The program and its flags.
    pub setup: &'a ServerSetup,
    /// The call.
    pub job: &'a ToolJob,
}

impl ToolContext<'_> {
    /// Runs a command of the program.
    pub fn program(
        &self,
        arguments: Vec<OsString>,
        deadline: Duration,
    ) -> Result<ProgramOutput, ToolError> {
        ProgramRun { program: self.setup.program.clone(), arguments, deadline }.run(self.job)
    }
}
