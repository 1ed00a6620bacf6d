//! Costs of calls into the framework, by tables of joules per call (Linares-Vásquez et al., MSR 2014; Orka).

mod api_cost_lookup;
mod api_costs_file;
mod api_name;
mod api_table;
mod api_table_checks;
mod framework_hierarchy;
mod java_type;
mod shipped_tables;
mod signature;

pub use api_cost_lookup::{ApiCost, ApiCosts, ApiMatch};
pub use api_name::ApiName;
pub use api_table::{API_COSTS_FORMAT, ApiRow, ApiTable};
pub use signature::ApiSignature;
