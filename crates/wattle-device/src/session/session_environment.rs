//! The steps that a session delegates.

use wattle_recording::{AppFacts, ArtifactKind, ClockPair, ConditionFacts, DeviceFacts, StepFacts};

use crate::prepare::Remains;
use crate::session::Build;
use crate::{Device, DeviceError};

/// Looking at a device, reading its clocks, installing apps, preparing it and putting it back.
///
/// A session calls [`Environment::restore`] after everything else, whatever happened, with a device that an interruption
/// does not stop; and again when the device had gone away and came back. What was put back once must not be touched again.
pub trait Environment {
    /// Looks at the device. Nothing is changed.
    fn inspect(&mut self, device: &dyn Device) -> Result<DeviceInspection, DeviceError>;

    /// Reads the clocks of host and device, several times.
    fn clocks(&mut self, device: &dyn Device) -> Result<Vec<ClockPair>, DeviceError>;

    /// Checks the conditions and prepares the device. Gives what a person should know. What was changed before an error
    /// is put back by [`Environment::restore`].
    fn prepare(&mut self, device: &dyn Device) -> Result<Vec<String>, DeviceError>;

    /// Makes sure that a build is what is installed, and says what it is on this device (its uid). A build without
    /// packages is there already.
    fn install(&mut self, device: &dyn Device, build: &Build) -> Result<AppFacts, DeviceError>;

    /// Checks the conditions again and prepares what has to be prepared before each run: statistics set back, the log
    /// cleared. A device that is too warm is waited for.
    fn before_iteration(
        &mut self,
        device: &dyn Device,
        app: Option<&AppFacts>,
    ) -> Result<(), DeviceError>;

    /// The conditions that [`Environment::before_iteration`] found last.
    fn conditions(&self) -> Option<ConditionFacts> {
        None
    }

    /// Takes note of what a source is about to leave on the device, so that it is removed also if this program is killed.
    ///
    /// # Errors
    /// If that cannot be written down: the source is not started then.
    fn expect(&mut self, _device: &dyn Device, _remains: &Remains) -> Result<(), DeviceError> {
        Ok(())
    }

    /// The sources have removed everything that they had left on the device.
    fn settle(&mut self) {}

    /// Notes on the steps since the last call: data that were deleted, a clock that can only
    /// be read coarsely.
    fn take_notes(&mut self) -> Vec<String> {
        Vec::new()
    }

    /// The changes made to the device so far, and which of them were undone.
    fn steps(&self) -> Vec<StepFacts>;

    /// Puts the device back, in reverse order. Goes on after an error, and gives the first.
    fn restore(&mut self, device: &dyn Device) -> Result<(), DeviceError>;

    /// The commands that would do what [`Environment::restore`] has yet to do, in their order.
    fn to_restore(&self) -> Vec<String>;
}

/// The result of inspecting a device.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DeviceInspection {
    /// Its facts.
    pub facts: DeviceFacts,
    /// Files for the recording (`power_profile.xml`).
    pub files: Vec<HostFile>,
    /// Notes for the user.
    pub notes: Vec<String>,
}

/// A file for the folder of a recording.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostFile {
    /// Its name in the folder.
    pub file: String,
    /// Its format.
    pub kind: ArtifactKind,
    /// Its content.
    pub bytes: Vec<u8>,
}
