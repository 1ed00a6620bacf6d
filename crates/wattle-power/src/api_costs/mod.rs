//! What calls into the framework cost, by tables of joules per call (Linares-Vásquez et al., MSR 2014; Orka).

mod costs;
mod name;
mod table;

pub use costs::{ApiCost, ApiCosts, ApiMatch};
pub use name::ApiName;
pub use table::{API_COSTS_FORMAT, ApiTable};
