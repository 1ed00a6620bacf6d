//! One method of the framework.

use serde::Serialize;
use wattle_ledger::ApiTableEntry;
use wattle_power::ApiMatch;

use super::CallCoverage;
use crate::model::Figure;
use crate::model::figure::named;

/// One method outside of the app that it calls.
#[derive(Clone, Debug, Serialize)]
pub struct ApiRow {
    /// `android.widget.Toast.makeText`; with parameters and result where several of that name are called.
    pub name: String,
    /// Its class, as Java writes it.
    pub class: String,
    /// Its name alone.
    pub method: String,
    /// Its parameters and result, where known.
    pub descriptor: Option<String>,
    /// Calls inside the window.
    pub calls: u64,
    /// What the ledger books to its calls, without what methods of the app drew that it called.
    #[serde(flatten, serialize_with = "named::own")]
    pub own: Figure,
    /// The same with all that it called.
    #[serde(flatten, serialize_with = "named::total")]
    pub total: Figure,
    /// The total's part of the whole.
    pub share: Option<f64>,
    /// The total by the calls.
    #[serde(flatten, serialize_with = "named::mean")]
    pub mean: Figure,
    /// What its calls cost by the tables. Beside the ledger.
    #[serde(flatten, serialize_with = "named::api")]
    pub energy: Figure,
    /// Its part of what all calls cost.
    pub api_share: Option<f64>,
    /// What one call costs by the tables.
    #[serde(flatten, serialize_with = "named::cost")]
    pub cost: Figure,
    /// How that was found; `None` where no table has it.
    pub matched: Option<ApiMatch>,
    /// As the table writes it.
    pub signature: Option<String>,
    /// The table's name.
    pub table: Option<String>,
    /// Whether it is *energy-greedy* by its table.
    pub greedy: bool,
    /// The methods in which its calls stand, most calls first.
    pub callers: Vec<ApiCaller>,
    /// Those that have no row.
    pub callers_left_out: usize,
}

/// A method that calls one of the framework.
#[derive(Clone, Debug, Serialize)]
pub struct ApiCaller {
    /// Its name as in the report's `methods`.
    pub name: String,
    /// Calls that stand in it.
    pub calls: u64,
}

/// How much of what was called the tables know.
#[derive(Clone, Debug, Serialize)]
pub struct ApiCoverage {
    /// Calls.
    pub calls: CallCoverage,
    /// Methods of the framework.
    pub methods: CallCoverage,
    /// What all calls with a known cost cost.
    #[serde(flatten)]
    pub energy: Figure,
    /// The tables.
    pub tables: Vec<ApiTableEntry>,
}
