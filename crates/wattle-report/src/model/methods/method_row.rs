//! One method.

use serde::Serialize;
use wattle_ledger::CallQuantiles;
use wattle_power::ApiMatch;
use wattle_units::{Joules, Nanos};

use super::LineShare;
use crate::model::Figure;
use crate::model::figure::{named, seconds};

/// One method of the app, or all slices of one name of which no place in the code is known.
#[derive(Clone, Debug, Serialize)]
pub struct MethodRow {
    /// `com.example.Main.onCreate`; with parameters and result where a class has several methods of that name.
    pub name: String,
    /// Its class; `None` where only the name of slices is known.
    pub class: Option<String>,
    /// The class's package; empty for the default one.
    pub package: Option<String>,
    /// Its name alone.
    pub method: String,
    /// Its parameters and result, `(I)V`.
    pub descriptor: Option<String>,
    /// Its source file.
    pub file: Option<String>,
    /// Its first line.
    pub line: Option<u32>,
    /// Its own energy: its code and the calls into the framework that stand in it, without other methods of the app.
    #[serde(flatten, serialize_with = "named::own")]
    pub own: Figure,
    /// The energy with all that was called; of a method that calls itself the outermost call counts.
    #[serde(flatten, serialize_with = "named::total")]
    pub total: Figure,
    /// The total's part of the whole.
    pub share: Option<f64>,
    /// The calls into the framework that stand in it, by tables of costs. Beside the ledger.
    #[serde(flatten, serialize_with = "named::api_own")]
    pub api_own: Figure,
    /// The same with those of all that was called.
    #[serde(flatten, serialize_with = "named::api_total")]
    pub api_total: Figure,
    /// That total's part of what all calls cost.
    pub api_share: Option<f64>,
    /// Calls into the framework below it, those with a known cost and all.
    pub api_calls: CallCoverage,
    /// How often it was called; `None` where only the calls in it have probes.
    pub calls: Option<u64>,
    /// Only the calls in it have probes: its energies are the sums over those.
    pub only_calls: bool,
    /// From entry to exit, callees included; of a method that calls itself the outermost call counts. `None` where only the calls in
    /// it have probes.
    #[serde(rename = "wall_s", serialize_with = "seconds::maybe")]
    pub wall: Option<Nanos>,
    /// Wall time without what was called.
    #[serde(rename = "self_wall_s", serialize_with = "seconds::maybe")]
    pub own_wall: Option<Nanos>,
    /// Time on a CPU from entry to exit, by the thread's own clock; `None` where nobody read that.
    #[serde(rename = "clock_cpu_s", serialize_with = "seconds::maybe")]
    pub clock_cpu: Option<Nanos>,
    /// The same without what was called.
    #[serde(rename = "self_clock_cpu_s", serialize_with = "seconds::maybe")]
    pub own_clock_cpu: Option<Nanos>,
    /// Its total by its calls.
    #[serde(flatten, serialize_with = "named::mean")]
    pub mean: Figure,
    /// What its calls into the framework cost, by its calls.
    #[serde(flatten, serialize_with = "named::api_mean")]
    pub api_mean: Figure,
    /// What single calls drew on a CPU.
    pub per_call: Option<QuantilesRow>,
    /// What the framework calls of single calls cost.
    pub api_per_call: Option<QuantilesRow>,
    /// Threads that it ran on, most energy first.
    pub threads: Vec<MethodThread>,
    /// Threads that have no row.
    pub threads_left_out: usize,
    /// Methods of the framework that are called below it, most energy first.
    pub apis: Vec<MethodApi>,
    /// Whether some have no row.
    pub apis_left_out: bool,
    /// Its source lines, most energy first; their totals add up to its own.
    pub lines: Vec<LineShare>,
}

/// Calls of which a cost is known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct CallCoverage {
    /// Those with a known cost.
    pub known: u64,
    /// All.
    pub all: u64,
}

/// Quantiles over calls, by nearest rank.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct QuantilesRow {
    /// The median.
    pub p50_joules: Joules,
    /// The 95th percentile.
    pub p95_joules: Joules,
    /// The most.
    pub max_joules: Joules,
}

impl From<CallQuantiles> for QuantilesRow {
    fn from(quantiles: CallQuantiles) -> Self {
        let CallQuantiles { p50, p95, max } = quantiles;
        Self { p50_joules: p50, p95_joules: p95, max_joules: max }
    }
}

/// A method on one thread.
#[derive(Clone, Debug, Serialize)]
pub struct MethodThread {
    /// The thread's name.
    pub name: String,
    /// Its number.
    pub tid: u32,
    /// Its process's name.
    pub process: String,
    /// That one's number.
    pub pid: Option<u32>,
    /// How often it was called there; `None` where only the calls in it have probes.
    pub calls: Option<u64>,
    /// Its total there.
    #[serde(flatten)]
    pub energy: Figure,
}

/// A method of the framework behind a method of the app.
#[derive(Clone, Debug, Serialize)]
pub struct MethodApi {
    /// Index into the report's `apis`.
    pub api: usize,
    /// `android.widget.Toast.makeText`.
    pub name: String,
    /// Calls below the method.
    pub calls: u64,
    /// What they cost by the tables.
    #[serde(flatten, serialize_with = "named::api")]
    pub energy: Figure,
    /// How its cost was found; `None` where none is known.
    pub matched: Option<ApiMatch>,
    /// Whether it is *energy-greedy* by its table.
    pub greedy: bool,
}
