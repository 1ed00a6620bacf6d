//! A process of ours in the background of the device.

use std::time::{Duration, Instant};

use crate::{Cancel, Device, DeviceError, ShellOutput};

const SHORT: Duration = Duration::from_secs(10);
const LOOK: Duration = Duration::from_millis(150);

/// A process that goes on when the command that began it has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct DeviceProcess {
    pub(super) pid: u32,
}

impl DeviceProcess {
    /// Finds its number in what the command wrote: the last line that is a number and nothing else. (Linkers and
    /// loggers may write lines of their own before it.)
    pub(super) fn from_output(what: &str, output: &ShellOutput) -> Result<Self, DeviceError> {
        let text = output.text();
        let number = |line: &str| line.trim().parse().ok().filter(|pid: &u32| *pid > 0);
        match text.lines().rev().find_map(number) {
            Some(pid) if output.is_success() => Ok(Self { pid }),
            Some(_) => Err(DeviceError::CommandFailed {
                command: what.to_owned(),
                status: output.status,
                said: crate::shell::text(output),
            }),
            None => Err(DeviceError::Unexpected {
                what: what.to_owned(),
                expected: "the number of the process".to_owned(),
                found: crate::shell::text(output),
            }),
        }
    }

    /// The command that writes down, between quotes of the device's shell, how a process is ended and waited for. `pid` is
    /// expanded by that shell.
    pub(super) fn script_to_end(pid: &str, signal: &str) -> String {
        format!(
            "\"kill -{signal} {pid} && for look in 1 2 3 4 5 6 7 8 9 10; do kill -0 {pid} 2>/dev/null || [ -d /proc/{pid} ] || break; sleep 0.5; done\""
        )
    }

    /// Whether it is still there.
    pub(super) fn is_alive(self, device: &dyn Device) -> Result<bool, DeviceError> {
        // SELinux lets no shell of a user build send signal 0 to `perfetto` (docs/phones.md); that its folder is there it may see.
        let command = format!("kill -0 {0} 2>/dev/null || [ -d /proc/{0} ]", self.pid);
        let asked = device.shell(&command, SHORT)?;
        // Without an exit status the shell's complaint is the answer.
        Ok(asked.is_success() && asked.stderr.is_empty())
    }

    /// Asks it to end, and waits until it has.
    pub(super) fn end(
        self,
        device: &dyn Device,
        cancel: &Cancel,
        signal: &str,
        patience: Duration,
    ) -> Result<(), DeviceError> {
        let command = format!("kill -{signal} {}", self.pid);
        let asked = device.shell(&command, SHORT)?;
        if !asked.is_success() && self.is_alive(device)? {
            // Waiting for what was never asked to end is useless.
            let (status, said) = (asked.status, crate::shell::text(&asked));
            return Err(DeviceError::CommandFailed { command, status, said });
        }
        self.await_end(device, cancel, patience)
    }

    /// Waits until it has ended.
    pub(super) fn await_end(
        self,
        device: &dyn Device,
        cancel: &Cancel,
        patience: Duration,
    ) -> Result<(), DeviceError> {
        let began = Instant::now();
        while self.is_alive(device)? {
            if began.elapsed() >= patience {
                let what = format!("waiting for process {} of the device to end", self.pid);
                return Err(DeviceError::TimedOut { what, limit: patience });
            }
            cancel.sleep(LOOK)?;
        }
        Ok(())
    }
}
