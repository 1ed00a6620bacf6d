//! The gate: `wattle check`, `wattle baseline`.

mod baseline_file;
mod check_command;
mod checked_runs;
mod found_energies;
mod ledger_run;
mod run_source;

pub use baseline_file::baseline;
pub use check_command::check;
