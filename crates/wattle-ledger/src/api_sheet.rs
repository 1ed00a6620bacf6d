//! What the framework's methods cost by tables of costs. Beside the ledger: nothing of it is booked.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use wattle_power::{ApiCosts, ApiMatch, ApiName};
use wattle_timeline::SiteKind;
use wattle_units::{Estimate, Joules, Provenance};

use crate::{Ledger, SiteEntry};

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

/// By class, method and descriptor: calls, and the sites that they are made at.
type CallsAndSites<'a> = BTreeMap<(&'a str, &'a str, Option<&'a str>), (u64, Vec<usize>)>;

impl Ledger {
    /// Looks all calls into the framework up in tables: fills the sheet, and points the sites of calls to it. What was there before
    /// goes. Needs nothing but the ledger's own sites and paths, so it can be done to a saved one; what single calls cost by other
    /// tables is forgotten then, as it cannot be made anew without the recording.
    pub fn fill_api_sheet(&mut self, costs: &ApiCosts) {
        for stats in &mut self.call_stats {
            stats.api_joules = None;
        }
        let is_call = |site: &SiteEntry| site.kind == SiteKind::Call;
        let mut apis = CallsAndSites::new();
        for (index, (site, calls)) in self.sites.iter().zip(self.calls_by_site()).enumerate() {
            let Some(calls) = calls.filter(|_| is_call(site)) else { continue };
            let name = (&*site.class, &*site.method, site.descriptor.as_deref());
            let (sum, sites) = apis.entry(name).or_default();
            *sum = sum.saturating_add(calls);
            sites.push(index);
        }
        let mut sheet = ApiSheet::default();
        let mut numbers: Vec<Option<u32>> = vec![None; self.sites.len()];
        for ((class, method, descriptor), (calls, sites)) in apis {
            // There are no more of them than sites, which ids can count.
            let number = u32::try_from(sheet.apis.len()).ok();
            for site in sites {
                if let Some(slot) = numbers.get_mut(site) {
                    *slot = number;
                }
            }
            let cost = costs.find(&ApiName { class, method, descriptor });
            sheet.apis.push(ApiEntry {
                class: class.to_owned(),
                method: method.to_owned(),
                descriptor: descriptor.map(str::to_owned),
                calls,
                cost: cost.and_then(|cost| {
                    Some(ApiCostEntry {
                        per_call: cost.per_call,
                        matched: cost.matched,
                        signature: cost.signature.into_owned(),
                        table: u32::try_from(cost.table).ok()?,
                        greedy: cost.greedy,
                    })
                }),
            });
        }
        if !sheet.apis.is_empty() {
            sheet.tables = costs.tables().iter().map(ApiTableEntry::from).collect();
        }
        self.api_sheet = sheet;
        for (site, number) in self.sites.iter_mut().zip(numbers) {
            site.api = number;
        }
    }

    /// How often each site was called; `None` for those that no path is of.
    fn calls_by_site(&self) -> Vec<Option<u64>> {
        let mut calls: Vec<Option<u64>> = vec![None; self.sites.len()];
        for path in &self.paths {
            let slot = path.site.and_then(|site| calls.get_mut(site as usize));
            if let Some(slot) = slot {
                *slot = Some(slot.unwrap_or_default().saturating_add(path.calls));
            }
        }
        calls
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
