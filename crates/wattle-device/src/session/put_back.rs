//! Putting the device back.

use std::time::Duration;

use crate::session::DEVICE_FOLDER;
use crate::session::session_state::Work;
use crate::session::waiting::{boot_id, comes_back};
use crate::{Cancel, Device, DeviceError};

const SHORT: Duration = Duration::from_secs(20);

/// Whether an error says that the device does not answer at all.
pub(super) const fn is_gone(error: &DeviceError) -> bool {
    error.is_away() || matches!(error, DeviceError::TimedOut { .. })
}

impl Work<'_> {
    /// Puts the device back, whatever happened before. A device that is away is waited for.
    pub(super) fn put_back(&mut self) -> Result<(), DeviceError> {
        if !self.touched {
            return Ok(());
        }
        self.enter("restore", None);
        // Of its own: what stopped the run must not stop this.
        let calm = Cancel::new();
        let device = self.device.with_cancel(calm.clone());
        let mut done = self.undo(&*device);
        if done.as_ref().is_err_and(is_gone) && comes_back(&*device, &calm, self.plan.come_back) {
            self.look_for_restart(&*device);
            done = self.undo(&*device);
        }
        self.books.set_steps(&self.environment.steps());
        done
    }

    /// In reverse order: what was begun last is ended first.
    fn undo(&mut self, device: &dyn Device) -> Result<(), DeviceError> {
        let cleaned = self.sources.clean(device);
        if cleaned.as_ref().is_err_and(is_gone) {
            return cleaned;
        }
        if cleaned.is_ok() {
            self.environment.settle();
        }
        let restored = self.environment.restore(device);
        if restored.as_ref().is_err_and(is_gone) {
            return restored;
        }
        let removed = device.shell(&format!("rm -rf {DEVICE_FOLDER}"), SHORT).map(|_| ());
        cleaned.and(restored).and(removed)
    }

    /// Whether the device is in another boot than the one that the session knows. One that does not answer is not asked
    /// again here: what comes next finds out.
    pub(super) fn restarted(&self) -> bool {
        let Some(before) = &self.boot else { return false };
        matches!(boot_id(&*self.calm), Ok(Some(now)) if now != *before)
    }

    /// After a reboot nothing of ours runs any more.
    pub(super) fn look_for_restart(&mut self, device: &dyn Device) {
        let Some(before) = &self.boot else { return };
        if let Ok(Some(now)) = boot_id(device)
            && now != *before
        {
            self.sources.device_restarted();
            self.books.unit().note("the device started anew in the middle of the recording");
            self.boot = Some(now);
        }
    }
}
