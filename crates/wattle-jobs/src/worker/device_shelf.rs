//! The devices of a worker's machine.

use std::sync::{Arc, Mutex, PoisonError};

use crate::queue::LentDevice;

/// The devices of a worker's machine, which come and go while it works. Copies are the same.
#[derive(Clone, Debug, Default)]
pub struct DeviceShelf(Arc<Mutex<Vec<LentDevice>>>);

impl DeviceShelf {
    /// With these devices.
    pub fn new(devices: Vec<LentDevice>) -> Self {
        Self(Arc::new(Mutex::new(devices)))
    }

    /// Says which devices there are now. The worker announces them within a second.
    pub fn set(&self, devices: Vec<LentDevice>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = devices;
    }

    /// The devices that there are.
    pub fn devices(&self) -> Vec<LentDevice> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}
