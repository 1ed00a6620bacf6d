//! Energies of a project in the form that the server reads them: lines of JSON, which another process of the same program writes.
//!
//! Ledgers and databases are large and the server is small: what it needs is worked out by a process that ends, so that an editor's
//! server never holds more than the figures, and nothing in a history can make it fail.

mod call_digest;
mod digest_error;
mod digest_line;
mod energy_digest;
mod group_sums;
mod project_choice;

pub use call_digest::write_calls;
pub use digest_error::DigestError;
pub use digest_line::{
    CallRecord, DIGEST_FORMAT, EnergyRecord, GroupRecord, MethodChange, MethodChanges, MethodRecord,
};
pub use energy_digest::{LedgerComparison, write_energies};
pub use project_choice::ProjectChoice;
