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
    /// A command on the device said no.
    #[error("the device's {command:?} {}: {said}", ended(*status))]
    CommandFailed {
        /// The command.
        command: String,
        /// Its exit status, where the device tells it.
        status: Option<u8>,
        /// What it wrote, shortened.
        said: String,
    },
    /// The device says something that it should not.
    #[error("{what}: expected {expected}, found {found:?}")]
    Unexpected {
        /// What was being done.
        what: String,
        /// What should be there.
        expected: String,
        /// What is there, the beginning of it.
        found: String,
    },
    /// What is to be run or recorded cannot be.
    #[error("{0}")]
    Plan(String),
    /// An Android package of this machine.
    #[error("{}: {source}", path.display())]
    BadPackage {
        /// Which.
        path: PathBuf,
        /// What is wrong with it.
        source: Box<wattle_apk::ApkError>,
    },
    /// The description of a recording.
    #[error(transparent)]
    Recording(#[from] wattle_recording::RecordingError),
    /// A session did not come to its end.
    #[error("{cause}; {kept}; {put_back}")]
    BrokenOff {
        /// What ended it.
        cause: Box<DeviceError>,
        /// What was recorded until then, and where it is.
        kept: String,
        /// Whether the device is as it was, and what to do where it is not.
        put_back: String,
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

fn ended(status: Option<u8>) -> String {
    status.map_or_else(|| "failed".to_owned(), |status| format!("ended with status {status}"))
}
