//! The rows of upper bounds.

use serde::{Deserialize, Serialize};
use wattle_power::ModelFacts;
use wattle_units::{Joules, Nanos, Provenance, Volts};

use super::UpperBound;

/// The most that calls can have cost, by call tree.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct UpperBounds {
    /// The source of the currents.
    pub model: ModelFacts,
    /// The voltage at the first call.
    pub voltage: Volts,
    /// The weakest of what the figures rest on. They are bounds as far as that is right.
    pub provenance: Provenance,
    /// By test, in the order of the recording.
    pub tests: Vec<BoundTest>,
    /// Call trees: a thread of a process in the log of a test.
    pub groups: Vec<BoundGroup>,
    /// Call paths, callers before callees.
    pub calls: Vec<BoundCall>,
}

/// A test's calls together.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct BoundTest {
    /// `Class#method`; `None` for calls outside of tests.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Calls of its own.
    pub calls: u64,
    /// Calls in its log that are left over from earlier runs.
    pub stale_calls: u64,
    /// The bound of the time in which any of its own calls ran.
    pub bound: UpperBound,
    /// The sum over its outermost calls: concurrent ones are each charged the whole machine.
    pub sum: UpperBound,
    /// The same with what is left over from earlier runs, which is what Navitas adds up.
    pub sum_with_stale: UpperBound,
    /// The figure that Navitas shows for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub legacy: Option<LegacyFigure>,
}

/// A figure of Navitas: wrong by a factor of a hundred, and more. Only where it was asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LegacyFigure {
    /// As it is shown, rounded to two digits a call; it says milliampere-hours.
    pub shown_mah: f64,
    /// By the same formula without rounding.
    pub formula_mah: f64,
}

/// A call tree.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct BoundGroup {
    /// Index into [`UpperBounds::tests`].
    pub test: u32,
    /// The kernel's number; `None` where the log does not say it.
    pub pid: Option<u32>,
    /// The kernel's number; `None` where the log does not say it.
    pub tid: Option<u32>,
    /// The sum over its outermost calls.
    pub bound: UpperBound,
    /// The figure that Navitas shows for them together.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub legacy: Option<LegacyFigure>,
}

/// A call path of a tree: all calls of one name with the same callers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct BoundCall {
    /// Index into [`UpperBounds::groups`].
    pub group: u32,
    /// Index of the caller into [`UpperBounds::calls`].
    pub caller: Option<u32>,
    /// The callee.
    pub name: String,
    /// Number of calls.
    pub calls: u64,
    /// Number of them without an end in the log.
    pub open: u64,
    /// From entry to exit.
    pub wall: Nanos,
    /// With what it called.
    pub bound: UpperBound,
    /// Without.
    pub self_bound: UpperBound,
    /// On-CPU time of the thread meanwhile; `None` where it was not counted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpu: Option<Nanos>,
    /// The bound's part of that time: an estimate, and no bound.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scaled: Option<Joules>,
    /// The figure that Navitas shows for them together.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub legacy: Option<LegacyFigure>,
}

impl LegacyFigure {
    pub(super) fn add(&mut self, other: Self) {
        self.shown_mah += other.shown_mah;
        self.formula_mah += other.formula_mah;
    }
}
