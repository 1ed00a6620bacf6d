//! The runs of a series, as files that a server takes in.

use std::path::{Path, PathBuf};

use anyhow::Context as _;
use wattle_store::LedgerFile;

use crate::command::history::recorded_runs;
use crate::command::kept_runs::SavedRun;
use crate::exit::Failure;

/// Writes each run of a folder of `wattle run` or `wattle record` with several runs as a saved ledger with the facts of its run into
/// `folder`. `None` for the folder of one recording, and for anything else.
pub fn runs_of_series(path: &Path, folder: &Path) -> Result<Option<Vec<PathBuf>>, Failure> {
    let Ok(runs) = recorded_runs(path) else { return Ok(None) };
    if runs.iter().all(|run| run.folder == path) {
        return Ok(None);
    }
    let series = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let series = series.file_name().map(|name| name.to_string_lossy().into_owned());
    let series = series.unwrap_or_else(|| "series".to_owned());
    let mut files = Vec::new();
    for run in runs {
        if leads_elsewhere(&run.folder) || leads_elsewhere(&run.ledger) {
            let text = format!(
                "{}: a symbolic link, which is not followed: give the file that it leads to",
                run.ledger.display()
            );
            return Err(Failure::Input(anyhow::anyhow!(text)));
        }
        let SavedRun { bytes, .. } = SavedRun::read(&run.ledger)?;
        let number = run.folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
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
        files.push(file);
    }
    Ok(Some(files))
}

/// Whether a path is itself a link: what it leads to may be outside of the folder that was given.
fn leads_elsewhere(path: &Path) -> bool {
    path.symlink_metadata().is_ok_and(|known| known.file_type().is_symlink())
}
