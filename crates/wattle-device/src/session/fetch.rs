//! Fetching what an earlier session had to leave on the device.

use std::time::Duration;

use crate::DeviceError;
use crate::device_folder::KEPT_LIST;
use crate::quote;
use crate::session::books::Books;
use crate::session::recording_folder::RecordingFolder;
use crate::session::session_state::Work;
use crate::shell::{pull_into_file, run};

const PULL: Duration = Duration::from_hours(1);
const SHORT: Duration = Duration::from_secs(20);

impl Work<'_> {
    /// Fetches the files of runs that are complete but for them.
    pub(super) fn fetch(&mut self) -> Result<(), DeviceError> {
        for (number, mut folder) in std::mem::take(&mut self.to_fetch) {
            self.enter("pull", Some(number));
            let fetched = self.fetch_into(&mut folder);
            // What is here now is not fetched twice.
            folder.save()?;
            self.books.replace(number, folder)?;
            fetched?;
        }
        Ok(())
    }

    fn fetch_into(&self, folder: &mut RecordingFolder) -> Result<(), DeviceError> {
        while let Some(file) = folder.recording.on_device.first().cloned() {
            let path = folder.path.join(&file.file);
            let download = pull_into_file(self.device, &file.path, &path, PULL)?;
            if let Some(error) = download.broke_off {
                return Err(error);
            }
            folder.add(&file.file, file.kind, file.partial);
            let source = folder.recording.sources.iter_mut().find(|source| {
                file.file.starts_with(&source.name) || file.file.contains(&source.name)
            });
            if let Some(source) = source {
                source.recorded = true;
                source.reason = None;
            }
            folder.recording.on_device.remove(0);
            folder.save()?;
            let (name, list) = (quote(&file.path), KEPT_LIST);
            let command = format!(
                "rm -f {name}; grep -v -x -F -e {name} {list} >{list}.new; mv {list}.new {list}; [ -s {list} ] || rm -f {list}"
            );
            run(self.device, &command, SHORT)?;
        }
        folder.recording.interrupted = None;
        folder.recording.notes.retain(|note| !note.contains("until --resume fetches it"));
        Ok(())
    }
}

impl Books {
    /// Takes a run that is complete now.
    fn replace(&mut self, number: u32, folder: RecordingFolder) -> Result<(), DeviceError> {
        if self.is_series() {
            self.take_over(number, &folder.recording);
        } else {
            *self.root() = folder;
        }
        self.save()
    }
}
