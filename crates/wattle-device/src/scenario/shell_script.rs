//! A script on the device.

use std::fs::File;
use std::path::PathBuf;

use wattle_recording::Outcome;

use crate::device_folder::DEVICE_FOLDER;
use crate::scenario::{ScenarioEnd, ScenarioRun};
use crate::shell::follow;
use crate::{DeviceError, quote};

/// A script of this machine that the device's shell runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShellScript {
    /// The script's file on this machine.
    pub file: PathBuf,
    /// Its arguments.
    pub arguments: Vec<String>,
}

impl ShellScript {
    pub(super) fn described(&self) -> String {
        let mut text = format!("sh {}", self.file.display());
        for argument in &self.arguments {
            text.push(' ');
            text.push_str(&quote(argument));
        }
        text
    }

    pub(super) fn run(&self, run: &mut ScenarioRun<'_>) -> ScenarioEnd {
        match self.follow(run) {
            Ok(None | Some(0)) => ScenarioEnd::from_outcome(Outcome::Passed),
            Ok(Some(status)) => {
                let what = format!("{} ended with status {status}", self.described());
                ScenarioEnd::because(Outcome::Failed, what)
            }
            Err(error) => ScenarioEnd::broken(error),
        }
    }

    fn follow(&self, run: &mut ScenarioRun<'_>) -> Result<Option<u8>, DeviceError> {
        let on_device = format!("{DEVICE_FOLDER}/scenario.sh");
        let mut file = File::open(&self.file)
            .map_err(|source| DeviceError::File { path: self.file.clone(), source })?;
        run.device.push(&mut file, &on_device, 0o755)?;
        let mut command = format!("sh {on_device}");
        for argument in &self.arguments {
            command.push(' ');
            command.push_str(&quote(argument));
        }
        let output = &mut *run.output;
        follow(run.device, &command, run.limit, &mut |piece, _| output.add(piece))
    }
}
