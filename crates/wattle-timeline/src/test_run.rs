//! Tests that ran while it was recorded.

use wattle_units::Nanos;

use crate::{NameId, Window};

/// Outcome of a test.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename_all = "lowercase"))]
pub enum TestOutcome {
    /// All of its checks held.
    Passed,
    /// One of its own checks failed.
    Failed,
    /// Its process died before it ended.
    Crashed,
    /// It was not run.
    Skipped,
    /// It was not run because its code cannot be executed where the recording was made.
    #[cfg_attr(feature = "schema", schemars(rename = "not executed"))]
    NotExecuted,
    /// It was interrupted.
    Interrupted,
    /// The recording does not say.
    Unknown,
}

/// One run of one test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TestRun {
    /// `com.example.FooTest#bar`.
    pub name: NameId,
    /// Which repetition, from 0.
    pub iteration: u32,
    /// From its beginning to its end.
    pub window: Window,
    /// Largest error of beginning and end: 0 where the device itself wrote them down.
    pub uncertainty: Nanos,
    /// Its outcome.
    pub outcome: TestOutcome,
}
