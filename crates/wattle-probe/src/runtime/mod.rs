//! The class that probes call, assembled instruction by instruction.

mod byte_buffer;
mod calibration;
mod drain;
mod file_output;
mod host;
mod log_output;
mod member_access;
mod moved_bytes;
mod peer_lines;
mod ring;
mod runtime_file;
mod thread_buffer;
mod trace_section;

use crate::{MapId, Sink};

/// Options of the runtime class.
#[derive(Clone, Debug)]
pub struct Runtime {
    /// The sink that its methods write to.
    pub sink: Sink,
    /// The map that the probes' numbers are of.
    pub map: MapId,
    /// The app's package, below whose folder files go; `None` where there is no package.
    pub package: Option<String>,
    /// Whether it times its own probes once in each process, see [`Runtime::is_calibrated`].
    pub calibration: bool,
}

impl Runtime {
    /// The class's descriptor.
    pub const DESCRIPTOR: &'static str = "Lwattle/probe/Probe;";

    /// The version of the format that its file has: every runtime reads it.
    pub const VERSION: u16 = 35;

    /// The number under which the runtime times its own probes; those of the map begin at 1.
    pub const CALIBRATION_ID: u32 = 0;

    /// The number of pairs of an entry and an exit that it makes for that.
    pub const CALIBRATION_PAIRS: u16 = 256;

    /// The start of the name of a section that says how many bytes the call around it moved, see
    /// `docs/probe-formats.md`.
    pub const BYTES_SECTION: &'static str = "wattle.bytes ";

    /// Whether a process that runs this class begins its recording with pairs of entry and exit of an empty method:
    /// those of `navitas` and `orka` never do, as the tools whose lines they write did not.
    pub const fn is_calibrated(&self) -> bool {
        self.calibration && matches!(self.sink, Sink::Trace | Sink::File | Sink::Logcat)
    }
}
