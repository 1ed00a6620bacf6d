//! Android's battery statistics.

use std::path::Path;
use std::time::Duration;

use wattle_recording::ArtifactKind;

use crate::shell::command_into_file;
use crate::source::{Collected, Source, SourceGround, SourceName};
use crate::{Device, DeviceError};

const SHORT: Duration = Duration::from_secs(20);
const DUMP: Duration = Duration::from_mins(2);
/// Android 8: `--proto`.
const PROTO_SDK: u32 = 26;

/// Each form of the same statistics: command, file, what it holds, and from which API level there is one. `-c` is the
/// current state in the form of a check-in; `--checkin` would be that of the charge before, and clear it.
const DUMPS: [(&str, &str, ArtifactKind, u32); 3] = [
    ("dumpsys batterystats", "batterystats.txt", ArtifactKind::BatterystatsText, 0),
    ("dumpsys batterystats -c", "batterystats.checkin.txt", ArtifactKind::BatterystatsCheckin, 0),
    ("dumpsys batterystats --proto", "batterystats.pb", ArtifactKind::BatterystatsProto, PROTO_SDK),
];

/// Dumps the statistics after the run. Setting them back before it is part of the device's preparation.
#[derive(Debug, Default)]
pub struct Batterystats {
    begun: bool,
}

impl Batterystats {
    /// One that has not begun.
    pub fn new() -> Self {
        Self::default()
    }
}

impl Source for Batterystats {
    fn name(&self) -> SourceName {
        SourceName::Batterystats
    }

    fn unavailable(&mut self, ground: &SourceGround<'_>) -> Result<Option<String>, DeviceError> {
        let found = ground.device.shell("dumpsys -l", SHORT)?;
        let there = found.text().lines().any(|line| line.trim() == "batterystats");
        Ok((!there).then(|| "the device has no service batterystats".to_owned()))
    }

    fn setup(&self) -> Option<String> {
        None
    }

    fn start(&mut self, _: &SourceGround<'_>, _: &Path) -> Result<(), DeviceError> {
        self.begun = true;
        Ok(())
    }

    fn stop(&mut self, _: &SourceGround<'_>) -> Result<(), DeviceError> {
        Ok(())
    }

    fn collect(
        &mut self,
        ground: &SourceGround<'_>,
        folder: &Path,
    ) -> Result<Collected, DeviceError> {
        let mut collected = Collected::default();
        if !std::mem::take(&mut self.begun) {
            return Ok(collected);
        }
        for (command, file, kind, _) in
            DUMPS.into_iter().filter(|(_, _, _, sdk)| ground.sdk() >= *sdk)
        {
            let path = folder.join(file);
            let download = command_into_file(ground.device, command, &path, DUMP)?;
            if download.bytes > 0 {
                collected.add(file, kind, download.broke_off.is_some());
            } else {
                let _ = std::fs::remove_file(&path);
                collected.notes.push(format!("{command} gave nothing"));
            }
            match download.broke_off {
                Some(error) if error.is_away() || matches!(error, DeviceError::Cancelled) => {
                    // Nobody answers any more. What came before is kept, with this as its end.
                    collected.notes.push(format!("{command}: {error}"));
                    return Ok(collected);
                }
                Some(error) => collected.notes.push(format!("{command}: {error}")),
                None => {}
            }
        }
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
