//! Energy over versions: kept runs as series of comparable runs, the change points of each, and the data of the history page.
//!
//! [`RunSeries`] sorts runs by device, device model and scenario, and within them by version, because energies of different
//! devices or models are not comparable. [`JudgedBranch`] holds one branch of a series against
//! the detector of `wattle-change-points`: changes, the present level, a suspected change with the re-runs that would decide it.
//! [`history_page`] joins both with components and methods from a store into a [`wattle_report::HistoryPage`], which
//! `wattle history --html` writes into a file and a server can answer with.

mod branch_levels;
mod change_blame;
mod judged_branch;
mod page_commits;
mod page_parts;
mod page_request;
mod page_series;
mod run_series;
pub mod utc_time;

pub use branch_levels::Level;
pub use judged_branch::{JudgedBranch, MOST_COMMITS, NEEDED_COMMITS};
pub use page_request::{PageRequest, history_page};
pub use page_series::{BudgetOf, change_interval};
pub use run_series::{RunEnergies, RunSeries, RunVersion, VersionMean};
