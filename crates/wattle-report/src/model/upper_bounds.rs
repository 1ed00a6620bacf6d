//! The most that calls can have cost, where only the CPUs' clocks are known.

use serde::Serialize;
use wattle_ledger::{LegacyFigure, UpperBound, UpperBounds};
use wattle_power::ModelFacts;
use wattle_units::{Estimate, Interval, Joules, Nanos, Provenance};

use super::Figure;
use super::figure::seconds;

/// Upper bounds of calls. They stand beside the ledger: nothing of them is booked.
#[derive(Clone, Debug, Serialize)]
pub struct UpperBoundsReport {
    /// What the figures are: `upper bound`.
    pub kind: &'static str,
    /// Where the currents come from.
    pub model: ModelFacts,
    /// The voltage at the first call.
    pub voltage_v: f64,
    /// By test.
    pub tests: Vec<BoundTestRow>,
    /// Call trees: a thread of a process in the log of a test.
    pub trees: Vec<BoundTreeRow>,
    /// Call paths, callers before callees.
    pub calls: Vec<BoundCallRow>,
}

/// A bound: anything between nothing and it.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct BoundFigure {
    /// The bound; its interval begins at 0.
    #[serde(flatten)]
    pub bound: Figure,
    /// Of it, the cores' own power.
    pub core_joules: Joules,
    /// Of it, what cores share.
    pub shared_joules: Joules,
    /// The bound as a charge at the battery's voltage.
    pub mah: f64,
}

/// A test.
#[derive(Clone, Debug, Serialize)]
pub struct BoundTestRow {
    /// `Class#method`; `null` for calls outside of tests.
    pub name: Option<String>,
    /// Calls of its own.
    pub calls: u64,
    /// Calls in its log that earlier runs left over; they are in no other figure than `sum_with_stale_mah` and `legacy_mah`.
    pub stale_calls: u64,
    /// Of the time in which any of its own calls ran.
    #[serde(flatten)]
    pub figure: BoundFigure,
    /// The sum over its outermost calls, in which concurrent calls are each charged the whole machine.
    pub sum_joules: Joules,
    /// The same as a charge.
    pub sum_mah: f64,
    /// The same with what earlier runs left over.
    pub sum_with_stale_mah: f64,
    /// What Navitas shows for it.
    #[serde(flatten)]
    pub legacy: LegacyColumns,
}

/// A call tree.
#[derive(Clone, Debug, Serialize)]
pub struct BoundTreeRow {
    /// Index into `tests`.
    pub test: u32,
    /// The kernel's number; `null` where the log does not say it.
    pub pid: Option<u32>,
    /// The kernel's number; `null` where the log does not say it.
    pub tid: Option<u32>,
    /// The sum over its outermost calls.
    #[serde(flatten)]
    pub figure: BoundFigure,
    /// What Navitas shows for them together.
    #[serde(flatten)]
    pub legacy: LegacyColumns,
}

/// A call path.
#[derive(Clone, Debug, Serialize)]
pub struct BoundCallRow {
    /// Index into `trees`.
    pub tree: u32,
    /// Index of the caller.
    pub caller: Option<u32>,
    /// What is called.
    pub name: String,
    /// How often.
    pub calls: u64,
    /// How many of them have no end in the log.
    pub open: u64,
    /// From entry to exit.
    #[serde(rename = "wall_s", serialize_with = "seconds::of")]
    pub wall: Nanos,
    /// With what it called.
    #[serde(flatten)]
    pub figure: BoundFigure,
    /// Without.
    pub self_joules: Joules,
    /// The same as a charge.
    pub self_mah: f64,
    /// How long its thread ran meanwhile; `null` where nobody counted it.
    pub cpu_s: Option<f64>,
    /// The bound's part of that time: an estimate, and no bound.
    pub scaled_joules: Option<Joules>,
    /// What Navitas shows for them together.
    #[serde(flatten)]
    pub legacy: LegacyColumns,
}

/// A figure of Navitas; without keys where nobody asked for it.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct LegacyColumns {
    /// As Navitas shows it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub legacy_mah: Option<f64>,
    /// By its formula, without its rounding.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub legacy_formula_mah: Option<f64>,
}

impl LegacyColumns {
    fn of(figure: Option<LegacyFigure>) -> Self {
        Self {
            legacy_mah: figure.map(|figure| figure.shown_mah),
            legacy_formula_mah: figure.map(|figure| figure.formula_mah),
        }
    }
}

impl BoundFigure {
    fn of(bound: UpperBound, provenance: Provenance) -> Self {
        let joules = bound.joules();
        let interval = Interval { low: Joules::ZERO, high: joules };
        Self {
            bound: Figure(Some(Estimate { joules, interval, provenance })),
            core_joules: bound.core,
            shared_joules: bound.shared,
            mah: bound.charge.milliampere_hours(),
        }
    }

    /// The bound.
    pub fn joules(&self) -> Joules {
        self.core_joules + self.shared_joules
    }
}

impl UpperBoundsReport {
    pub(super) fn new(bounds: &UpperBounds) -> Self {
        let figure = |bound: UpperBound| BoundFigure::of(bound, bounds.provenance);
        let tests = bounds.tests.iter().map(|test| BoundTestRow {
            name: test.name.clone(),
            calls: test.calls,
            stale_calls: test.stale_calls,
            figure: figure(test.bound),
            sum_joules: test.sum.joules(),
            sum_mah: test.sum.charge.milliampere_hours(),
            sum_with_stale_mah: test.sum_with_stale.charge.milliampere_hours(),
            legacy: LegacyColumns::of(test.legacy),
        });
        let trees = bounds.groups.iter().map(|group| BoundTreeRow {
            test: group.test,
            pid: group.pid,
            tid: group.tid,
            figure: figure(group.bound),
            legacy: LegacyColumns::of(group.legacy),
        });
        let calls = bounds.calls.iter().map(|call| BoundCallRow {
            tree: call.group,
            caller: call.caller,
            name: call.name.clone(),
            calls: call.calls,
            open: call.open,
            wall: call.wall,
            figure: figure(call.bound),
            self_joules: call.self_bound.joules(),
            self_mah: call.self_bound.charge.milliampere_hours(),
            cpu_s: call.cpu.map(Nanos::seconds),
            scaled_joules: call.scaled,
            legacy: LegacyColumns::of(call.legacy),
        });
        Self {
            kind: "upper bound",
            model: bounds.model.clone(),
            voltage_v: bounds.voltage.value(),
            tests: tests.collect(),
            trees: trees.collect(),
            calls: calls.collect(),
        }
    }
}
