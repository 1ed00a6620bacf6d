//! Every kind of scenario.

use std::time::Duration;

use wattle_recording::{Outcome, ScenarioFacts};

use crate::scenario::{
    HostProgram, InstrumentScenario, Launch, Manual, Monkey, ScenarioEnd, ScenarioRun, ShellScript,
};
use crate::{Cancel, Device, DeviceError};

/// A scenario: what runs while a recording is made.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Scenario {
    /// Instrumented tests.
    Instrument(InstrumentScenario),
    /// Android's random exerciser.
    Monkey(Monkey),
    /// A script on the device.
    Shell(ShellScript),
    /// A program of this machine that drives the device.
    Host(HostProgram),
    /// An activity is started and left alone for a time.
    Launch(Launch),
    /// A person does something.
    Manual(Manual),
    /// The device is left alone for this time.
    Nothing(Duration),
}

impl Scenario {
    /// The scenario as `recording.json` describes it.
    pub fn facts(&self) -> ScenarioFacts {
        let (kind, command, seed) = match self {
            Self::Instrument(tests) => ("instrument", tests.command(), None),
            Self::Monkey(monkey) => ("monkey", monkey.command(), Some(monkey.seed)),
            Self::Shell(script) => ("shell", script.described(), None),
            Self::Host(program) => ("host", program.described(), None),
            Self::Launch(launch) => ("launch", launch.described(), None),
            Self::Manual(_) => {
                ("manual", "a person, until they say that it is enough".into(), None)
            }
            Self::Nothing(length) => {
                ("nothing", format!("nothing for {} s", length.as_secs_f64()), None)
            }
        };
        ScenarioFacts { kind: kind.to_owned(), command, seed, order: None }
    }

    /// Its length, where that is known before it runs.
    pub(crate) const fn length(&self) -> Option<Duration> {
        match self {
            Self::Launch(launch) => Some(launch.length),
            Self::Nothing(length) => Some(*length),
            _ => None,
        }
    }

    /// Asks the device for what is left open (names of tests, the launcher's activity), and brings the app into the state from which
    /// the scenario begins. This is set-up: recorders do not run yet.
    pub(crate) fn ready(&self, device: &dyn Device, cancel: &Cancel) -> Result<Self, DeviceError> {
        Ok(match self {
            Self::Launch(launch) => Self::Launch(launch.ready(device, cancel)?),
            other => other.clone(),
        })
    }

    /// Runs it. How it went is never an error: what was found until the device went away is worth keeping.
    pub fn run(&self, run: &mut ScenarioRun<'_>) -> ScenarioEnd {
        match self {
            Self::Instrument(tests) => tests.run(run),
            Self::Monkey(monkey) => monkey.run(run),
            Self::Shell(script) => script.run(run),
            Self::Host(program) => program.run(run),
            Self::Launch(launch) => launch.run(run),
            Self::Manual(manual) => manual.run(run),
            Self::Nothing(length) => match run.cancel.sleep(*length) {
                Ok(()) => ScenarioEnd::from_outcome(Outcome::Passed),
                Err(error) => ScenarioEnd::broken(error),
            },
        }
    }
}
