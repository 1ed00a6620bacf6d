//! One class, and one package of classes.

use serde::Serialize;

use crate::model::Figure;
use crate::model::figure::named;

/// One class of the app.
#[derive(Clone, Debug, Serialize)]
pub struct ClassRow {
    /// Its name as Java writes it; `None` for slices of which only the name is known.
    pub name: Option<String>,
    /// Its package; empty for the default one.
    pub package: Option<String>,
    /// What its methods drew.
    #[serde(flatten)]
    pub sums: GroupSums,
}

/// One package of classes.
#[derive(Clone, Debug, Serialize)]
pub struct CodePackageRow {
    /// Its name, empty for the default one; `None` for slices of which only the name is known.
    pub name: Option<String>,
    /// Its classes of which a method ran.
    pub classes: usize,
    /// What its methods drew.
    #[serde(flatten)]
    pub sums: GroupSums,
}

/// What the methods of a class or package drew.
#[derive(Clone, Debug, Serialize)]
pub struct GroupSums {
    /// Its methods that ran.
    pub methods: usize,
    /// The sum of their own energies.
    #[serde(flatten, serialize_with = "named::own")]
    pub own: Figure,
    /// The energy while any of them was open: once on each stack.
    #[serde(flatten, serialize_with = "named::total")]
    pub total: Figure,
    /// The total's part of the whole.
    pub share: Option<f64>,
    /// The calls into the framework that stand in them, by tables of costs. Beside the ledger.
    #[serde(flatten, serialize_with = "named::api_own")]
    pub api_own: Figure,
    /// The same with those of all that was called.
    #[serde(flatten, serialize_with = "named::api_total")]
    pub api_total: Figure,
    /// That total's part of what all calls cost.
    pub api_share: Option<f64>,
    /// Calls of its methods; `None` where only the calls in them have probes.
    pub calls: Option<u64>,
    /// The total by the calls.
    #[serde(flatten, serialize_with = "named::mean")]
    pub mean: Figure,
    /// What calls into the framework cost, by the calls.
    #[serde(flatten, serialize_with = "named::api_mean")]
    pub api_mean: Figure,
}
