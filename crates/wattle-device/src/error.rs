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
    /// The adb server or the device said no.
    #[error("{what}: {said}")]
    Refused {
        /// What was being done.
        what: String,
        /// Their own words.
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
    /// An app is installed that another key has signed.
    #[error(
        "{package} {version} is installed on {serial} and signed by another key, so it cannot be replaced without \
         uninstalling it, which deletes its data; --replace does that"
    )]
    OtherSigner {
        /// The app.
        package: String,
        /// The installed version.
        version: String,
        /// The device.
        serial: String,
    },
    /// A newer version of the app is installed.
    #[error(
        "{package}: version {installed} is installed and newer than {given}; --downgrade allows it for debuggable \
         apps, --replace uninstalls the app first, which deletes its data"
    )]
    Downgrade {
        /// The app.
        package: String,
        /// The installed version.
        installed: String,
        /// The version that should be installed.
        given: String,
    },
    /// A package on this machine cannot be read.
    #[error(transparent)]
    Package(#[from] wattle_apk::ApkError),
    /// The private files of an app cannot be reached.
    #[error("the files of {package} cannot be reached: {reason}")]
    NoAccess {
        /// The app.
        package: String,
        /// Every way that was tried, and what to do instead.
        reason: String,
    },
}
