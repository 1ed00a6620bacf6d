//! The rows that a ledger's bookings point to.

use serde::{Deserialize, Serialize};
use wattle_power::Component;
use wattle_units::{Joules, Nanos, Provenance};

/// Index into [`crate::LedgerRows::paths`].
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(transparent)]
pub struct PathId(pub u32);

/// An artifact the recording was made of.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ArtifactEntry {
    /// Its file name, without folder.
    pub name: String,
    /// Its format.
    pub format: String,
    /// Its size in bytes.
    pub bytes: u64,
}

/// A component that has power tracks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ComponentEntry {
    /// Which.
    pub name: Component,
    /// The weakest provenance among its tracks.
    pub provenance: Provenance,
}

/// A process of which a thread has a row.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ProcessEntry {
    /// The kernel's number; `None` for threads whose process is not known.
    pub pid: Option<u32>,
    /// Its name; empty when nothing said it.
    pub name: String,
    /// The package it belongs to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub package: Option<String>,
    /// Its uid.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub uid: Option<u32>,
}

/// A package of an app that pays as a whole, because only its uid is known.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PackageEntry {
    /// Its name, `com.example.app`.
    pub name: String,
    /// Its uid.
    pub uid: u32,
}

/// A thread that paid, ran or was inside a call.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ThreadEntry {
    /// Index into [`crate::LedgerRows::processes`].
    pub process: u32,
    /// The kernel's number.
    pub tid: u32,
    /// Its name; empty when nothing said it.
    pub name: String,
    /// Time on a CPU inside the window, interrupts, suspend and probes taken out.
    pub cpu: Nanos,
}

/// A call path of one thread: a node of its call tree. Each thread that paid has a root path without
/// caller and name, for time outside any slice.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PathEntry {
    /// Index into [`crate::LedgerRows::threads`].
    pub thread: u32,
    /// The caller; `None` for a thread's root. Callers come before their callees.
    pub caller: Option<PathId>,
    /// The slice's name; empty for a root.
    pub name: String,
    /// Number of entries inside the window.
    pub calls: u64,
    /// On-CPU time while it was innermost, interrupts and probes taken out.
    pub self_cpu: Nanos,
    /// On-CPU time while it was innermost that its probes took, and those of what it called.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub probe_cpu: Nanos,
    /// Wall time from entry to exit, callees included, inside the window.
    pub wall: Nanos,
    /// The place in the app's code, an index into [`crate::LedgerRows::sites`]; `None` where it is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub site: Option<u32>,
    /// The lines of its caller from which it can have been called, ascending: one where that is certain, none where nothing is
    /// known.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub from_lines: Vec<u32>,
    /// The frame of a sampled stack, an index into [`crate::LedgerRows::frames`]; `None` for a call that was recorded from entry to exit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub frame: Option<u32>,
    /// Number of samples inside the window that found it innermost.
    #[serde(default, skip_serializing_if = "is_none")]
    pub samples: u64,
    /// Time on a CPU from entry to exit, callees included, as the thread's own clock counted it; `None` where nobody read that
    /// clock. Beside the ledger: energy follows the scheduler.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(extend("minimum" = 0)))]
    pub clock_cpu: Option<Nanos>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes fields by reference")]
fn is_zero(time: &Nanos) -> bool {
    *time == Nanos::ZERO
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes fields by reference")]
pub(crate) fn is_none(count: &u64) -> bool {
    *count == 0
}

/// A CPU.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CpuEntry {
    /// The kernel's number.
    pub cpu: u32,
    /// Energy of the core's own track, idle included, by source; empty where it has none, so that nothing is
    /// known of it.
    pub joules_by_source: Vec<(wattle_power::SourceId, Joules)>,
    /// Time it ran something that is not the idle task; `None` without a scheduler.
    pub busy: Option<Nanos>,
    /// Whether it stands for any CPU of the device, because the recording does not contain which one a thread ran on.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_virtual: bool,
}

/// Both totals of a component, and their difference.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Closure {
    /// Which component.
    pub component: Component,
    /// Sum over accounts.
    pub booked: Joules,
    /// `∫ power dt` of its tracks.
    pub integrated: Joules,
    /// Relative difference, 0 where both are below 1 nJ.
    #[cfg_attr(feature = "schema", schemars(range(min = 0.0, max = 1e-9)))]
    pub error: f64,
}
