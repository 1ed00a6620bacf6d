//! This machine as a device: its shell runs what is meant for a phone's.

use std::io::{Read, Write};
use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

use wattle_device::{
    Cancel, Device, DeviceError, FileFacts, InstallOptions, ShellOutput, ShellStream,
};

/// A shell of this machine, after some words of introduction.
#[derive(Clone, Debug)]
pub struct LocalShell {
    pub shell: &'static str,
    /// Put before every command: functions that stand for tools, variables.
    pub prelude: &'static str,
}

impl LocalShell {
    fn refused<T>(what: &str) -> Result<T, DeviceError> {
        Err(DeviceError::Refused { what: what.to_owned(), said: "only a shell".into() })
    }
}

impl Device for LocalShell {
    fn serial(&self) -> &'static str {
        "local"
    }

    fn with_cancel(&self, _cancel: Cancel) -> Box<dyn Device> {
        Box::new(self.clone())
    }

    fn shell(&self, command: &str, _limit: Duration) -> Result<ShellOutput, DeviceError> {
        let script = format!("{}\n{command}", self.prelude);
        let output = Command::new(self.shell).arg("-c").arg(script).env("TZ", "UTC-5:30").output();
        let output = output.expect("a shell");
        let status = output.status.code().map(|code| code as u8);
        Ok(ShellOutput { stdout: output.stdout, stderr: output.stderr, status })
    }

    fn stream(&self, command: &str) -> Result<Box<dyn ShellStream>, DeviceError> {
        Self::refused(command)
    }

    fn shell_with_input(
        &self,
        command: &str,
        _input: &mut dyn Read,
        _limit: Duration,
    ) -> Result<ShellOutput, DeviceError> {
        Self::refused(command)
    }

    fn push(&self, _from: &mut dyn Read, to: &str, _mode: u32) -> Result<u64, DeviceError> {
        Self::refused(to)
    }

    fn pull(&self, from: &str, _into: &mut dyn Write) -> Result<u64, DeviceError> {
        Self::refused(from)
    }

    fn stat(&self, path: &str) -> Result<Option<FileFacts>, DeviceError> {
        Self::refused(path)
    }

    fn list(&self, folder: &str) -> Result<Vec<FileFacts>, DeviceError> {
        Self::refused(folder)
    }

    fn install(&self, _packages: &[PathBuf], _options: &InstallOptions) -> Result<(), DeviceError> {
        Self::refused("install")
    }
}
