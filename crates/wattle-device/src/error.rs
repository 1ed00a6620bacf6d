//! The errors of a device.

use std::path::PathBuf;
use std::time::Duration;

use crate::attached_device::{AttachedDevice, DeviceState};
use crate::install_refusal::InstallRefusal;

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
        /// The operation.
        what: String,
        /// The time limit.
        limit: Duration,
    },
    /// The device went away in the middle.
    #[error("{serial} disconnected while {what}")]
    Disconnected {
        /// Which.
        serial: String,
        /// The operation.
        what: String,
    },
    /// A command on the device said no.
    #[error("the device's {command:?} {}: {said}", ended(*status))]
    CommandFailed {
        /// The command.
        command: String,
        /// Its exit status, where the device tells it.
        status: Option<u8>,
        /// Its output, shortened.
        said: String,
    },
    /// The device says something that it should not.
    #[error("{what}: expected {expected}, found {found:?}")]
    Unexpected {
        /// The operation.
        what: String,
        /// The expected content.
        expected: String,
        /// The beginning of the actual content.
        found: String,
    },
    /// The requested scenario or source is not possible.
    #[error("{0}")]
    Plan(String),
    /// An Android package of this machine.
    #[error("{}: {source}", path.display())]
    BadPackage {
        /// Which.
        path: PathBuf,
        /// The cause.
        source: Box<wattle_apk::ApkError>,
    },
    /// The device is in no state to be measured.
    #[error("{0}; use --force to continue anyway")]
    Unfit(String),
    /// Another run has the device.
    #[error("{serial} is in use by {holder}; --wait waits until it is free")]
    InUse {
        /// adb's name of the device.
        serial: String,
        /// The holder of its lease, since when it has it.
        holder: String,
    },
    /// Another run has taken the device over in the middle.
    #[error(
        "{serial} was taken over by another run ({holder}), because this one did not answer for too long"
    )]
    LeaseLost {
        /// adb's name of the device.
        serial: String,
        /// The holder of its lease.
        holder: String,
    },
    /// Something on the device is not as it was.
    #[error("{0}")]
    NotPutBack(String),
    /// The description of a recording.
    #[error(transparent)]
    Recording(#[from] wattle_recording::RecordingError),
    /// A session did not come to its end.
    #[error("{cause}; {kept}; {put_back}")]
    BrokenOff {
        /// The cause.
        cause: Box<DeviceError>,
        /// A summary of what was recorded until then, and its location.
        kept: String,
        /// Whether the device is as it was.
        is_back: bool,
        /// The same in words, with what to do where it is not.
        put_back: String,
    },
    /// No `adb` program to start a server with.
    #[error(
        "no adb server runs and no adb program was found to start one: looked at {}; \
         install the Android SDK platform tools, set ANDROID_HOME, or name the program",
        list(looked)
    )]
    AdbNotFound {
        /// Every place that was looked at, in order.
        looked: Vec<PathBuf>,
    },
    /// Nobody listens where the adb server should be.
    #[error("no adb server answers at {address}: {source}")]
    ServerUnreachable {
        /// Host and port.
        address: String,
        /// The error of the operating system.
        source: std::io::Error,
    },
    /// `adb start-server` did not do it.
    #[error("{} start-server did not start a server: {said}", program.display())]
    ServerNotStarted {
        /// The program.
        program: PathBuf,
        /// Its output, or why it could not run.
        said: String,
    },
    /// An environment variable says something that it cannot mean.
    #[error("{variable} must be {expected}, but is {found:?}")]
    BadVariable {
        /// Which.
        variable: &'static str,
        /// The valid values.
        expected: &'static str,
        /// The actual value.
        found: String,
    },
    /// The adb server (`FAIL`) or the device said no.
    #[error("{what}: {said}")]
    Refused {
        /// The operation.
        what: String,
        /// Their own words.
        said: String,
    },
    /// The other end does not keep to the protocol.
    #[error("{what}: expected {expected} from {peer}, found {found:?}; is that an adb server?")]
    Garbled {
        /// Who said it.
        peer: String,
        /// The operation.
        what: String,
        /// The content that the protocol requires.
        expected: &'static str,
        /// The actual content.
        found: String,
    },
    /// More than there may be.
    #[error("{what} is larger than {limit}")]
    TooLong {
        /// The item that is too large.
        what: String,
        /// The limit in bytes or entries.
        limit: u64,
    },
    /// Reading or writing on this side failed in the middle.
    #[error("{what}: {source}")]
    Copy {
        /// The operation.
        what: String,
        /// The error of the operating system.
        source: std::io::Error,
    },
    /// Nothing is attached.
    #[error(
        "no device is attached to the adb server at {address}: plug a phone in with USB debugging on, start an \
         emulator, or connect one over Wi-Fi"
    )]
    NoDevice {
        /// The server's address.
        address: String,
    },
    /// More than one device, and none was chosen.
    #[error(
        "{} devices are attached; choose one with --serial or ANDROID_SERIAL:{}",
        devices.len(),
        lines(devices)
    )]
    SeveralDevices {
        /// Those attached.
        devices: Vec<AttachedDevice>,
    },
    /// The chosen device is not there.
    #[error(
        "no device {serial} is attached; attached are:{}",
        if devices.is_empty() { " none".to_owned() } else { lines(devices) }
    )]
    UnknownSerial {
        /// The chosen device.
        serial: String,
        /// Those attached.
        devices: Vec<AttachedDevice>,
    },
    /// The device is there but cannot be used.
    #[error("{serial} is {state}: {}", state.advice())]
    NotReady {
        /// Which.
        serial: String,
        /// Its actual state.
        state: DeviceState,
    },
    /// The device does not install the app.
    #[error("installing {}: {refusal}", package.display())]
    NotInstalled {
        /// The package that was being installed, the first of several.
        package: PathBuf,
        /// Why not.
        refusal: InstallRefusal,
    },
    /// The device, or its connection, cannot do it.
    #[error("{serial} cannot do this: {what}")]
    Unsupported {
        /// Which.
        serial: String,
        /// The operation, and its requirements.
        what: String,
    },
    /// An emulator's console said no.
    #[error("the console of {serial} answered {command:?} with: {said}")]
    Console {
        /// The emulator.
        serial: String,
        /// The command, without secrets.
        command: String,
        /// Its words.
        said: String,
    },
    /// A file of this machine.
    #[error("{}: {source}", path.display())]
    File {
        /// Which.
        path: PathBuf,
        /// The error of the operating system.
        source: std::io::Error,
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

impl DeviceError {
    /// Whether the device, or the way to it, is not there: asking again at once is useless, asking later may not be.
    pub const fn is_away(&self) -> bool {
        matches!(
            self,
            Self::Disconnected { .. }
                | Self::ServerUnreachable { .. }
                | Self::ServerNotStarted { .. }
                | Self::UnknownSerial { .. }
                | Self::NoDevice { .. }
                | Self::NotReady { .. }
        )
    }
}

fn ended(status: Option<u8>) -> String {
    status.map_or_else(|| "failed".to_owned(), |status| format!("ended with status {status}"))
}

fn list(paths: &[PathBuf]) -> String {
    if paths.is_empty() {
        return "nothing, because neither ANDROID_HOME nor PATH is set".to_owned();
    }
    paths.iter().map(|path| path.display().to_string()).collect::<Vec<_>>().join(", ")
}

fn lines(devices: &[AttachedDevice]) -> String {
    devices.iter().fold(String::new(), |text, device| text + "\n  " + &device.to_string())
}
