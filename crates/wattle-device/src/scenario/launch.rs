//! Starting an app and leaving it alone.

use std::time::Duration;

use wattle_recording::{Outcome, StartFacts};

use crate::scenario::launcher_activity::{known_activities, launcher_activity};
use crate::scenario::start_report::StartReport;
use crate::scenario::{ScenarioEnd, ScenarioRun, StartMode};
use crate::shell::{run as run_command, shorten};
use crate::{Cancel, Device, DeviceError, quote};

/// Time limit for an activity to be drawn.
const START: Duration = Duration::from_mins(1);
/// Pause after each step of making an app ready: what it begins in the background goes on for a moment.
const SETTLE: Duration = Duration::from_secs(1);
/// Brings the launcher to the front.
const HOME: &str = "input keyevent KEYCODE_HOME";

/// An activity is started, and the recording goes on for a time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Launch {
    /// The app.
    pub package: String,
    /// The activity's class (`.MainActivity`); `None`: the one that the launcher would start.
    pub activity: Option<String>,
    /// The state from which it is started.
    pub mode: StartMode,
    /// The duration from its start.
    pub length: Duration,
}

impl Launch {
    /// The activity that is started: the named one, or the launcher's.
    fn activity_on(&self, device: &dyn Device) -> Result<String, DeviceError> {
        match &self.activity {
            Some(activity) => Ok(activity.clone()),
            None => launcher_activity(device, &self.package),
        }
    }

    /// The command that starts the activity and waits until it is drawn.
    fn command(&self, activity: &str, mode: StartMode) -> String {
        let component = quote(&format!("{}/{activity}", self.package));
        match mode {
            StartMode::Warm => format!("am start -W --activity-clear-task -n {component}"),
            StartMode::Cold | StartMode::Hot => format!("am start -W -n {component}"),
        }
    }

    /// The scenario in words: a name for people, by which runs are told apart.
    pub(super) fn described(&self) -> String {
        let length = self.length.as_secs_f64();
        match &self.activity {
            Some(activity) => format!("{} start of {activity}, {length} s", self.mode),
            None => format!("{} start, {length} s", self.mode),
        }
    }

    /// Finds the activity, and brings the app into the state from which it is to be started. Its process of an earlier run has been
    /// ended.
    pub(super) fn ready(&self, device: &dyn Device, cancel: &Cancel) -> Result<Self, DeviceError> {
        let ready = Self { activity: Some(self.activity_on(device)?), ..self.clone() };
        if ready.mode != StartMode::Cold {
            ready.start(device, StartMode::Cold, &mut |_| Ok(()))?;
            cancel.sleep(SETTLE)?;
            run_command(device, HOME, START)?;
            cancel.sleep(SETTLE)?;
        }
        Ok(ready)
    }

    pub(super) fn run(&self, run: &mut ScenarioRun<'_>) -> ScenarioEnd {
        let found = self.activity.is_none().then(|| self.ready(run.device, run.cancel));
        let ready = match found.transpose() {
            Ok(found) => found.unwrap_or_else(|| self.clone()),
            Err(error) => return ScenarioEnd::broken(error),
        };
        let output = &mut *run.output;
        let started = ready.start(run.device, self.mode, &mut |bytes| output.add(bytes));
        let report = match started {
            Ok(report) => report,
            Err(error) => return ScenarioEnd::broken(error),
        };
        let start = Some(StartFacts {
            mode: self.mode.name().to_owned(),
            found: report.state.map(|state| state.name().to_owned()),
            seconds: report.total.map(|total| total.as_secs_f64()),
        });
        let other = report.state.filter(|state| *state != self.mode);
        let end = match (other, self.mode) {
            (None, _) => ScenarioEnd::from_outcome(Outcome::Passed),
            (Some(state), StartMode::Cold) => {
                let text = format!(
                    "the phone calls this a {state} start: something had started the app again after it was ended"
                );
                ScenarioEnd::because(Outcome::Passed, text)
            }
            (Some(state), mode) => {
                let why = match state {
                    StartMode::Cold => "the phone had ended its process in the background",
                    StartMode::Warm => "its activity had been destroyed in the background",
                    StartMode::Hot => "its activity was still there",
                };
                let text = format!("asked for a {mode} start, found a {state} one: {why}");
                let end = ScenarioEnd::because(Outcome::Failed, text);
                return ScenarioEnd { start, ..end };
            }
        };
        if let Err(error) = run.cancel.sleep(self.length) {
            return ScenarioEnd { start, ..ScenarioEnd::broken(error) };
        }
        ScenarioEnd { start, ..end }
    }

    fn start(
        &self,
        device: &dyn Device,
        mode: StartMode,
        keep: &mut dyn FnMut(&[u8]) -> Result<(), DeviceError>,
    ) -> Result<StartReport, DeviceError> {
        let command = self.command(&self.activity_on(device)?, mode);
        // From Android 10 on, a refusal has a status of its own; its words say more.
        let output = device.shell(&command, START)?;
        keep(&output.stdout)?;
        keep(&output.stderr)?;
        let said = [output.text(), String::from_utf8_lossy(&output.stderr)].concat();
        let report = StartReport::parse(&said);
        let Some(line) = &report.refusal else {
            if output.is_success() {
                return Ok(report);
            }
            let (status, said) = (output.status, crate::shell::text(&output));
            return Err(DeviceError::CommandFailed { command, status, said });
        };
        let known = known_activities(device, &self.package);
        let expected = match known.as_slice() {
            [] => "a started activity".to_owned(),
            known => format!("a started activity; {} has {}", self.package, known.join(", ")),
        };
        Err(DeviceError::Unexpected { what: command, expected, found: shorten(line) })
    }
}
