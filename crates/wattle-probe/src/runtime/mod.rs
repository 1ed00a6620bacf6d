//! The class that probes call, assembled instruction by instruction.

mod assembly;
mod buffer;
mod bytes;
mod drain;
mod file_output;
mod host;
mod log_output;
mod peer_lines;
mod section;
mod writing;

use crate::{MapId, Sink};

/// What the runtime class is made for.
#[derive(Clone, Debug)]
pub struct Runtime {
    /// Where its methods write.
    pub sink: Sink,
    /// The map that the probes' numbers are of.
    pub map: MapId,
    /// The app's package, below whose folder files go; `None` where there is no package.
    pub package: Option<String>,
}

impl Runtime {
    /// The class's descriptor.
    pub const DESCRIPTOR: &'static str = "Lwattle/probe/Probe;";

    /// The version of the format that its file has: every runtime reads it.
    pub const VERSION: u16 = 35;
}
