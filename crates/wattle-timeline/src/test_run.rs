//! Tests that ran while it was recorded.

use wattle_units::Nanos;

use crate::{NameId, Window};

/// Outcome of a test.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TestOutcome {
    /// As it should.
    Passed,
    /// Its own check says no.
    Failed,
    /// It died in the middle.
    Crashed,
    /// It was not run.
    Skipped,
    /// It was interrupted.
    Interrupted,
    /// Nothing says it.
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
