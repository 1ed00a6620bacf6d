//! The interface of all sources.

use std::path::Path;

use wattle_recording::{ArtifactKind, FileOnDevice, Recorder};

use crate::prepare::Remains;
use crate::source::{SourceGround, SourceName};
use crate::{Device, DeviceError};

/// One source of a recording. For each iteration it is started, stopped and collected; each of these may fail, and
/// [`Source::clean`] comes after all of them, whatever happened.
pub trait Source: Send {
    /// Its name.
    fn name(&self) -> SourceName;

    /// Looks whether the device offers it: `None` if it does, else why not.
    fn unavailable(&mut self, ground: &SourceGround<'_>) -> Result<Option<String>, DeviceError>;

    /// A description of its settings, for repeating a run.
    fn setup(&self) -> Option<String>;

    /// Everything that it will leave on the device once it has begun, for the journal. Comes right before
    /// [`Source::start`], and changes nothing.
    fn remains(&mut self, _: &SourceGround<'_>) -> Result<Vec<Remains>, DeviceError> {
        Ok(Vec::new())
    }

    /// Begins. What it writes on this machine while it runs goes into the folder.
    fn start(&mut self, ground: &SourceGround<'_>, folder: &Path) -> Result<(), DeviceError>;

    /// Ends what was begun, so that its output is whole. Does nothing if nothing was begun.
    fn stop(&mut self, ground: &SourceGround<'_>) -> Result<(), DeviceError>;

    /// Brings the output into the folder: of what was begun, also where stopping it failed.
    fn collect(
        &mut self,
        ground: &SourceGround<'_>,
        folder: &Path,
    ) -> Result<Collected, DeviceError>;

    /// Ends and removes what is left on the device. Does nothing the second time.
    fn clean(&mut self, device: &dyn Device) -> Result<(), DeviceError>;

    /// The output that could not be brought home because this machine has no room: [`Source::clean`] leaves it on the
    /// device.
    fn kept_on_device(&self) -> Option<FileOnDevice> {
        None
    }

    /// The commands that would do what [`Source::clean`] has yet to do, for a person whose device went away.
    fn to_clean(&self) -> Vec<String>;

    /// The device has started anew: no process of before is there any more, and their numbers may be those of others.
    fn device_restarted(&mut self) {}

    /// Processes on the device that belong to it now.
    fn recorders(&self) -> Vec<Recorder> {
        Vec::new()
    }
}

/// The output of a source.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Collected {
    /// Its files.
    pub files: Vec<CollectedFile>,
    /// Notes on the files for the reader.
    pub notes: Vec<String>,
    /// The device went away in the middle, and has the rest: to be collected again should it come back.
    pub worth_another_try: bool,
}

/// A file in the folder of a recording.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CollectedFile {
    /// Its name in the folder.
    pub file: String,
    /// Its format.
    pub kind: ArtifactKind,
    /// Whether it may end in the middle.
    pub partial: bool,
}

impl Collected {
    /// Adds a file that is whole, or not.
    pub fn add(&mut self, file: impl Into<String>, kind: ArtifactKind, partial: bool) {
        self.files.push(CollectedFile { file: file.into(), kind, partial });
    }
}
