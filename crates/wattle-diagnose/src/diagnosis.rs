//! The result.

use serde::Deserialize;
use wattle_power::ModelFacts;
use wattle_timeline::{DeviceFacts, Note, Window};
use wattle_units::BootNanos;

use crate::{
    AcceptedFinding, DiskRow, Finding, IdleIntervals, Region, RegionOptions, RuleCoverage,
    StackGroup, StackOptions, Subject, ThreadUse, UseChart,
};

/// The name and version of the form as JSON.
pub const SCHEMA: &str = "wattle-diagnosis/1";

/// The needless energy use in a recording.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct Diagnosis {
    /// [`SCHEMA`].
    pub schema: String,
    /// The files that the recording is of.
    pub artifacts: Vec<String>,
    /// The device that made it.
    pub device: DeviceFacts,
    /// When the recording begins: times since its start count from here. All times are of one clock.
    pub origin: BootNanos,
    /// The stretch of time that was looked at.
    pub window: Window,
    /// The model behind energies; `None` when there is none.
    pub model: Option<ModelFacts>,
    /// When the app should have done nothing.
    pub idle: IdleIntervals,
    /// Options with which regions were found.
    pub region_options: RegionOptions,
    /// Options with which stacks were compared.
    pub stack_options: StackOptions,
    /// Processes that were looked at, the one with most CPU time first.
    pub subjects: Vec<Subject>,
    /// Their threads, the one with most CPU time first.
    pub threads: Vec<ThreadUse>,
    /// Regions, highest CPU use first.
    pub regions: Vec<Region>,
    /// The same by common stack, highest mean CPU use first.
    pub groups: Vec<StackGroup>,
    /// Disk operations of those threads, in order of time.
    pub disk: Vec<DiskRow>,
    /// The number of rules that could look.
    #[serde(default)]
    pub rules: RuleCoverage,
    /// Findings, the gravest first, then by energy at stake.
    pub findings: Vec<Finding>,
    /// Findings that somebody accepts, see [`Diagnosis::accept`]: shown, and not counted.
    #[serde(default)]
    pub accepted: Vec<AcceptedFinding>,
    /// CPU use over time.
    pub chart: UseChart,
    /// Notes on data that was lost, guessed or could not be looked for: a rule without its data says so here.
    pub notes: Vec<Note>,
}
