//! A command that goes on beside us.

use std::time::Duration;

use super::ShellChannel;
use crate::adb::adb_limits::Deadline;
use crate::{DeviceError, ShellEvent, ShellStream};

/// The [`ShellStream`] of a device behind an adb server.
///
/// Once the command has ended, every further question is answered by its end again.
#[derive(Debug)]
pub(in crate::adb) struct AdbShellStream {
    channel: ShellChannel,
    serial: String,
    /// Time limit for the device to accept our input.
    patience: Duration,
}

impl AdbShellStream {
    pub(in crate::adb) fn new(channel: ShellChannel, serial: &str, patience: Duration) -> Self {
        Self { channel, serial: serial.to_owned(), patience }
    }
}

impl ShellStream for AdbShellStream {
    fn next(&mut self, patience: Duration) -> Result<Option<ShellEvent>, DeviceError> {
        self.channel.next(patience)
    }

    fn write(&mut self, bytes: &[u8]) -> Result<(), DeviceError> {
        let deadline = Deadline::new("giving a command its input", self.patience);
        // A command that has ended says so by `next`.
        self.channel.send_input(bytes, &deadline).map(|_| ())
    }

    fn close_input(&mut self) -> Result<(), DeviceError> {
        if !self.channel.can_end_input() {
            return Err(DeviceError::Unsupported {
                serial: self.serial.clone(),
                what: "ending the input of a running command needs Android 7 or newer".to_owned(),
            });
        }
        self.channel.end_input(&Deadline::new("ending a command's input", self.patience))
    }
}
