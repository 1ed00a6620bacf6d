//! One device behind an adb server.

use std::io::{Read, Write};
use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use super::adb_limits::Deadline;
use super::shell::{AdbShellStream, ShellChannel};
use super::sync::SyncSession;
use super::{AdbServer, DeviceState, Features};
use crate::{
    Cancel, Device, DeviceError, FileFacts, InstallOptions, ShellOutput, ShellStream, quote,
};

/// A device behind an adb server. It keeps no connection open: every task opens its own, so a device that was away for a
/// while is simply there again.
#[derive(Clone, Debug)]
pub struct AdbDevice {
    pub(super) server: AdbServer,
    pub(super) serial: String,
    pub(super) features: Features,
}

impl AdbDevice {
    pub(super) fn open(server: AdbServer, serial: &str) -> Result<Self, DeviceError> {
        let features = server.features(serial)?;
        Ok(Self { server, serial: serial.to_owned(), features })
    }

    /// The features that the device announced.
    pub const fn features(&self) -> &Features {
        &self.features
    }

    /// The same device, asked only for what these allow: for one that announces more than it can do.
    #[must_use]
    pub fn with_features(&self, features: Features) -> Self {
        Self { features, ..self.clone() }
    }

    /// The server that holds it.
    pub const fn server(&self) -> &AdbServer {
        &self.server
    }

    /// Its state by the server.
    pub fn state(&self) -> Result<DeviceState, DeviceError> {
        self.server.state(&self.serial)
    }

    /// Runs a command without any shell protocol and copies what it writes, both outputs in one. Gives the number of
    /// bytes. Neither an exit status nor the loss of the device can be told from the end of the output here.
    pub fn exec(
        &self,
        command: &str,
        into: &mut dyn Write,
        limit: Duration,
    ) -> Result<u64, DeviceError> {
        let what = format!("running `{}`", super::shell::shortened(command));
        let mut link = self.server.transport(&self.serial, &what)?;
        link.ask(&format!("exec:{command}"), &self.server.deadline(what.as_str()))?;
        let deadline = Deadline::new(what, limit);
        let mut buffer = vec![0; 64 * 1024];
        let mut total: u64 = 0;
        loop {
            let count = link.read(&mut buffer, &deadline)?;
            if count == 0 {
                return Ok(total);
            }
            let bytes = buffer.get(..count).unwrap_or_default();
            into.write_all(bytes)
                .map_err(|source| DeviceError::Copy { what: deadline.what.clone(), source })?;
            total = total.saturating_add(count as u64);
            deadline.check()?;
        }
    }

    /// Restarts the device, into `bootloader`, `recovery` or another place if one is named. It is gone soon after.
    pub fn reboot(&self, into: Option<&str>) -> Result<(), DeviceError> {
        let what = "restarting the device";
        let mut link = self.server.transport(&self.serial, what)?;
        let deadline = self.server.deadline(what);
        link.ask(&format!("reboot:{}", into.unwrap_or_default()), &deadline)?;
        let mut said = [0; 256];
        // The connection ends when the device goes down; what it says before is no answer.
        while link.read(&mut said, &deadline)? > 0 {}
        Ok(())
    }

    /// Writes a file with a time of change.
    pub(super) fn send(
        &self,
        from: &mut dyn Read,
        to: &str,
        mode: u32,
    ) -> Result<u64, DeviceError> {
        self.sync(&format!("pushing {to}"))?.send(from, to, mode, SystemTime::now())
    }

    fn sync(&self, what: &str) -> Result<SyncSession, DeviceError> {
        SyncSession::open(&self.server, &self.serial, &self.features, what)
    }

    fn channel(&self, command: &str) -> Result<ShellChannel, DeviceError> {
        ShellChannel::open(&self.server, &self.serial, &self.features, command)
    }

    fn shell_deadline(command: &str, limit: Duration) -> Deadline {
        Deadline::new(format!("running `{}`", super::shell::shortened(command)), limit)
    }
}

impl Device for AdbDevice {
    fn serial(&self) -> &str {
        &self.serial
    }

    fn with_cancel(&self, cancel: Cancel) -> Box<dyn Device> {
        Box::new(Self { server: self.server.with_cancel(cancel), ..self.clone() })
    }

    fn reconnect(&self) {
        // A server that was started anew knows no device of the network; one that has it says so.
        if self.serial.contains(':') && !self.serial.starts_with("emulator-") {
            let _ = self.server.connect(&self.serial);
        }
    }

    fn shell(&self, command: &str, limit: Duration) -> Result<ShellOutput, DeviceError> {
        let deadline = Self::shell_deadline(command, limit);
        self.channel(command)?.run(None, &deadline)
    }

    fn stream(&self, command: &str) -> Result<Box<dyn ShellStream>, DeviceError> {
        let patience = self.server.limits().file;
        let channel =
            ShellChannel::open_leashed(&self.server, &self.serial, &self.features, command)?;
        Ok(Box::new(AdbShellStream::new(channel, &self.serial, patience)))
    }

    fn shell_with_input(
        &self,
        command: &str,
        input: &mut dyn Read,
        limit: Duration,
    ) -> Result<ShellOutput, DeviceError> {
        let deadline = Self::shell_deadline(command, limit);
        if self.features.shell_v2() {
            return self.channel(command)?.run(Some(input), &deadline);
        }
        // Without the shell protocol no end of input can be told, so the command reads a file.
        let file = Self::temporary("input");
        self.send(input, &file, 0o600)?;
        let name = quote(&file);
        let script = format!("(\n{command}\n) < {name}");
        let output = self.channel(&script).and_then(|channel| channel.run(None, &deadline));
        self.remove(&file);
        output
    }

    fn push(&self, from: &mut dyn Read, to: &str, mode: u32) -> Result<u64, DeviceError> {
        self.send(from, to, mode)
    }

    fn pull(&self, from: &str, into: &mut dyn Write) -> Result<u64, DeviceError> {
        self.sync(&format!("pulling {from}"))?.receive(from, into)
    }

    fn stat(&self, path: &str) -> Result<Option<FileFacts>, DeviceError> {
        self.sync(&format!("looking at {path}"))?.stat(path)
    }

    fn list(&self, folder: &str) -> Result<Vec<FileFacts>, DeviceError> {
        self.sync(&format!("listing {folder}"))?.list(folder)
    }

    fn install(&self, packages: &[PathBuf], options: &InstallOptions) -> Result<(), DeviceError> {
        self.install_packages(packages, options)
    }
}

impl AdbServer {
    /// Opens a device.
    ///
    /// # Errors
    /// [`DeviceError::Disconnected`] if it is not attached.
    pub fn device(&self, serial: &str) -> Result<AdbDevice, DeviceError> {
        AdbDevice::open(self.clone(), serial)
    }
}
