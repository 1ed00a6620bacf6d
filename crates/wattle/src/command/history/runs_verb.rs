//! `wattle runs`: its operations.

use std::path::Path;

use wattle_store::RunId;

use super::{run_import, run_list, run_removal};
use crate::cli::{HistoryPlace, Runs, RunsVerb};
use crate::command::kept_runs::{failure, nothing_kept, open_existing};
use crate::command::{output, whole_file};
use crate::exit::Outcome;

/// Runs `wattle runs`.
pub fn runs(flags: &Runs) -> Outcome {
    match &flags.verb {
        None => run_list::list(&flags.list),
        Some(RunsVerb::Export { run, file, place }) => export(*run, file, place),
        Some(RunsVerb::Import(import)) => run_import::import(import),
        Some(RunsVerb::Delete { runs, place }) => run_removal::delete(runs, place),
        Some(RunsVerb::Prune(prune)) => run_removal::prune(prune),
    }
}

fn export(run: RunId, file: &Path, place: &HistoryPlace) -> Outcome {
    let mut store = open_existing(place)?.ok_or_else(nothing_kept)?;
    let bytes = store.ledger(run).map_err(failure)?.to_bytes();
    if output::is_stdout(Some(file)) {
        return output::print(&bytes);
    }
    whole_file::write(file, &bytes)?;
    output::say_written(file, place.quiet);
    Ok(())
}
