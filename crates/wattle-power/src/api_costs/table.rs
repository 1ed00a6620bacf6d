//! A table of costs.

use wattle_units::{Joules, Provenance};

/// The value of `format` in a file of API costs.
pub const API_COSTS_FORMAT: &str = "wattle-api-costs/1";

/// One table.
#[derive(Clone, Debug, PartialEq)]
pub struct ApiTable {
    /// Its name.
    pub name: String,
    /// Where its figures come from.
    pub source: String,
    /// How they were come by.
    pub provenance: Provenance,
    /// How many methods it has.
    pub methods: usize,
    /// What costs more a call than this is *energy-greedy*: Q3 + 1.5 · IQR of the table; `None` for tables that are too small.
    pub greedy_above: Option<Joules>,
}
