//! The runs in a folder of `wattle run` or `wattle record`.

use std::path::{Path, PathBuf};

use wattle_recording::{Iteration, RecordingError};
use wattle_store::RunFacts;

use super::recorded_facts::{facts_of_folder, facts_of_run};
use crate::command::run_ledger::RUN_LEDGER;

/// A run of a folder.
pub struct RecordedRun {
    /// Its own folder.
    pub folder: PathBuf,
    /// The file of its ledger.
    pub ledger: PathBuf,
    /// Its facts.
    pub facts: RunFacts,
    /// Whether it is of the first of two builds.
    pub is_of_first_build: bool,
}

/// The runs of a folder that have a ledger. Warm-up runs and runs that did not pass do not count.
pub fn recorded_runs(path: &Path) -> Result<Vec<RecordedRun>, RecordingError> {
    let only = path.join(RUN_LEDGER);
    if only.is_file() {
        let facts = facts_of_folder(path);
        let run =
            RecordedRun { folder: path.to_owned(), ledger: only, facts, is_of_first_build: false };
        return Ok(vec![run]);
    }
    let recording = wattle_recording::load(path)?;
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned());
    let labels: Vec<&str> = recording.apps.iter().filter_map(|app| app.label.as_deref()).collect();
    let first = labels.first().copied().filter(|_| labels.len() > 1);
    let of_run = |run: &Iteration| {
        let folder = path.join(run.number.to_string());
        RecordedRun {
            ledger: folder.join(RUN_LEDGER),
            folder,
            facts: facts_of_run(&recording, Some(run), name.as_deref()),
            is_of_first_build: first.is_some() && run.app.as_deref() == first,
        }
    };
    let runs = recording.iterations.iter().filter(|run| run.counts()).map(of_run);
    Ok(runs.filter(|run| run.ledger.is_file()).collect())
}
