//! The file of an external power meter.

use std::path::{Path, PathBuf};

use wattle_recording::ArtifactKind;

use crate::source::{Collected, Source, SourceGround, SourceName};
use crate::{Device, DeviceError};

/// A file that a meter writes on this machine while the recording is made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MeterFile {
    /// The file.
    pub path: PathBuf,
    /// A description of its clock (`host wall clock`, `seconds since the trigger at …`).
    pub clock: String,
}

/// Copies the meter's file into the recording.
#[derive(Clone, Debug)]
pub struct Meter {
    file: Option<MeterFile>,
    begun: bool,
}

impl Meter {
    /// One with the file that the user named.
    pub const fn new(file: Option<MeterFile>) -> Self {
        Self { file, begun: false }
    }
}

impl Source for Meter {
    fn name(&self) -> SourceName {
        SourceName::Meter
    }

    fn unavailable(&mut self, _: &SourceGround<'_>) -> Result<Option<String>, DeviceError> {
        Ok(self.file.is_none().then(|| "no file of a meter was named".to_owned()))
    }

    fn setup(&self) -> Option<String> {
        self.file.as_ref().map(|file| format!("{}; clock: {}", file.path.display(), file.clock))
    }

    fn start(&mut self, _: &SourceGround<'_>, _: &Path) -> Result<(), DeviceError> {
        self.begun = true;
        Ok(())
    }

    fn stop(&mut self, _: &SourceGround<'_>) -> Result<(), DeviceError> {
        Ok(())
    }

    fn collect(&mut self, _: &SourceGround<'_>, folder: &Path) -> Result<Collected, DeviceError> {
        let mut collected = Collected::default();
        let Some(meter) = self.file.as_ref().filter(|_| self.begun) else { return Ok(collected) };
        let extension = meter.path.extension().and_then(|extension| extension.to_str());
        let name = format!("meter.{}", extension.unwrap_or("txt"));
        let failed = |source| DeviceError::File { path: meter.path.clone(), source };
        std::fs::copy(&meter.path, folder.join(&name)).map_err(failed)?;
        collected.add(name, ArtifactKind::Meter, false);
        collected.notes.push(format!("the clock of the meter's file: {}", meter.clock));
        self.begun = false;
        Ok(collected)
    }

    fn clean(&mut self, _: &dyn Device) -> Result<(), DeviceError> {
        self.begun = false;
        Ok(())
    }

    fn to_clean(&self) -> Vec<String> {
        Vec::new()
    }
}
