//! One thing that is changed on a device.

use crate::prepare::Undo;
use crate::{Device, DeviceError};

/// The consequence for the run if a change cannot be made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Need {
    /// Somebody asked for it: the run ends.
    Must,
    /// It makes the run better: it is noted, and the run goes on.
    Wish,
}

/// The state before a change.
#[derive(Clone, Debug, Default)]
pub(crate) struct Before {
    /// In words, for the recording.
    pub(crate) state: Option<String>,
    /// The way to restore it; `None` if nothing can or need be restored.
    pub(crate) undo: Option<Undo>,
    /// It is as wanted already: nothing is done, and nothing will be undone.
    pub(crate) as_wanted: bool,
}

/// One change, in the order of its methods.
pub(crate) trait Change {
    /// Its name in the recording.
    fn description(&self) -> String;

    /// The consequence for the run without it.
    fn need(&self) -> Need {
        Need::Wish
    }

    /// Reads what is there.
    fn look(&self, device: &dyn Device) -> Result<Before, DeviceError>;

    /// Makes the change.
    fn apply(&self, device: &dyn Device) -> Result<(), DeviceError>;

    /// Reads whether it was made: what is there now, in words. May correct what the undo takes for our state.
    ///
    /// # Errors
    /// If it was not made, although the device did not say so.
    fn verify(&self, device: &dyn Device, undo: Option<&mut Undo>) -> Result<String, DeviceError>;
}
