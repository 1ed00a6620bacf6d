//! The rows of a report. Field names are the keys of the JSON form.

use serde::Serialize;
use wattle_power::{DrainedBy, ModelFacts};
use wattle_timeline::{Quality, Severity};
use wattle_units::Nanos;

use super::Figure;
use super::figure::{named, seconds};
use crate::HumanFigure;

/// One component.
#[derive(Clone, Debug, Serialize)]
pub struct ComponentRow {
    /// Its name (`cpu`).
    pub name: String,
    /// What it drew.
    #[serde(flatten)]
    pub energy: Figure,
    /// Its part of the whole.
    pub share: Option<f64>,
}

/// One account class and charge.
#[derive(Clone, Debug, Serialize)]
pub struct AccountRow {
    /// The class (`threads`, `idle floor` …).
    pub name: String,
    /// What for (`core`, `shared` …).
    pub charge: String,
    /// What it pays.
    #[serde(flatten)]
    pub energy: Figure,
    /// Its part of the whole.
    pub share: Option<f64>,
}

/// One interrupt handler.
#[derive(Clone, Debug, Serialize)]
pub struct InterruptRow {
    /// The handler.
    pub name: String,
    /// What it pays.
    #[serde(flatten)]
    pub energy: Figure,
}

/// Energy of an app of which only the uid is known.
#[derive(Clone, Debug, Serialize)]
pub struct AppUidRow {
    /// The uid.
    pub uid: u32,
    /// Its packages.
    pub packages: Vec<String>,
    /// What it pays.
    #[serde(flatten)]
    pub energy: Figure,
}

/// One CPU.
#[derive(Clone, Debug, Serialize)]
pub struct CpuRow {
    /// The kernel's number.
    pub cpu: u32,
    /// The core's own energy, idle included, without what cores share.
    #[serde(flatten, serialize_with = "named::core")]
    pub core: Figure,
    /// Time it ran a task.
    #[serde(rename = "busy_s", serialize_with = "seconds::maybe")]
    pub busy: Option<Nanos>,
}

/// One process.
#[derive(Clone, Debug, Serialize)]
pub struct ProcessRow {
    /// The kernel's number; `None` for threads whose process is not known.
    pub pid: Option<u32>,
    /// Its name.
    pub name: String,
    /// Its package.
    pub package: Option<String>,
    /// Its uid.
    pub uid: Option<u32>,
    /// What its threads pay.
    #[serde(flatten)]
    pub energy: Figure,
    /// Its part of the whole.
    pub share: Option<f64>,
    /// Mean power over the window.
    pub mean_mw: Option<f64>,
    /// On-CPU time of its threads.
    #[serde(rename = "cpu_s", serialize_with = "seconds::maybe")]
    pub cpu: Option<Nanos>,
    /// Whether it belongs to an app that was asked for.
    pub in_app: bool,
    /// Its threads, most energy first.
    pub threads: Vec<ThreadRow>,
}

/// One thread.
#[derive(Clone, Debug, Serialize)]
pub struct ThreadRow {
    /// The kernel's number.
    pub tid: u32,
    /// Its name.
    pub name: String,
    /// What it pays.
    #[serde(flatten)]
    pub energy: Figure,
    /// Core energy, before the split of shared power and without wake transitions.
    #[serde(flatten, serialize_with = "named::cpu_core")]
    pub cpu_core: Figure,
    /// Its part of the CPU's shared power.
    #[serde(flatten, serialize_with = "named::cpu_shared")]
    pub cpu_shared: Figure,
    /// Wake transitions it caused.
    #[serde(flatten, serialize_with = "named::wake_transition")]
    pub wake_transition: Figure,
    /// Mean power over the window.
    pub mean_mw: Option<f64>,
    /// On-CPU time, interrupts taken out.
    #[serde(rename = "cpu_s", serialize_with = "seconds::maybe")]
    pub cpu: Option<Nanos>,
}

/// All call slices of one name on one thread.
#[derive(Clone, Debug, Serialize)]
pub struct SliceRow {
    /// Its name.
    pub name: String,
    /// The thread's name.
    pub thread: String,
    /// The thread's number.
    pub tid: u32,
    /// The process's name.
    pub process: String,
    /// The process's number.
    pub pid: Option<u32>,
    /// Energy while it was innermost.
    #[serde(flatten, serialize_with = "named::own")]
    pub own: Figure,
    /// Energy while it was open, callees included; a slice that calls itself counts once.
    #[serde(flatten, serialize_with = "named::total")]
    pub total: Figure,
    /// How often it was entered; 0 where only samples tell of it.
    pub calls: u64,
    /// How many samples found it on the stack; `None` where its calls were recorded from entry to exit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub samples: Option<u64>,
    /// On-CPU time while it was innermost.
    #[serde(rename = "self_cpu_s", serialize_with = "seconds::maybe")]
    pub own_cpu: Option<Nanos>,
    /// On-CPU time while it was open.
    #[serde(rename = "cpu_s", serialize_with = "seconds::maybe")]
    pub cpu: Option<Nanos>,
    /// Wall time while it was open.
    #[serde(rename = "wall_s", serialize_with = "seconds::of")]
    pub wall: Nanos,
    /// Total energy by wall time.
    pub mean_mw: Option<f64>,
    /// What of it other components than the CPU drew, in the order of the ledger's components.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub components: Vec<SliceComponent>,
    /// Whether its process belongs to an app that was asked for.
    #[serde(skip)]
    pub(crate) in_app: bool,
}

/// What one component drew for the slices of one name on one thread.
#[derive(Clone, Debug, Serialize)]
pub struct SliceComponent {
    /// The component.
    pub name: String,
    /// For the slices themselves.
    #[serde(flatten, serialize_with = "named::own")]
    pub own: Figure,
    /// For them and all that they called; a slice that calls itself counts once.
    #[serde(flatten, serialize_with = "named::total")]
    pub total: Figure,
}

/// One rail.
#[derive(Clone, Debug, Serialize)]
pub struct RailRow {
    /// The monitor's own name.
    pub name: String,
    /// A readable name.
    pub label: Option<String>,
    /// What it supplies.
    pub component: String,
    /// What it counted.
    #[serde(flatten)]
    pub energy: Figure,
    /// What the model says of the same stretch of time.
    #[serde(flatten, serialize_with = "named::modelled")]
    pub modelled: Figure,
    /// `(modelled − measured) / measured`.
    pub disagreement: Option<f64>,
    /// From first to last sample, seconds.
    pub covered_s: f64,
    /// Samples.
    pub samples: u64,
    /// Wraps, resets and bad samples mended.
    pub mended: u64,
    /// Whether its energy is part of the total.
    pub booked: bool,
}

/// Another model's word.
#[derive(Clone, Debug, Serialize)]
pub struct SpreadRow {
    /// The model.
    pub model: ModelFacts,
    /// The CPU's energy over the whole window under it.
    #[serde(flatten)]
    pub cpu: Figure,
}

/// The battery, or a power meter in its place.
#[derive(Clone, Debug, Serialize)]
pub struct BatteryReport {
    /// Whose word it is.
    pub by: DrainedBy,
    /// Energy drawn while it discharged; no data when it is not known to have discharged at all.
    #[serde(flatten, serialize_with = "named::drained")]
    pub drained: Figure,
    /// Energy of all top-level tracks over the same stretches.
    #[serde(flatten, serialize_with = "named::accounted")]
    pub accounted: Figure,
    /// `(accounted − drained) / drained`.
    pub disagreement: Option<f64>,
    /// How long it discharged.
    #[serde(rename = "discharging_s", serialize_with = "seconds::of")]
    pub discharging: Nanos,
    /// How long it was polled.
    #[serde(rename = "covered_s", serialize_with = "seconds::of")]
    pub covered: Nanos,
    /// Sign and unit of the current, or which meter it was, in words.
    pub reading: String,
}

/// The apps that were asked for.
#[derive(Clone, Debug, Serialize)]
pub struct AppReport {
    /// The packages asked for.
    pub packages: Vec<String>,
    /// Those of which the recording knows nothing.
    pub missing: Vec<String>,
    /// Names in the recording that may have been meant by those.
    pub similar: Vec<String>,
    /// The uids they are.
    pub uids: Vec<u32>,
    /// What they pay.
    #[serde(flatten)]
    pub energy: Figure,
    /// The same in human units; `None` without a figure.
    pub human: Option<HumanFigure>,
    /// Their part of the whole.
    pub share: Option<f64>,
    /// Mean power over the window.
    pub mean_mw: Option<f64>,
    /// On-CPU time of their threads.
    #[serde(rename = "cpu_s", serialize_with = "seconds::maybe")]
    pub cpu: Option<Nanos>,
    /// By component; the share is of the app's energy.
    pub components: Vec<ComponentRow>,
    /// Their processes, most energy first.
    pub processes: Vec<AppProcessRow>,
    /// What all other processes and apps pay.
    #[serde(flatten, serialize_with = "named::other_processes")]
    pub other_processes: Figure,
}

/// One process of an app.
#[derive(Clone, Debug, Serialize)]
pub struct AppProcessRow {
    /// The kernel's number.
    pub pid: Option<u32>,
    /// Its name.
    pub name: String,
    /// What its threads pay.
    #[serde(flatten)]
    pub energy: Figure,
}

/// What was lost, guessed or not understood.
#[derive(Clone, Debug, Serialize)]
pub struct QualityReport {
    /// The gravest note.
    pub worst: Option<Severity>,
    /// Events that recorders say they lost.
    pub lost_events: u64,
    /// Entries of the ledger that point nowhere and were left out.
    pub dangling_entries: u64,
    /// By artifact, and what later stages have to say.
    #[serde(flatten)]
    pub quality: Quality,
}
