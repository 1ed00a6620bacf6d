//! Energies of a project as the server holds them.

mod call_details;
mod digest_reader;
mod energy_rows;
mod group_energies;
mod name_parts;

pub use call_details::{CallDetails, Edge, RunLine};
pub use digest_reader::{DigestReadError, read_calls, read_energies};
pub use energy_rows::{MethodRow, MethodTable};
pub use group_energies::{GroupEnergies, ProjectEnergies, per_call};
pub use name_parts::MethodName;
