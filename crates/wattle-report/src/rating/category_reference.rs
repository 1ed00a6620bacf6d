//! References with which an energy is compared.

use wattle_table::{Column, describe};
use wattle_units::Provenance;

/// One run of the category.
#[derive(Clone, Debug, PartialEq)]
pub struct CategoryReference {
    /// Its name: the file's, or what a category file says.
    pub name: String,
    /// Joules, of the run or per minute.
    pub value: f64,
    /// Provenance of the figure; `None` if not stated.
    pub provenance: Option<Provenance>,
    /// The device that ran it; `None` where nobody says.
    pub device: Option<String>,
    /// Components whose energies are summed, in order; empty if not stated.
    pub components: Vec<String>,
}

/// A reference that could not be compared.
#[derive(Clone, Debug, PartialEq)]
pub struct LeftOut {
    /// Its name.
    pub name: String,
    /// Why.
    pub reason: String,
}

describe!(
    LeftOut,
    "rating_left_out",
    "a reference that was named and could not be compared",
    [
        Column::text("name", "its name", |row| &row.name),
        Column::text("reason", "why", |row| &row.reason),
    ]
);
