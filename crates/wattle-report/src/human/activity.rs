//! Something that people do with a device.

use wattle_table::{Column, describe};
use wattle_units::Watts;

/// An activity on a reference device.
#[derive(Clone, Debug, PartialEq)]
pub struct Activity {
    /// Its name (`web browsing`).
    pub name: String,
    /// Mean power of the whole device while somebody does it.
    pub power: Watts,
    /// Source of the figure.
    pub source: String,
}

describe!(
    Activity,
    "activity",
    "an activity on a reference device",
    [
        Column::text("name", "what it is called (`web browsing`)", |row: &Activity| &row.name),
        Column::number(
            "watts",
            "mean power of the whole device while somebody does it",
            |row: &Activity| row.power.value()
        ),
        Column::text("source", "where the figure comes from", |row: &Activity| &row.source),
    ]
);
