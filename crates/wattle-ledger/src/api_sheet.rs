//! What the framework's methods cost by tables of costs. Beside the ledger: nothing of it is booked.

use serde::{Deserialize, Serialize};
use wattle_power::ApiMatch;
use wattle_units::{Estimate, Joules, Provenance};

/// What calls into the framework cost by tables of costs per call (Orka, equation 1: `Σ calls × cost`).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ApiSheet {
    /// The tables, as [`wattle_power::ApiCosts`] had them.
    pub tables: Vec<ApiTableEntry>,
    /// What was called, in order of class, method and descriptor.
    pub apis: Vec<ApiEntry>,
}

/// A table of costs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ApiTableEntry {
    /// Its name.
    pub name: String,
    /// Where its figures come from.
    pub source: String,
    /// How they were come by.
    pub provenance: Provenance,
    /// How many methods it has.
    pub methods: u64,
    /// What costs more a call than this is *energy-greedy*: Q3 + 1.5 · IQR of the table; `None` for tables that are too small.
    pub greedy_above: Option<Joules>,
}

/// A method of the framework that was called.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ApiEntry {
    /// The class outside of the app where the calls land, as Java writes it.
    pub class: String,
    /// Its name, `<init>` for constructors.
    pub method: String,
    /// Its parameters and result, where known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub descriptor: Option<String>,
    /// Calls inside the window.
    pub calls: u64,
    /// What it costs; `None`: no table has it, which is not 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost: Option<ApiCostEntry>,
}

/// What a method of the framework costs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ApiCostEntry {
    /// Joules a call.
    pub per_call: Estimate,
    /// How it was found in the table.
    pub matched: ApiMatch,
    /// As the table writes it.
    pub signature: String,
    /// Index into [`ApiSheet::tables`].
    pub table: u32,
    /// Whether it is *energy-greedy* by its table.
    pub greedy: bool,
}

impl ApiSheet {
    /// Whether no table knew anything, or nothing was called.
    pub fn is_empty(&self) -> bool {
        self.apis.is_empty()
    }

    /// Calls of methods with a known cost, and all calls.
    pub fn call_coverage(&self) -> (u64, u64) {
        let known = self.apis.iter().filter(|api| api.cost.is_some());
        let sum = |apis: &mut dyn Iterator<Item = &ApiEntry>| {
            apis.fold(0_u64, |sum, api| sum.saturating_add(api.calls))
        };
        (sum(&mut known.into_iter()), sum(&mut self.apis.iter()))
    }

    /// Methods with a known cost, and all methods that were called.
    pub fn method_coverage(&self) -> (u64, u64) {
        let known = self.apis.iter().filter(|api| api.cost.is_some()).count();
        (known as u64, self.apis.len() as u64)
    }
}
