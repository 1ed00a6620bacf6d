//! Tests that ran while it was recorded.

use wattle_units::Nanos;

use crate::{NameId, Window};

/// How a test ended.
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
    /// How far beginning and end may be off: 0 where the device itself wrote them down.
    pub uncertainty: Nanos,
    /// How it ended.
    pub outcome: TestOutcome,
}
