//! `recording.json` as a whole.

use serde::{Deserialize, Serialize};

use crate::{
    AppFacts, Artifact, ArtifactKind, ClockPair, DeviceFacts, Iteration, ProbeCostFacts,
    ScenarioFacts, SourceFacts, Stage, StepFacts,
};

/// The version of the format that this crate writes.
pub const VERSION: u32 = 1;

/// One run on one device.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct Recording {
    /// The format's version; absent (0) in files that were written by hand.
    pub wattle_recording: u32,
    /// The program that made it, with its version.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    /// The host's wall clock at the beginning, Unix nanoseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub created_host_ns: Option<i64>,
    /// The device.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub device: Option<DeviceFacts>,
    /// The app; several builds where they are compared.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub apps: Vec<AppFacts>,
    /// The series that the run belongs to, where it is one of several.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub series: Option<SeriesFacts>,
    /// Scenario that was run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scenario: Option<ScenarioFacts>,
    /// Runs of the scenario, with their outcomes.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub iterations: Vec<Iteration>,
    /// Readings of the clocks at the start.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub clocks_start: Vec<ClockPair>,
    /// Readings of the clocks at the end.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub clocks_end: Vec<ClockPair>,
    /// Changes made to the device, and whether they were undone.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub steps: Vec<StepFacts>,
    /// Sources that were recorded, and those that were not, with the reason.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub sources: Vec<SourceFacts>,
    /// Processes on the device that belong to the recorder.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub recorders: Vec<Recorder>,
    /// Measured cost of a probe.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub probe_cost: Option<ProbeCostFacts>,
    /// Duration of each part of the work.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub stages: Vec<Stage>,
    /// Notes for the reader: warnings, in order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// The recording broke off; what is here is what could be saved.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub interrupted: Option<String>,
    /// Files that are still on the device, because this machine had no room for them. Resuming the recording fetches them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub on_device: Vec<FileOnDevice>,
    /// The files.
    #[serde(deserialize_with = "crate::file::artifacts")]
    #[cfg_attr(feature = "schema", schemars(required, with = "Vec<crate::file::Listed>"))]
    pub artifacts: Vec<Artifact>,
}

/// A series of runs that one of them belongs to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SeriesFacts {
    /// The name of its folder.
    pub name: String,
    /// The host's wall clock at its beginning, Unix nanoseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub created_host_ns: Option<i64>,
}

/// A file of the recording that is still on the device.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FileOnDevice {
    /// Its name in the recording.
    pub file: String,
    /// Its path on the device.
    pub path: String,
    /// Its format.
    pub kind: ArtifactKind,
    /// Whether it may end in the middle.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub partial: bool,
}

/// A process on the device that belongs to the recorder, whatever it is called.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Recorder {
    /// Its kernel number. Its children belong to it.
    pub pid: u32,
    /// Task of the process.
    pub what: String,
}
