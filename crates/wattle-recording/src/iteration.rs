//! Scenario of a recording, and the outcome of its runs.

use serde::{Deserialize, Serialize};

use crate::{ConditionFacts, StartFacts};

/// Scenario that was requested.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct ScenarioFacts {
    /// `instrument`, `monkey`, `shell`, `host`, `manual`, `launch`, `nothing`.
    pub kind: String,
    /// As a person would say it (`am instrument … -e class com.example.FooTest`).
    pub command: String,
    /// The seed, for those that have one.
    pub seed: Option<u64>,
    /// The order of several builds (`mirrored`, `random, seed 7`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub order: Option<String>,
}

/// Outcome of a run or a test.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    /// As it should.
    Passed,
    /// It ran, and its own check says no.
    Failed,
    /// It died in the middle.
    Crashed,
    /// It was not run (`@Ignore`, a failed assumption).
    Skipped,
    /// It was interrupted, by a person or because the device went away.
    Interrupted,
}

/// One run of the scenario.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Iteration {
    /// Its number, from 0.
    pub number: u32,
    /// The build that ran (`label` of its [`crate::AppFacts`]).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub app: Option<String>,
    /// The host's wall clock at its beginning, Unix nanoseconds.
    pub start_host_ns: i64,
    /// The same at its end.
    pub end_host_ns: i64,
    /// The device's boot time when the scenario began, nanoseconds: set-up is before it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start_boot_ns: Option<i64>,
    /// The same when it had ended: tear-down is after it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub end_boot_ns: Option<i64>,
    /// Whether the run only warms up: it is recorded, and left out of means and comparisons.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub warm_up: bool,
    /// The device right before the run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub conditions: Option<ConditionFacts>,
    /// Outcome of the run.
    pub outcome: Outcome,
    /// Message about the outcome.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// The tests that it consisted of.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tests: Vec<TestFacts>,
    /// The start of the app, where the scenario is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start: Option<StartFacts>,
}

impl Iteration {
    /// Whether it is part of means and comparisons: no warm-up, and it passed.
    pub fn counts(&self) -> bool {
        !self.warm_up && self.outcome == Outcome::Passed
    }
}

/// One test.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TestFacts {
    /// Its class.
    pub class: String,
    /// Its method.
    pub method: String,
    /// When the host heard that it began, Unix nanoseconds.
    pub start_host_ns: i64,
    /// When the host heard that it ended.
    pub end_host_ns: i64,
    /// Outcome of the test.
    pub outcome: Outcome,
    /// Stack trace of a failure.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
}

impl TestFacts {
    /// Whether it was skipped because nothing here can run its code: its message says so. A simulated phone without an Android
    /// runtime reports its tests in this way.
    pub fn is_not_executed(&self) -> bool {
        let message = self.message.as_deref().unwrap_or_default();
        self.outcome == Outcome::Skipped && message.starts_with("not executed")
    }
}
