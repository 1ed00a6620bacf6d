//! Instrumented tests.

use std::time::Duration;

use wattle_recording::Outcome;

use crate::host_clock::unix_nanos;
use crate::scenario::{
    InstrumentOutput, RunEnd, ScenarioEnd, ScenarioRun, TestFilter, TestName, TestPackage,
};
use crate::shell::follow;
use crate::{Device, DeviceError, quote};

/// Tests that run on the device, inside of the app's process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InstrumentScenario {
    /// The tests.
    pub tests: TestPackage,
    /// The tests to run.
    pub filter: TestFilter,
    /// More arguments of the runner (`-e name value`), in order.
    pub arguments: Vec<(String, String)>,
}

impl InstrumentScenario {
    /// All tests of a package.
    pub const fn all(tests: TestPackage) -> Self {
        Self { tests, filter: TestFilter::ALL, arguments: Vec::new() }
    }

    /// The command for the device's shell.
    pub fn command(&self) -> String {
        self.command_with(&[])
    }

    fn command_with(&self, more: &[(&str, &str)]) -> String {
        let class = self.filter.argument();
        let mut command = "am instrument -w -r".to_owned();
        let own = self.arguments.iter().map(|(name, value)| (name.as_str(), value.as_str()));
        let class = class.as_deref().map(|names| ("class", names));
        for (name, value) in class.into_iter().chain(own).chain(more.iter().copied()) {
            command.extend([" -e ", &quote(name), " ", &quote(value)]);
        }
        command.push(' ');
        command.push_str(&quote(&self.tests.component()));
        command
    }

    /// The tests there are, by running all of them without doing anything (`-e log true`, which AOSP's and androidx's
    /// runners know).
    ///
    /// # Errors
    /// If the runner cannot be run; what the device does.
    pub fn list(&self, device: &dyn Device, limit: Duration) -> Result<Vec<TestName>, DeviceError> {
        let all = Self { filter: TestFilter::ALL, ..self.clone() };
        let command = all.command_with(&[("log", "true")]);
        let mut parser = InstrumentOutput::new();
        follow(device, &command, limit, &mut |piece, is_error| {
            if !is_error {
                parser.push(piece, 0, &mut |_| {});
            }
            Ok(())
        })?;
        let end = parser.finish(0);
        if end.tests.is_empty() {
            let (_, why) = end.verdict();
            return Err(DeviceError::Unexpected {
                what: format!("listing the tests of {}", self.tests.package),
                expected: "the names of tests".to_owned(),
                found: why.unwrap_or_default(),
            });
        }
        let name =
            |test: wattle_recording::TestFacts| TestName { class: test.class, method: test.method };
        let mut names: Vec<TestName> = end.tests.into_iter().map(name).collect();
        names.dedup();
        Ok(names)
    }

    /// The same with full names of tests, asking the device for them where the filter needs it.
    ///
    /// # Errors
    /// As [`Self::list`]; [`DeviceError::Plan`] if nothing is called so.
    pub fn resolve(&self, device: &dyn Device, limit: Duration) -> Result<Self, DeviceError> {
        if !self.filter.needs_names() {
            return Ok(self.clone());
        }
        let filter = self.filter.resolve(&self.list(device, limit)?)?;
        Ok(Self { filter, ..self.clone() })
    }

    pub(super) fn run(&self, run: &mut ScenarioRun<'_>) -> ScenarioEnd {
        let mut parser = InstrumentOutput::new();
        let mut errors = InstrumentOutput::new();
        let (output, progress) = (&mut *run.output, run.progress);
        let followed = follow(run.device, &self.command(), run.limit, &mut |piece, is_error| {
            output.add(piece)?;
            // Both outputs have lines of the format; each is cut at other places.
            let of = if is_error { &mut errors } else { &mut parser };
            of.push(piece, unix_nanos(), &mut |test| progress.test(test));
            Ok(())
        });
        let now = unix_nanos();
        let mut end = parser.finish(now);
        end.add_complaints_of(errors.finish(now));
        judge(end, followed)
    }
}

fn judge(end: RunEnd, followed: Result<Option<u8>, DeviceError>) -> ScenarioEnd {
    let (mut outcome, mut message) = end.verdict();
    let dropped = end.dropped_bytes + end.dropped_tests;
    let mut error = None;
    match followed {
        Ok(None | Some(0)) => {}
        Ok(Some(status)) if outcome == Outcome::Passed => {
            outcome = Outcome::Failed;
            message = Some(format!("am instrument ended with status {status}"));
        }
        Ok(Some(_)) => {}
        Err(broken) => {
            let end = ScenarioEnd::broken(broken);
            // A crash that was reported before the line went dead is what there is to say.
            if outcome != Outcome::Crashed {
                outcome = end.outcome;
                message = end.message;
            }
            error = end.error;
        }
    }
    if dropped > 0 {
        let loss = format!(
            "{} bytes of output and {} tests were too much to be kept",
            end.dropped_bytes, end.dropped_tests
        );
        message = Some(message.map_or_else(|| loss.clone(), |said| format!("{said}; {loss}")));
    }
    ScenarioEnd { outcome, message, tests: end.tests, start: None, error }
}
