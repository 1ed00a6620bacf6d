//! The files that the app's probes write.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{BufWriter, Write as _};
use std::path::Path;
use std::time::Duration;

use wattle_recording::ArtifactKind;

use crate::package::{AppAccess, ProbeFile};
use crate::prepare::Remains;
use crate::source::{Collected, Source, SourceGround, SourceName};
use crate::{Device, DeviceError};

/// The runtime class writes its last records at the latest so long after they happened (`docs/probe-formats.md`).
const DRAIN: Duration = Duration::from_millis(2300);
/// Users have their uids in steps of this (`UserHandle.PER_USER_RANGE`).
const PER_USER: u32 = 100_000;

/// Pulls `wattle-<pid>-<ms>.probes` out of the app's private folder.
#[derive(Debug, Default)]
pub struct Probes {
    /// The way to the files of the run that is about to begin.
    found: Option<AppAccess>,
    access: Option<AppAccess>,
    /// The files of earlier runs.
    before: BTreeSet<String>,
}

impl Probes {
    /// One that has not begun.
    pub fn new() -> Self {
        Self::default()
    }

    /// The files of this run.
    fn written(&self, device: &dyn Device) -> Result<Vec<ProbeFile>, DeviceError> {
        let Some(access) = &self.access else { return Ok(Vec::new()) };
        let mut files = access.probe_files(device)?;
        files.retain(|file| is_probe_file(file.name()) && !self.before.contains(&file.path));
        Ok(files)
    }
}

/// `wattle-<pid>-<ms>.probes` and nothing else: the name becomes one of this machine.
fn is_probe_file(name: &str) -> bool {
    let number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    name.strip_prefix("wattle-")
        .and_then(|rest| rest.strip_suffix(".probes"))
        .and_then(|rest| rest.split_once('-'))
        .is_some_and(|(pid, ms)| number(pid) && number(ms) && name.len() < 100)
}

impl Source for Probes {
    fn name(&self) -> SourceName {
        SourceName::Probes
    }

    fn unavailable(&mut self, ground: &SourceGround<'_>) -> Result<Option<String>, DeviceError> {
        let Some(app) = ground.app else { return Ok(Some("no app is named".to_owned())) };
        Ok(match app.sink.as_deref() {
            Some("file") => None,
            Some(sink) => Some(format!("the app's probes write to {sink}")),
            None => Some("the app has no probes".to_owned()),
        })
    }

    fn setup(&self) -> Option<String> {
        None
    }

    fn remains(&mut self, ground: &SourceGround<'_>) -> Result<Vec<Remains>, DeviceError> {
        let Some(package) = ground.package() else { return Ok(Vec::new()) };
        let user = ground.app.and_then(|app| app.uid).map_or(0, |uid| uid / PER_USER);
        // Asked anew each time: another build may be one that nobody may look into.
        let access = AppAccess::find(ground.device, package, Some(user).filter(|user| *user > 0))?;
        let remains = Remains::probe_files(&access);
        self.found = Some(access);
        Ok(vec![remains])
    }

    fn start(&mut self, ground: &SourceGround<'_>, _: &Path) -> Result<(), DeviceError> {
        let Some(access) = self.found.take() else { return Ok(()) };
        let files = access.probe_files(ground.device)?;
        self.before = files.into_iter().map(|file| file.path).collect();
        self.access = Some(access);
        Ok(())
    }

    fn stop(&mut self, ground: &SourceGround<'_>) -> Result<(), DeviceError> {
        if self.access.is_some() { ground.cancel.sleep(DRAIN) } else { Ok(()) }
    }

    fn collect(
        &mut self,
        ground: &SourceGround<'_>,
        folder: &Path,
    ) -> Result<Collected, DeviceError> {
        let mut collected = Collected::default();
        let Some(access) = &self.access else { return Ok(collected) };
        let into = folder.join("probes");
        std::fs::create_dir_all(&into)
            .map_err(|source| DeviceError::File { path: into.clone(), source })?;
        for file in self.written(ground.device)? {
            let path = into.join(file.name());
            let failed = |source| DeviceError::File { path: path.clone(), source };
            let mut out = BufWriter::new(File::create(&path).map_err(failed)?);
            let pulled = access.pull_probe_file(ground.device, &file, &mut out);
            out.flush().map_err(failed)?;
            let name = format!("probes/{}", file.name());
            collected.add(name, ArtifactKind::Probes, pulled.is_err());
            if let Err(error) = pulled {
                collected.notes.push(format!("{} broke off: {error}", file.name()));
                if error.is_away() || matches!(error, DeviceError::Cancelled) {
                    collected.worth_another_try = error.is_away();
                    return Ok(collected);
                }
            }
        }
        if collected.files.is_empty() {
            collected.notes.push("no probe of the app has written a file".to_owned());
        }
        Ok(collected)
    }

    fn clean(&mut self, device: &dyn Device) -> Result<(), DeviceError> {
        // What an earlier run left is as much ours, and would only grow.
        if let Some(access) = &self.access {
            access.remove_probe_files(device)?;
        }
        self.access = None;
        Ok(())
    }

    fn to_clean(&self) -> Vec<String> {
        self.access.iter().map(AppAccess::command_to_remove_probe_files).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::is_probe_file;

    #[test]
    fn only_names_of_probe_files_are_pulled() {
        for (name, expected) in [
            ("wattle-123-1700000000000.probes", true),
            ("wattle-1-2.probes", true),
            ("wattle-1.probes", false),
            ("wattle-../../x-2.probes", false),
            ("wattle-1-2.probes.bak", false),
            ("notes.txt", false),
            ("wattle--.probes", false),
        ] {
            assert_eq!(is_probe_file(name), expected, "{name}");
        }
    }
}
