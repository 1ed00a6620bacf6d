//! Choosing runs.

use crate::{KeptRun, RunId};

/// Conditions on runs, all of which must hold. Absent ones hold for every run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RunFilter {
    /// The app's package name; empty for runs without an app.
    pub app: Option<String>,
    /// A part of the device's name or the whole of its key, in any case.
    pub device: Option<String>,
    /// The branch.
    pub branch: Option<String>,
    /// A part of the scenario, in any case.
    pub scenario: Option<String>,
    /// The series.
    pub series: Option<String>,
    /// These runs alone.
    pub runs: Option<Vec<RunId>>,
    /// The latest so many.
    pub last: Option<usize>,
}

impl RunFilter {
    /// The runs of an app.
    pub fn of_app(package: &str) -> Self {
        Self { app: Some(package.to_owned()), ..Self::default() }
    }

    /// Whether a run meets the conditions on single runs.
    pub(crate) fn accepts(&self, run: &KeptRun) -> bool {
        let facts = &run.facts;
        let lower = str::to_lowercase;
        let has_part = |text: &Option<String>, part: &String| {
            text.as_ref().is_some_and(|text| lower(text).contains(&lower(part)))
        };
        let is_device = |wanted: &String| {
            has_part(&facts.device.title, wanted)
                || facts.device.key.as_ref().is_some_and(|key| lower(key) == lower(wanted))
        };
        self.device.as_ref().is_none_or(is_device)
            && self.branch.as_ref().is_none_or(|it| facts.code.branch.as_ref() == Some(it))
            && self.series.as_ref().is_none_or(|it| facts.labels.series.as_ref() == Some(it))
            && self.scenario.as_ref().is_none_or(|it| has_part(&facts.circumstances.scenario, it))
            && self.runs.as_ref().is_none_or(|runs| runs.contains(&run.id))
    }
}
