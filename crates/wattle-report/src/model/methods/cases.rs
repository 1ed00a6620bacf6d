//! The cases in which a view shows a column of the app's code.

/// The ledger has energies of these rows.
pub const LEDGER_LEADS: &str = "ledger-leads";
/// The same beside energies by tables of costs, which come first.
pub const LEDGER_BESIDE: &str = "ledger-beside";
/// Only tables of costs have energies of these rows.
pub const API_LEADS: &str = "api-leads";
/// The same beside energies of the ledger, which come first.
pub const API_BESIDE: &str = "api-beside";
/// There are only times.
pub const TIMES: &str = "times";
/// There is room for quantiles over single calls: of the ledger's energies.
pub const QUANTILES: &str = "quantiles";
/// The same of energies by tables of costs.
pub const API_QUANTILES: &str = "api-quantiles";

/// The cases of rows of which it is known whether any has an energy of the ledger, and one by tables.
pub fn cases(has_energy: bool, has_api: bool, api_leads: bool) -> Vec<&'static str> {
    let mut cases = Vec::new();
    if has_energy {
        cases.push(if api_leads { LEDGER_BESIDE } else { LEDGER_LEADS });
    }
    if api_leads {
        cases.push(API_LEADS);
    } else if has_api {
        cases.push(API_BESIDE);
    }
    cases
}
