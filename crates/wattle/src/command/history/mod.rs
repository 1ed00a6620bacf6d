//! Histories: keeping runs, `wattle runs`, `wattle history`.

mod aligned_columns;
mod energy_series;
mod git_state;
mod judged_text;
mod judged_versions;
mod keeping;
mod page_files;
mod recorded_facts;
mod recorded_runs;
mod run_import;
mod run_list;
mod run_removal;
mod runs_verb;
mod shown_history;
mod versions_text;

pub use git_state::commit_without_runs;
pub use keeping::Keeping;
pub use recorded_facts::{facts_of_folder, facts_of_run};
pub use recorded_runs::{RecordedRun, recorded_runs};
pub use runs_verb::runs;
pub use shown_history::history;
