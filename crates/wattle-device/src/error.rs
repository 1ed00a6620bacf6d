//! What can go wrong with a device.

use std::path::PathBuf;
use std::time::Duration;

/// Why something could not be done with a device.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DeviceError {
    /// Somebody asked to stop.
    #[error("interrupted")]
    Cancelled,
    /// The device, or the way to it, did not answer in time.
    #[error("{what}: no answer within {} s", limit.as_secs_f64())]
    TimedOut {
        /// What was being done.
        what: String,
        /// How long it was waited for.
        limit: Duration,
    },
    /// The device went away in the middle.
    #[error("{serial} went away while {what}")]
    Disconnected {
        /// Which.
        serial: String,
        /// What was being done.
        what: String,
    },
    /// A file of this machine.
    #[error("{}: {source}", path.display())]
    File {
        /// Which.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
}
