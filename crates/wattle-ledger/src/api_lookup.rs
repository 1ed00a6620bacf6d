//! Looks framework calls of a ledger up in tables of costs.

use std::collections::BTreeMap;

use wattle_power::{ApiCosts, ApiName};
use wattle_timeline::SiteKind;

use crate::{ApiCostEntry, ApiEntry, ApiSheet, ApiTableEntry, Ledger, SiteEntry};

/// By class, method and descriptor: calls, and the sites that they are made at.
type CallsAndSites<'a> = BTreeMap<(&'a str, &'a str, Option<&'a str>), (u64, Vec<usize>)>;

fn is_api_call(site: &SiteEntry) -> bool {
    site.kind == SiteKind::Call
}

impl Ledger {
    /// Looks all calls into the framework up in tables: fills the sheet, and points the sites of calls to it. What was there before
    /// goes. Needs nothing but the ledger's own sites and paths, so it can be done to a saved one; what single calls cost by other
    /// tables is forgotten then, as it cannot be made anew without the recording.
    pub fn fill_api_sheet(&mut self, costs: &ApiCosts) {
        for stats in &mut self.sheets.call_stats {
            stats.api_joules = None;
        }
        let mut apis = CallsAndSites::new();
        for (index, (site, calls)) in self.rows.sites.iter().zip(self.calls_by_site()).enumerate() {
            let Some(calls) = calls.filter(|_| is_api_call(site)) else { continue };
            let name = (&*site.class, &*site.method, site.descriptor.as_deref());
            let (sum, sites) = apis.entry(name).or_default();
            *sum = sum.saturating_add(calls);
            sites.push(index);
        }
        let mut sheet = ApiSheet::default();
        let mut numbers: Vec<Option<u32>> = vec![None; self.rows.sites.len()];
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
        self.sheets.apis = sheet;
        for (site, number) in self.rows.sites.iter_mut().zip(numbers) {
            site.api = number;
        }
    }

    /// Whether there are sites that call into the framework, which alone are looked up.
    pub(crate) fn has_api_calls(&self) -> bool {
        self.rows.sites.iter().any(is_api_call)
    }

    /// Number of calls of each site; `None` for those that no path is of.
    fn calls_by_site(&self) -> Vec<Option<u64>> {
        let mut calls: Vec<Option<u64>> = vec![None; self.rows.sites.len()];
        for path in &self.rows.paths {
            let slot = path.site.and_then(|site| calls.get_mut(site as usize));
            if let Some(slot) = slot {
                *slot = Some(slot.unwrap_or_default().saturating_add(path.calls));
            }
        }
        calls
    }
}
