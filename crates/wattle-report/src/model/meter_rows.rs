//! The rows of rails, of other models and of the battery. Field names are the keys of the JSON form.

use wattle_power::{DrainedBy, ModelFacts};
use wattle_table::{Column, describe};
use wattle_units::Nanos;

use crate::Figure;

/// One rail.
#[derive(Clone, Debug)]
pub struct RailRow {
    /// The monitor's own name.
    pub name: String,
    /// A readable name.
    pub label: Option<String>,
    /// Both names, only in views.
    pub title: String,
    /// The component that it supplies.
    pub component: String,
    /// Energy that it counted.
    pub energy: Figure,
    /// Energy by the model over the same stretch of time.
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

describe!(
    RailRow,
    "rail",
    "one power rail",
    [
        Column::text("name", "the monitor's own name", |row: &RailRow| &row.name),
        Column::text("rail", "name and readable name", |row: &RailRow| &row.title)
            .hidden()
            .label("rail")
            .elastic(),
        Column::maybe_text("label", "a readable name", |row: &RailRow| row.label.as_deref()),
        Column::text("component", "what it supplies", |row: &RailRow| &row.component)
            .label("component")
            .soft(),
        Column::energy("", "what it counted", |row: &RailRow| row.energy.0)
            .label("measured")
            .strong(),
        Column::energy("modelled", "what the model says of the same time", |row: &RailRow| row
            .modelled
            .0)
        .label("modelled"),
        Column::difference("disagreement", "(modelled - measured) / measured", |row: &RailRow| row
            .disagreement)
        .label("error"),
        Column::number("covered_s", "first to last sample", |row: &RailRow| row.covered_s),
        Column::count("samples", "samples", |row: &RailRow| row.samples)
            .label("samples")
            .ungrouped(),
        Column::count("mended", "wraps, resets and bad samples mended", |row: &RailRow| row.mended)
            .label("fixed")
            .only_in_page(),
        Column::flag("booked", "part of the total", |row: &RailRow| row.booked)
            .label("in total")
            .soft(),
    ]
);

/// Another model's word.
#[derive(Clone, Debug)]
pub struct SpreadRow {
    /// The model.
    pub model: ModelFacts,
    /// The CPU's energy over the whole window under it.
    pub cpu: Figure,
}

describe!(
    SpreadRow,
    "spread",
    "the CPU energy under another applicable model",
    [
        Column::object::<ModelFacts>("model", "the model", |row: &SpreadRow| &row.model),
        Column::text("name", "the model's name", |row: &SpreadRow| &row.model.name)
            .hidden()
            .label("model")
            .elastic(),
        Column::text("kind", "the model's kind", |row: &SpreadRow| &row.model.kind)
            .hidden()
            .label("kind")
            .soft(),
        Column::energy(
            "",
            "the CPU's energy over the whole window under this model",
            |row: &SpreadRow| row.cpu.0
        )
        .label("energy")
        .strong(),
        Column::interval(|row: &SpreadRow| row.cpu.0).label("90 % interval"),
        Column::provenance(|row: &SpreadRow| row.cpu.0).label("provenance").not_in_page(),
        Column::text("source", "where its figures come from", |row: &SpreadRow| &row.model.source)
            .hidden()
            .label("source")
            .only_in_page(),
    ]
);

/// The battery, or a power meter in its place.
#[derive(Clone, Debug)]
pub struct BatteryReport {
    /// Whose word it is.
    pub by: DrainedBy,
    /// Energy drawn while it discharged; no data when it is not known to have discharged at all.
    pub drained: Figure,
    /// Energy of all top-level tracks over the same stretches.
    pub accounted: Figure,
    /// `(accounted − drained) / drained`.
    pub disagreement: Option<f64>,
    /// Time for which it discharged.
    pub discharging: Nanos,
    /// Time for which it was polled.
    pub covered: Nanos,
    /// Sign and unit of the current, or which meter it was, in words.
    pub reading: String,
}

describe!(
    BatteryReport,
    "battery",
    "the battery, or a power meter in its place",
    [
        Column::word(
            "by",
            "whose word it is: the battery's gauge, or a power meter in its place",
            &["battery", "meter"],
            |row: &BatteryReport| Some(&row.by)
        ),
        Column::energy("drained", "drawn while it discharged", |row: &BatteryReport| row.drained.0),
        Column::energy(
            "accounted",
            "energy of all top-level tracks over the same stretches; null when it was not seen to discharge",
            |row: &BatteryReport| row.accounted.0
        ),
        Column::difference(
            "disagreement",
            "(accounted - drained) / drained",
            |row: &BatteryReport| row.disagreement
        ),
        Column::time("discharging_s", "how long it discharged", |row: &BatteryReport| row
            .discharging),
        Column::time("covered_s", "how long it was polled", |row: &BatteryReport| row.covered),
        Column::text("reading", "sign and unit of the current, in words", |row: &BatteryReport| {
            &row.reading
        }),
    ]
);
