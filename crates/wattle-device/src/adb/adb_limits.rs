//! Time limits for the parts of a conversation.

use std::time::{Duration, Instant};

use crate::DeviceError;

/// Time limits by kind of wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limits {
    /// For a connection to the adb server or to an emulator. Default is 5 s.
    pub connect: Duration,
    /// For the answer to a question. Default is 15 s: a server that has just lost a device is slow.
    pub answer: Duration,
    /// For the next piece of a file. Default is 60 s: a device writes back its caches before it says that a file is
    /// written.
    pub file: Duration,
    /// For the installer to say something once it has the package. Default is 5 min: it compiles the app.
    pub install: Duration,
    /// For `adb start-server`. Default is 30 s.
    pub start: Duration,
    /// For `connect` and `pair`, where the server itself waits for a device. Default is 45 s.
    pub pair: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            connect: Duration::from_secs(5),
            answer: Duration::from_secs(15),
            file: Duration::from_mins(1),
            install: Duration::from_mins(5),
            start: Duration::from_secs(30),
            pair: Duration::from_secs(45),
        }
    }
}

/// Something that is being done and must end.
#[derive(Clone, Debug)]
pub(super) struct Deadline {
    /// The operation in progress, for a sentence: `pushing /data/x`.
    pub(super) what: String,
    limit: Duration,
    /// `None`: so far away that no clock holds it.
    end: Option<Instant>,
}

impl Deadline {
    pub(super) fn new(what: impl Into<String>, limit: Duration) -> Self {
        Self { what: what.into(), limit, end: Instant::now().checked_add(limit) }
    }

    /// Something moved: the time counts anew.
    pub(super) fn moved(&mut self) {
        self.end = Instant::now().checked_add(self.limit);
    }

    /// Returns the remaining time, zero when the time is over.
    pub(super) fn left(&self) -> Duration {
        self.end.map_or(Duration::MAX, |end| end.saturating_duration_since(Instant::now()))
    }

    /// # Errors
    /// [`DeviceError::TimedOut`] when the time is over.
    pub(super) fn check(&self) -> Result<(), DeviceError> {
        if self.left().is_zero() { Err(self.timed_out()) } else { Ok(()) }
    }

    pub(super) fn timed_out(&self) -> DeviceError {
        DeviceError::TimedOut { what: self.what.clone(), limit: self.limit }
    }
}
