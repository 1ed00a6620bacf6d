//! Cost of the framework's methods by tables. Beside the ledger: none of it is an entry.

use serde::{Deserialize, Serialize};
use wattle_power::ApiMatch;
use wattle_units::{Estimate, Joules, Provenance};

/// Cost of calls into the framework by tables of costs per call (Orka, equation 1: `Σ calls × cost`).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ApiSheet {
    /// The tables that methods were looked up in.
    pub tables: Vec<ApiTableEntry>,
    /// The called methods, in order of class, method and descriptor.
    pub apis: Vec<ApiEntry>,
}

/// A table of costs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ApiTableEntry {
    /// Its name.
    pub name: String,
    /// The source of its figures.
    pub source: String,
    /// Their provenance.
    pub provenance: Provenance,
    /// Number of its methods.
    pub methods: u64,
    /// Joules per call above which a method is *energy-greedy*: Q3 + 1.5 · IQR of the table; `None` for tables that are too small.
    pub greedy_above: Option<Joules>,
}

/// A method of the framework that was called.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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
    /// Its cost; `None`: no table has it, which is not 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost: Option<ApiCostEntry>,
}

/// Cost of a method of the framework.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ApiCostEntry {
    /// Joules a call.
    pub per_call: Estimate,
    /// The rule by which it was found in the table.
    pub matched: ApiMatch,
    /// The method as the table writes it.
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

impl From<&wattle_power::ApiTable> for ApiTableEntry {
    fn from(table: &wattle_power::ApiTable) -> Self {
        Self {
            name: table.name.clone(),
            source: table.source.clone(),
            provenance: table.provenance,
            methods: table.methods as u64,
            greedy_above: table.greedy_above,
        }
    }
}
