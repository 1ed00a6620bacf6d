//! One run of a scenario.

use std::path::Path;
use std::time::Duration;

use wattle_recording::{Outcome, StartFacts, TestFacts};

use crate::scenario::OutputFile;
use crate::{Cancel, Device, DeviceError, Progress};

/// The context of a running scenario.
pub struct ScenarioRun<'a> {
    /// The device.
    pub device: &'a dyn Device,
    /// Whether to stop.
    pub cancel: &'a Cancel,
    /// The file for its output.
    pub output: &'a mut OutputFile,
    /// The folder of the recording.
    pub folder: &'a Path,
    /// Its time limit.
    pub limit: Duration,
    /// The observer of its progress.
    pub progress: &'a dyn Progress,
}

/// The end of a scenario.
#[derive(Debug)]
pub struct ScenarioEnd {
    /// In one word.
    pub outcome: Outcome,
    /// An explanation of the outcome.
    pub message: Option<String>,
    /// The tests that it consisted of, in order.
    pub tests: Vec<TestFacts>,
    /// The start of the app, where it was one.
    pub start: Option<StartFacts>,
    /// The error that broke it off before its own check.
    pub error: Option<DeviceError>,
}

impl ScenarioEnd {
    /// One with nothing to be said.
    pub const fn from_outcome(outcome: Outcome) -> Self {
        Self { outcome, message: None, tests: Vec::new(), start: None, error: None }
    }

    /// One with something to be said.
    pub fn because(outcome: Outcome, message: impl Into<String>) -> Self {
        Self { message: Some(message.into()), ..Self::from_outcome(outcome) }
    }

    /// One that something broke off.
    pub fn broken(error: DeviceError) -> Self {
        // A scenario that hangs, or that the device refuses, has failed; one that was stopped says nothing of the app.
        let interrupted = error.is_away() || matches!(error, DeviceError::Cancelled);
        let outcome = if interrupted { Outcome::Interrupted } else { Outcome::Failed };
        Self { error: Some(error), ..Self::from_outcome(outcome) }.with_reason()
    }

    fn with_reason(mut self) -> Self {
        self.message = self.error.as_ref().map(ToString::to_string);
        self
    }
}
