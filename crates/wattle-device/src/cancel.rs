//! Being told to stop.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crate::DeviceError;

/// Pause between two checks of a waiting operation.
const LOOK: Duration = Duration::from_millis(20);

/// Whether the work should stop (Ctrl-C). Clones are one.
///
/// Putting a device back must not be stopped by what stopped the run: it is given a `Cancel` of its own.
#[derive(Clone, Debug, Default)]
pub struct Cancel {
    asked: Arc<AtomicBool>,
}

impl Cancel {
    /// One that nobody has asked to stop.
    pub fn new() -> Self {
        Self::default()
    }

    /// Asks to stop. Does nothing but set a flag, so a signal handler may call it.
    pub fn cancel(&self) {
        self.asked.store(true, Ordering::SeqCst);
    }

    /// Whether somebody asked.
    pub fn is_cancelled(&self) -> bool {
        self.asked.load(Ordering::SeqCst)
    }

    /// Goes on, or ends the work.
    ///
    /// # Errors
    /// [`DeviceError::Cancelled`] if somebody asked.
    pub fn check(&self) -> Result<(), DeviceError> {
        if self.is_cancelled() { Err(DeviceError::Cancelled) } else { Ok(()) }
    }

    /// Sleeps, and wakes early when asked to stop.
    ///
    /// # Errors
    /// [`DeviceError::Cancelled`] if somebody asked.
    pub fn sleep(&self, length: Duration) -> Result<(), DeviceError> {
        let end = Instant::now() + length;
        loop {
            self.check()?;
            let left = end.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Ok(());
            }
            std::thread::sleep(left.min(LOOK));
        }
    }
}
