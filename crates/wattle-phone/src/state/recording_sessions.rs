//! Recordings by `perfetto` that run.

use std::collections::BTreeMap;

use wattle_units::BootNanos;

use crate::trace_config::RecordingConfig;

/// A recording.
#[derive(Clone, Debug)]
pub(crate) struct RecordingSession {
    /// The output path; `-` is standard output.
    pub(crate) out: String,
    pub(crate) config: RecordingConfig,
    pub(crate) started: BootNanos,
    /// Somebody asked it to end (SIGTERM, SIGINT).
    pub(crate) asked_to_stop: bool,
    /// Somebody killed it: nothing is written.
    pub(crate) killed: bool,
}

/// All of them, by process.
#[derive(Debug, Default)]
pub(crate) struct Sessions {
    pub(crate) recordings: BTreeMap<u32, RecordingSession>,
}
