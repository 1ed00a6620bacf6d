//! What an energy is compared with.

use serde::Serialize;
use wattle_units::Provenance;

/// One run of the category.
#[derive(Clone, Debug, PartialEq)]
pub struct CategoryReference {
    /// Its name: the file's, or what a category file says.
    pub name: String,
    /// Joules, of the run or per minute.
    pub value: f64,
    /// How the figure was come by; `None` where nobody says.
    pub provenance: Option<Provenance>,
    /// The device that ran it; `None` where nobody says.
    pub device: Option<String>,
    /// What the energy is the sum of, by component in order; empty where nobody says.
    pub components: Vec<String>,
}

/// What could not be compared.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LeftOut {
    /// Its name.
    pub name: String,
    /// Why.
    pub reason: String,
}
