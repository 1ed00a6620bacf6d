//! Histories: keeping runs, `wattle runs`, `wattle history`.

mod energy_series;
mod git_state;
mod history_text;
mod keeping;
mod recorded_facts;
mod run_import;
mod run_list;
mod run_removal;
mod shown_history;
mod text_columns;
mod utc_time;

pub use keeping::Keeping;
pub use recorded_facts::{facts_of_folder, facts_of_run};
pub use run_list::runs;
pub use shown_history::history;
