//! The files of a recording.

use serde::{Deserialize, Serialize};

/// Content of a file, in the format's own name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum ArtifactKind {
    /// A Perfetto trace.
    Perfetto,
    /// The kernel's trace as text: ftrace, atrace (packed or not), systrace, `trace-cmd report`.
    Ftrace,
    /// The kernel's ring buffers as trace-cmd writes them (`trace.dat`).
    TraceDat,
    /// Text of `logcat`, in any of its formats.
    Logcat,
    /// The binary records of probes (`wattle-<pid>-<ms>.probes`).
    Probes,
    /// The probe map of the app's package.
    ProbeMap,
    /// `dumpsys batterystats`, for people.
    BatterystatsText,
    /// `dumpsys batterystats --checkin` or `-c`.
    BatterystatsCheckin,
    /// `dumpsys batterystats --proto` (`BatteryStatsServiceDumpProto`).
    BatterystatsProto,
    /// Counters read at a period (`docs/counters-format.md`).
    Counters,
    /// `power_profile.xml` of the device, as text.
    PowerProfile,
    /// A method trace of the runtime (`am profile`).
    ArtTrace,
    /// simpleperf's `perf.data`.
    PerfData,
    /// An event trace log of Windows.
    Etl,
    /// Samples of a power meter.
    Meter,
    /// Output of the scenario: what `am instrument`, `monkey` or a script printed.
    ScenarioOutput,
    /// Anything else, kept for people.
    #[serde(other)]
    Other,
}

/// One file of a recording.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Artifact {
    /// Its name in the folder, with `/` between folders.
    pub file: String,
    /// Content of the file (`perfetto`, `logcat`, …); `None` where nobody stated it, and the content decides. Unknown names are accepted.
    #[cfg_attr(feature = "schema", schemars(with = "Option<String>"))]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<ArtifactKind>,
    /// Its size in bytes when it was written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bytes: Option<u64>,
    /// The recording broke off while this was written: it may end in the middle.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub partial: bool,
    /// Of which iteration, where the recording has several.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub iteration: Option<u32>,
}
