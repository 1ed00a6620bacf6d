//! The history of runs: every run that was kept, its key facts as columns, and its ledger.
//!
//! A [`Store`] is a folder with a SQLite database and ledgers beside it, or a PostgreSQL database that has both. Both have the same
//! tables. [`Store`] waits for the database; [`AsyncStore`] is the same without waiting, for servers.
//!
//! A ledger is on disk before the row that names it is committed, so that a committed run is whole whatever happens to the process
//! that wrote it. Ledgers are stored by the digest of their content: what is kept twice is stored once.

mod async_store;
mod database_fault;
mod dialect;
mod figure_row;
mod history_copy;
mod history_files;
mod kept_ledger;
mod kept_run;
mod ledger_folder;
mod ledger_with_facts;
mod location;
mod method_block;
mod migration;
mod new_run;
mod open_database;
mod partial_figures;
mod patient_connection;
mod removal;
mod retention;
mod run_columns;
mod run_description;
mod run_figures;
mod run_filter;
mod run_group;
mod run_history;
mod run_rows;
mod store;
mod store_error;
mod time_now;

pub use async_store::AsyncStore;
pub use database_fault::DatabaseFault;
pub use dialect::Dialect;
pub use history_files::is_of_history;
pub use kept_ledger::KeptLedger;
pub use kept_run::{KeptRun, RunId};
pub use ledger_with_facts::LedgerFile;
pub use location::{LocationError, StoreLocation};
pub use method_block::BlockError;
pub use migration::SCHEMA_VERSION;
pub use new_run::NewRun;
pub use open_database::{check_postgres, sqlite_url};
pub use partial_figures::{MethodChoice, NameTest, PartialFigures};
pub use patient_connection::{PATIENCE, configure, connect_patiently, is_busy};
pub use retention::Retention;
pub use run_description::{AppBuild, Circumstances, CodeVersion, RunDevice, RunFacts, RunLabels};
pub use run_figures::{ComponentFigure, MethodFigure, RunFigures};
pub use run_filter::RunFilter;
pub use run_group::RunGroup;
pub use run_history::{Measure, MethodHistory, MethodPoint};
pub use store::Store;
pub use store_error::StoreError;
