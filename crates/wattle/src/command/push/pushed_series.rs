//! The runs of a series, as files that a server takes in: the recording of each, so that it is diagnosed there; of a run whose recording
//! is not complete, its saved ledger.

use std::io::Write as _;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use wattle_store::LedgerFile;

use crate::command::history::{RecordedRun, recorded_runs};
use crate::command::kept_runs::SavedRun;
use crate::exit::Failure;

/// Files that become one job: its files, and its title if there is a better one than the first file's name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PushedJob {
    /// The files.
    pub files: Vec<PathBuf>,
    /// The title.
    pub title: Option<String>,
}

/// Each run of a folder of `wattle run` or `wattle record` with several runs: its recording, or a saved ledger with the facts of its run,
/// which is written into `folder`. `None` for the folder of one recording, and for anything else.
pub fn runs_of_series(path: &Path, folder: &Path) -> Result<Option<Vec<PushedJob>>, Failure> {
    let Ok(runs) = recorded_runs(path) else { return Ok(None) };
    if runs.iter().all(|run| run.folder == path) {
        return Ok(None);
    }
    let series = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let series = series.file_name().map(|name| name.to_string_lossy().into_owned());
    let series = series.unwrap_or_else(|| "series".to_owned());
    let mut jobs = Vec::new();
    warn_of_missing(path, &runs);
    for run in runs {
        if leads_elsewhere(&run.folder) || leads_elsewhere(&run.ledger) {
            let text = format!(
                "{}: a symbolic link, which is not followed: give the file that it leads to",
                run.ledger.display()
            );
            return Err(Failure::Input(anyhow::anyhow!(text)));
        }
        let number = run.folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let title = Some(format!("{series} run {number}"));
        if let Some(files) = whole_recording(&run.folder) {
            jobs.push(PushedJob { files, title });
            continue;
        }
        warn(&format!(
            "{} run {number}: its recording is not complete, so its saved ledger is sent, which has no findings",
            path.display()
        ));
        let SavedRun { bytes, .. } = SavedRun::read(&run.ledger)?;
        // Series of one name in different folders stay apart.
        let own = (0_u32..).map(|nth| folder.join(nth.to_string()));
        let name = format!("{series} run {number}.ledger.json.zst");
        let own = own.map(|own| own.join(&name)).find(|file| !file.exists());
        let file = own.unwrap_or_else(|| folder.join(&name));
        if let Some(own) = file.parent() {
            let made = std::fs::create_dir_all(own);
            made.with_context(|| own.display().to_string()).map_err(Failure::Environment)?;
        }
        let bytes = LedgerFile { ledger: bytes, facts: Some(run.facts) }.to_bytes();
        let written = std::fs::write(&file, bytes);
        written.with_context(|| file.display().to_string()).map_err(Failure::Environment)?;
        jobs.push(PushedJob { files: vec![file], title });
    }
    Ok(Some(jobs))
}

fn warn(text: &str) {
    // Nobody is there to be told where standard error is closed.
    let _ = writeln!(std::io::stderr(), "warning: {}", wattle_report::clean(text));
}

/// Says which runs of a series count and have nothing to be sent.
fn warn_of_missing(path: &Path, found: &[RecordedRun]) {
    let Ok(recording) = wattle_recording::load(path) else { return };
    for run in recording.iterations.iter().filter(|run| run.counts()) {
        let number = run.number.to_string();
        let is_there =
            |of: &RecordedRun| of.folder.file_name().is_some_and(|it| it == number.as_str());
        if !found.iter().any(is_there) {
            warn(&format!(
                "{} run {number}: no ledger of it is left, so it is not sent",
                path.display()
            ));
        }
    }
}

/// The description of a run's recording and all files that it names; `None` where one of them is missing or is no file of its own.
fn whole_recording(folder: &Path) -> Option<Vec<PathBuf>> {
    let recording = wattle_recording::load(folder).ok()?;
    let is_file = |path: &PathBuf| path.symlink_metadata().is_ok_and(|known| known.is_file());
    let description = folder.join(wattle_recording::FILE_NAME);
    let named = recording.artifacts.iter().map(|artifact| {
        // A name with folders in it could lead out of this one.
        let name = Path::new(&artifact.file).file_name()?;
        (name == artifact.file.as_str()).then(|| folder.join(name))
    });
    let files: Option<Vec<PathBuf>> = std::iter::once(Some(description)).chain(named).collect();
    files.filter(|files| files.len() > 1 && files.iter().all(is_file))
}

/// Whether a path is itself a link: what it leads to may be outside of the folder that was given.
fn leads_elsewhere(path: &Path) -> bool {
    path.symlink_metadata().is_ok_and(|known| known.file_type().is_symlink())
}
