//! Output of a command of the scripted device, chunk by chunk.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use wattle_device::{Cancel, DeviceError, ShellEvent, ShellStream};

use super::fault::Strike;
use super::phone::Inner;

/// A command with a known output.
pub struct Printed {
    pub inner: Arc<Inner>,
    pub cancel: Cancel,
    pub what: String,
    pub events: VecDeque<ShellEvent>,
}

impl ShellStream for Printed {
    fn next(&mut self, _: Duration) -> Result<Option<ShellEvent>, DeviceError> {
        self.cancel.check()?;
        match self.inner.faults.strike(&format!("output of {}", self.what)) {
            Strike::Error(error) => return Err(error),
            Strike::Refuse => return Ok(Some(ShellEvent::Exit(Some(1)))),
            Strike::None => {}
        }
        self.cancel.check()?;
        Ok(Some(self.events.pop_front().unwrap_or(ShellEvent::Exit(Some(0)))))
    }

    fn write(&mut self, _: &[u8]) -> Result<(), DeviceError> {
        Ok(())
    }

    fn close_input(&mut self) -> Result<(), DeviceError> {
        Ok(())
    }
}

/// The log as it grows.
pub struct Log {
    pub inner: Arc<Inner>,
    pub cancel: Cancel,
    pub read: usize,
}

impl ShellStream for Log {
    fn next(&mut self, patience: Duration) -> Result<Option<ShellEvent>, DeviceError> {
        self.cancel.check()?;
        if self.inner.faults.is_away() {
            let what = "reading the log".to_owned();
            return Err(DeviceError::Disconnected { serial: "X1".into(), what });
        }
        let log = self.inner.state().log.clone();
        let new = log.get(self.read..).unwrap_or_default().to_vec();
        self.read = log.len();
        if new.is_empty() {
            std::thread::sleep(patience.min(Duration::from_millis(5)));
            return Ok(None);
        }
        Ok(Some(ShellEvent::Stdout(new)))
    }

    fn write(&mut self, _: &[u8]) -> Result<(), DeviceError> {
        Ok(())
    }

    fn close_input(&mut self) -> Result<(), DeviceError> {
        Ok(())
    }
}
