//! One app or program. Field names are the keys of the JSON form.

use wattle_table::{Column, describe};
use wattle_units::Nanos;

use super::ComponentRow;
use crate::Figure;

/// An app with all its processes, or a program with all its processes of one name.
#[derive(Clone, Debug)]
pub struct ConsumerRow {
    /// Its package, or the name of its process.
    pub name: String,
    /// Number of its processes; 0 where only its uid is known.
    pub processes: usize,
    /// Energy attributed to it.
    pub energy: Figure,
    /// Its part of the whole.
    pub share: Option<f64>,
    /// On-CPU time of its threads; `None` where nothing recorded it.
    pub cpu: Option<Nanos>,
    /// Whether it was asked for.
    pub is_asked: bool,
    /// Whether it is an installed app.
    pub is_app: bool,
    /// Whether it only ran to record.
    pub is_recorder: bool,
    /// By component, most energy first; shares are of its energy.
    pub components: Vec<ComponentRow>,
}

describe!(
    ConsumerRow,
    "consumer",
    "an app with all its processes, or a program with all its processes of one name",
    [
        Column::text("name", "its package, or the name of its process", |row: &ConsumerRow| &row
            .name)
        .label("app or process")
        .elastic(),
        Column::count(
            "processes",
            "number of its processes; 0 where only its uid is known",
            |row: &ConsumerRow| row.processes as u64
        ),
        Column::energy("", "energy attributed to it", |row: &ConsumerRow| row.energy.0)
            .label("energy")
            .strong(),
        Column::interval(|row: &ConsumerRow| row.energy.0).label("90 % interval"),
        Column::share("share", "its part of the whole, 0 to 1", |row: &ConsumerRow| row.share)
            .label("share"),
        Column::maybe_time(
            "cpu_s",
            "on-CPU time; null where nothing recorded it",
            |row: &ConsumerRow| row.cpu
        )
        .label("CPU time"),
        Column::flag("is_asked", "whether it was asked for", |row: &ConsumerRow| row.is_asked),
        Column::flag("is_app", "whether it is an installed app", |row: &ConsumerRow| row.is_app),
        Column::flag("is_recorder", "whether it only ran to record", |row: &ConsumerRow| row
            .is_recorder),
        Column::list::<ComponentRow>(
            "components",
            "most energy first; shares are of its energy",
            |row: &ConsumerRow| &row.components
        ),
    ]
);
