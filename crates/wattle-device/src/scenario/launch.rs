//! Starting an app and leaving it alone.

use std::time::Duration;

use wattle_recording::Outcome;

use crate::scenario::{ScenarioEnd, ScenarioRun};
use crate::shell::{run as run_command, shorten};
use crate::{DeviceError, quote};

/// Time limit for an activity to be drawn.
const START: Duration = Duration::from_mins(1);

/// An activity is started, and the recording goes on for a time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Launch {
    /// The app.
    pub package: String,
    /// The activity's class (`.MainActivity`); `None`: the one that the launcher would start.
    pub activity: Option<String>,
    /// The duration from its start.
    pub length: Duration,
}

impl Launch {
    fn command(&self) -> String {
        match &self.activity {
            Some(activity) => {
                format!("am start -W -n {}", quote(&format!("{}/{activity}", self.package)))
            }
            // The one command since Android 4 that finds the launcher's activity by itself.
            None => format!(
                "monkey -p {} -c android.intent.category.LAUNCHER -v 1",
                quote(&self.package)
            ),
        }
    }

    pub(super) fn described(&self) -> String {
        format!("{} and {} s", self.command(), self.length.as_secs_f64())
    }

    pub(super) fn run(&self, run: &mut ScenarioRun<'_>) -> ScenarioEnd {
        match self.start(run).and_then(|()| run.cancel.sleep(self.length)) {
            Ok(()) => ScenarioEnd::from_outcome(Outcome::Passed),
            Err(error) => ScenarioEnd::broken(error),
        }
    }

    fn start(&self, run: &mut ScenarioRun<'_>) -> Result<(), DeviceError> {
        let command = self.command();
        let output = run_command(run.device, &command, START)?;
        run.output.add(&output.stdout)?;
        run.output.add(&output.stderr)?;
        // `am start` says no in words, with status 0 before Android 10 (`Error type 3`, `Status: timeout`).
        let said = [output.text(), String::from_utf8_lossy(&output.stderr)].concat();
        // At the beginning of a line: names of activities may hold the same words.
        let bad = ["Error", "java.", "Exception", "Status: timeout", "No activities found", "** "];
        let is_bad = |line: &&str| bad.iter().any(|word| line.trim_start().starts_with(word));
        if let Some(line) = said.lines().find(is_bad) {
            return Err(DeviceError::Unexpected {
                what: command,
                expected: "a started activity".to_owned(),
                found: shorten(line),
            });
        }
        Ok(())
    }
}
