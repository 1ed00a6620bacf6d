//! A rule with what was found.

use wattle_compare::Change;

use crate::judged_run::Energy;
use crate::{CheckRule, CheckVerdict, HistoryJudgement, ScatterCause};

/// The figure of a rule over the runs that were checked.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Measured {
    /// Mean and 90 % interval: of the model, and of the scatter between runs where there are several.
    pub energy: Energy,
    /// Number of runs that have it.
    pub runs: usize,
}

/// A rule with what was found.
#[derive(Clone, Debug, PartialEq)]
pub struct CheckRow {
    /// The rule.
    pub rule: CheckRule,
    /// The scenario of the runs that were judged by it; `None` where it is unknown.
    pub scenario: Option<String>,
    /// The figure of the runs that were checked; `None` where no run has it.
    pub measured: Option<Measured>,
    /// The figure of the baseline; `None` if the rule does not compare, or no baseline exists.
    pub baseline: Option<Measured>,
    /// The growth over the baseline, with its p-value corrected for the number of rules.
    pub change: Option<Change>,
    /// The judgement by the commits before; `None` where there are too few of them, or none are asked.
    pub history: Option<HistoryJudgement>,
    /// Joules above the present level, of a commit that is so far above it that no further run is needed.
    pub beyond: Option<f64>,
    /// The verdict: the gravest of the rule's limits.
    pub verdict: CheckVerdict,
    /// The cause of the scatter, where the verdict is [`CheckVerdict::Flaky`] and one is seen.
    pub cause: Option<ScatterCause>,
    /// The reason of the verdict in a few words, for a first line: `app +5.1 % (at most 3 % more)`.
    pub gist: String,
    /// The verdict in one sentence, with all its figures.
    pub text: String,
}

impl CheckRow {
    /// The name of what was judged: `feed: app`, or `app` where the scenario is unknown.
    pub fn title(&self) -> String {
        let subject = &self.rule.subject;
        self.scenario.as_ref().map_or_else(|| subject.to_string(), |it| format!("{it}: {subject}"))
    }

    /// The growth as a part of the baseline.
    pub fn share(&self) -> Option<f64> {
        let before = self.baseline?.energy.joules;
        (before > 0.0).then_some(self.change?.joules.value() / before)
    }
}
