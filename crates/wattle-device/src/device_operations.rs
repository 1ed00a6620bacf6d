//! Operations of a device.

use std::fmt;
use std::io::{Read, Write};
use std::path::PathBuf;
use std::time::Duration;

use crate::{Cancel, DeviceError};

/// A device that answers.
///
/// Paths are the device's. Commands are for its shell: quote what is not yours with [`crate::quote`]. Every call ends by
/// itself: with the answer, with [`DeviceError::TimedOut`], or with [`DeviceError::Cancelled`] soon after the device's
/// [`Cancel`] is asked to stop.
pub trait Device: Send + Sync + fmt::Debug {
    /// adb's name of it.
    fn serial(&self) -> &str;

    /// The same device under another `Cancel`: what puts it back goes on after the run was cancelled.
    fn with_cancel(&self, cancel: Cancel) -> Box<dyn Device>;

    /// Tries to reach a device again that went away. Does nothing where somebody else does it, as for a cable.
    fn reconnect(&self) {}

    /// Runs a command and waits for its end. A command that says no (exit status above 0) is not an error here.
    fn shell(&self, command: &str, limit: Duration) -> Result<ShellOutput, DeviceError>;

    /// Starts a command that goes on beside us. Dropping the stream ends the command on the device.
    fn stream(&self, command: &str) -> Result<Box<dyn ShellStream>, DeviceError>;

    /// Runs a command with bytes for its standard input (`perfetto -c -`, `pm install -S n`).
    fn shell_with_input(
        &self,
        command: &str,
        input: &mut dyn Read,
        limit: Duration,
    ) -> Result<ShellOutput, DeviceError>;

    /// Writes a file. Gives the number of bytes.
    fn push(&self, from: &mut dyn Read, to: &str, mode: u32) -> Result<u64, DeviceError>;

    /// Reads a file. Gives the number of bytes. What came before an error is in `into`.
    fn pull(&self, from: &str, into: &mut dyn Write) -> Result<u64, DeviceError>;

    /// Returns the facts about a path; `None` if there is nothing.
    fn stat(&self, path: &str) -> Result<Option<FileFacts>, DeviceError>;

    /// The files of a folder, without `.` and `..`; empty where there is none.
    fn list(&self, folder: &str) -> Result<Vec<FileFacts>, DeviceError>;

    /// Installs the packages of one app: a base and its splits.
    fn install(&self, packages: &[PathBuf], options: &InstallOptions) -> Result<(), DeviceError>;
}

/// Output and status of a command.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ShellOutput {
    /// Standard output. Of devices before Android 7, which know no shell protocol, both outputs are here.
    pub stdout: Vec<u8>,
    /// Standard error.
    pub stderr: Vec<u8>,
    /// Exit status; `None` where the device does not tell it.
    pub status: Option<u8>,
}

impl ShellOutput {
    /// Standard output as text; what is no UTF-8 is replaced.
    pub fn text(&self) -> std::borrow::Cow<'_, str> {
        String::from_utf8_lossy(&self.stdout)
    }

    /// Whether it ended well, as far as the device tells.
    pub fn is_success(&self) -> bool {
        self.status.is_none_or(|status| status == 0)
    }
}

/// Something that a running command did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ShellEvent {
    /// It wrote to its standard output.
    Stdout(Vec<u8>),
    /// It wrote to its standard error.
    Stderr(Vec<u8>),
    /// It ended, with a status where the device tells it.
    Exit(Option<u8>),
}

/// A command that runs on the device. Dropping it ends the command.
pub trait ShellStream: Send {
    /// The next thing that it does; `None` if nothing came within the time.
    ///
    /// # Errors
    /// [`DeviceError::Disconnected`] if the device went away, [`DeviceError::Cancelled`].
    fn next(&mut self, patience: Duration) -> Result<Option<ShellEvent>, DeviceError>;

    /// Gives it something to read.
    fn write(&mut self, bytes: &[u8]) -> Result<(), DeviceError>;

    /// Tells it that there is nothing more to read.
    fn close_input(&mut self) -> Result<(), DeviceError>;
}

/// A file on a device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileFacts {
    /// Its name, without folders.
    pub name: String,
    /// Type and permissions as `stat` has them (`st_mode`).
    pub mode: u32,
    /// Its size in bytes.
    pub bytes: u64,
    /// When it was changed, Unix seconds.
    pub modified: i64,
}

impl FileFacts {
    /// Whether it is a folder.
    pub const fn is_folder(&self) -> bool {
        self.mode & 0o170_000 == 0o040_000
    }
}

/// Options for installing an app.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct InstallOptions {
    /// Accept a lower version (`-d`).
    pub downgrade: bool,
    /// Grant all permissions that it asks for (`-g`).
    pub grant: bool,
    /// Accept packages marked as for tests only (`-t`).
    pub test_only: bool,
    /// For which user (`--user`); `None`: all.
    pub user: Option<u32>,
}
