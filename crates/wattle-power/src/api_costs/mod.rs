//! Costs of calls into the framework, by tables of joules per call (Linares-Vásquez et al., MSR 2014; Orka).

mod checks;
mod costs;
mod file;
mod hierarchy;
mod java_type;
mod library;
mod name;
mod signature;
mod table;

pub use costs::{ApiCost, ApiCosts, ApiMatch};
pub use name::ApiName;
pub use signature::ApiSignature;
pub use table::{API_COSTS_FORMAT, ApiRow, ApiTable};
