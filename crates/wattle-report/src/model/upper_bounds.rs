//! The most that calls can have cost, where only the CPUs' clocks are known.

use wattle_ledger::{LegacyFigure, UpperBound, UpperBounds};
use wattle_power::ModelFacts;
use wattle_table::{Column, describe};
use wattle_units::{Estimate, Interval, Joules, Nanos, Provenance};

use crate::Figure;

/// Upper bounds of calls. They are beside the ledger: none of them is attributed.
#[derive(Clone, Debug)]
pub struct UpperBoundsReport {
    /// Kind of the figures: `upper bound`.
    pub kind: &'static str,
    /// Source of the currents.
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

describe!(
    UpperBoundsReport,
    "upper_bounds",
    "upper bounds of calls. They are beside the ledger: none of them is attributed",
    [
        Column::text("kind", "what the figures are", |row: &UpperBoundsReport| row.kind)
            .words(&["upper bound"]),
        Column::object::<ModelFacts>(
            "model",
            "where the currents come from",
            |row: &UpperBoundsReport| &row.model
        ),
        Column::number("voltage_v", "the voltage at the first call", |row: &UpperBoundsReport| row
            .voltage_v),
        Column::list::<BoundTestRow>("tests", "by test", |row: &UpperBoundsReport| &row.tests),
        Column::list::<BoundTreeRow>(
            "trees",
            "call trees: a thread of a process in the log of a test",
            |row: &UpperBoundsReport| &row.trees
        ),
        Column::list::<BoundCallRow>(
            "calls",
            "call paths, callers before callees",
            |row: &UpperBoundsReport| &row.calls
        ),
    ]
);

/// A bound: anything between nothing and it.
#[derive(Clone, Copy, Debug)]
pub struct BoundFigure {
    /// The bound; its interval begins at 0.
    pub bound: Figure,
    /// Of it, the cores' own power.
    pub core_joules: Joules,
    /// Of it, what cores share.
    pub shared_joules: Joules,
    /// The bound as a charge at the battery's voltage.
    pub mah: f64,
}

describe!(
    BoundFigure,
    "bound_figure",
    "a bound: anything between nothing and it",
    [
        Column::energy("", "the bound; its interval begins at 0", |row: &BoundFigure| row.bound.0),
        Column::number("core_joules", "of it, the cores' own power", |row: &BoundFigure| row
            .core_joules
            .value()),
        Column::number("shared_joules", "of it, what cores share", |row: &BoundFigure| row
            .shared_joules
            .value()),
        Column::number(
            "mah",
            "the bound as a charge at the battery's voltage",
            |row: &BoundFigure| row.mah
        ),
    ]
);

/// A test.
#[derive(Clone, Debug)]
pub struct BoundTestRow {
    /// `Class#method`; `null` for calls outside of tests.
    pub name: Option<String>,
    /// Calls of its own.
    pub calls: u64,
    /// Calls in its log that earlier runs left over; they are in no other figure than `sum_with_stale_mah` and `legacy_mah`.
    pub stale_calls: u64,
    /// Of the time in which any of its own calls ran.
    pub figure: BoundFigure,
    /// The sum over its outermost calls, in which concurrent calls are each charged the whole machine.
    pub sum_joules: Joules,
    /// The same as a charge.
    pub sum_mah: f64,
    /// The same with what earlier runs left over.
    pub sum_with_stale_mah: f64,
    /// Figures that Navitas shows for it.
    pub legacy: LegacyColumns,
}

describe!(
    BoundTestRow,
    "bound_test",
    "a test",
    [
        Column::maybe_text(
            "name",
            "`Class#method`; `null` for calls outside of tests",
            |row: &BoundTestRow| row.name.as_deref()
        ),
        Column::count("calls", "calls of its own", |row: &BoundTestRow| row.calls),
        Column::count(
            "stale_calls",
            "calls in its log that earlier runs left over; they are in no other figure than `sum_with_stale_mah` and `legacy_mah`",
            |row: &BoundTestRow| row.stale_calls
        ),
        Column::flat::<BoundFigure>(|row: &BoundTestRow| &row.figure),
        Column::number(
            "sum_joules",
            "the sum over its outermost calls, in which concurrent calls are each charged the whole machine",
            |row: &BoundTestRow| row.sum_joules.value()
        ),
        Column::number("sum_mah", "the same as a charge", |row: &BoundTestRow| row.sum_mah),
        Column::number(
            "sum_with_stale_mah",
            "the same with what earlier runs left over",
            |row: &BoundTestRow| { row.sum_with_stale_mah }
        ),
        Column::flat::<LegacyColumns>(|row: &BoundTestRow| &row.legacy),
    ]
);

/// A call tree.
#[derive(Clone, Debug)]
pub struct BoundTreeRow {
    /// Index into `tests`.
    pub test: u32,
    /// The kernel's number; `null` where the log does not say it.
    pub pid: Option<u32>,
    /// The kernel's number; `null` where the log does not say it.
    pub tid: Option<u32>,
    /// The sum over its outermost calls.
    pub figure: BoundFigure,
    /// Figures that Navitas shows for their total.
    pub legacy: LegacyColumns,
}

describe!(
    BoundTreeRow,
    "bound_tree",
    "a call tree",
    [
        Column::id("test", "index into `tests`", |row: &BoundTreeRow| row.test),
        Column::maybe_id(
            "pid",
            "the kernel's number; `null` where the log does not say it",
            |row: &BoundTreeRow| row.pid
        ),
        Column::maybe_id(
            "tid",
            "the kernel's number; `null` where the log does not say it",
            |row: &BoundTreeRow| row.tid
        ),
        Column::flat::<BoundFigure>(|row: &BoundTreeRow| &row.figure),
        Column::flat::<LegacyColumns>(|row: &BoundTreeRow| &row.legacy),
    ]
);

/// A call path.
#[derive(Clone, Debug)]
pub struct BoundCallRow {
    /// Index into `trees`.
    pub tree: u32,
    /// Index of the caller.
    pub caller: Option<u32>,
    /// Name of the callee.
    pub name: String,
    /// Number of calls.
    pub calls: u64,
    /// Number of these calls without an end in the log.
    pub open: u64,
    /// From entry to exit.
    pub wall: Nanos,
    /// With what it called.
    pub figure: BoundFigure,
    /// Without.
    pub self_joules: Joules,
    /// The same as a charge.
    pub self_mah: f64,
    /// CPU time of its thread meanwhile; `null` if nobody counted it.
    pub cpu_s: Option<f64>,
    /// The bound's part of that time: an estimate, and no bound.
    pub scaled_joules: Option<Joules>,
    /// Figures that Navitas shows for their total.
    pub legacy: LegacyColumns,
}

describe!(
    BoundCallRow,
    "bound_call",
    "a call path",
    [
        Column::id("tree", "index into `trees`", |row: &BoundCallRow| row.tree),
        Column::maybe_id("caller", "index of the caller", |row: &BoundCallRow| row.caller),
        Column::text("name", "what is called", |row: &BoundCallRow| &row.name),
        Column::count("calls", "how often", |row: &BoundCallRow| row.calls),
        Column::count("open", "how many of them have no end in the log", |row: &BoundCallRow| row
            .open),
        Column::time("wall_s", "from entry to exit", |row: &BoundCallRow| row.wall),
        Column::flat::<BoundFigure>(|row: &BoundCallRow| &row.figure),
        Column::number("self_joules", "without", |row: &BoundCallRow| row.self_joules.value()),
        Column::number("self_mah", "the same as a charge", |row: &BoundCallRow| row.self_mah),
        Column::maybe_number(
            "cpu_s",
            "how long its thread ran meanwhile; `null` where nobody counted it",
            |row: &BoundCallRow| row.cpu_s
        ),
        Column::maybe_number(
            "scaled_joules",
            "the bound's part of that time: an estimate, and no bound",
            |row: &BoundCallRow| row.scaled_joules.map(Joules::value)
        ),
        Column::flat::<LegacyColumns>(|row: &BoundCallRow| &row.legacy),
    ]
);

/// A figure of Navitas; without keys where nobody asked for it.
#[derive(Clone, Copy, Debug, Default)]
pub struct LegacyColumns {
    /// As Navitas shows it.
    pub legacy_mah: Option<f64>,
    /// By its formula, without its rounding.
    pub legacy_formula_mah: Option<f64>,
}

describe!(
    LegacyColumns,
    "legacy",
    "a figure of Navitas; without keys where nobody asked for it",
    [
        Column::maybe_number("legacy_mah", "as Navitas shows it", |row: &LegacyColumns| row
            .legacy_mah)
        .optional(),
        Column::maybe_number(
            "legacy_formula_mah",
            "by its formula, without its rounding",
            |row: &LegacyColumns| { row.legacy_formula_mah }
        )
        .optional(),
    ]
);

impl LegacyColumns {
    fn from_figure(figure: Option<LegacyFigure>) -> Self {
        Self {
            legacy_mah: figure.map(|figure| figure.shown_mah),
            legacy_formula_mah: figure.map(|figure| figure.formula_mah),
        }
    }
}

impl BoundFigure {
    fn new(bound: UpperBound, provenance: Provenance) -> Self {
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
        let figure = |bound: UpperBound| BoundFigure::new(bound, bounds.provenance);
        let tests = bounds.tests.iter().map(|test| BoundTestRow {
            name: test.name.clone(),
            calls: test.calls,
            stale_calls: test.stale_calls,
            figure: figure(test.bound),
            sum_joules: test.sum.joules(),
            sum_mah: test.sum.charge.milliampere_hours(),
            sum_with_stale_mah: test.sum_with_stale.charge.milliampere_hours(),
            legacy: LegacyColumns::from_figure(test.legacy),
        });
        let trees = bounds.groups.iter().map(|group| BoundTreeRow {
            test: group.test,
            pid: group.pid,
            tid: group.tid,
            figure: figure(group.bound),
            legacy: LegacyColumns::from_figure(group.legacy),
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
            legacy: LegacyColumns::from_figure(call.legacy),
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
