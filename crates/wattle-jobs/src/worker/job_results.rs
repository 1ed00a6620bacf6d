//! The results of a job: its runs go into the project's history, its files among the project's.

use std::fs::{self, File};
use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};

use sha2::{Digest as _, Sha256};
use tokio::sync::{Semaphore, SemaphorePermit};
use wattle_ledger::Ledger;
use wattle_store::{AsyncStore, LedgerFile, NewRun, RunId};

use super::job_command::{HISTORY, OUTPUTS, PROBED, RECORDING};
use crate::base::{ServerError, hex};
use crate::queue::{JobClaim, JobOutput};
use crate::server_data::ServerData;
use crate::uploads::{path_name, store_content};

/// Bytes of a ledger's file.
const MOST_LEDGER: u64 = 1 << 30;
/// Runs of one job.
const MOST_RUNS: usize = 1000;
/// The turn to read ledgers: one at a time is in the memory of this process, however many workers it has.
static TURN: Semaphore = Semaphore::const_new(1);
/// Files of a recording.
const MOST_FILES: usize = 200;

/// Keeps the runs of a job in its project's history, each under a key of its own, so that a second worker with the same job adds none.
pub(crate) async fn keep_runs(
    data: &ServerData,
    claim: &JobClaim,
    out: &Path,
) -> Result<Vec<RunId>, ServerError> {
    let ledgers = out.join(HISTORY).join("ledgers");
    let files = files_below(&ledgers, "zst", MOST_RUNS);
    let _turn = wait_for_turn(data, claim).await?;
    let new = tokio::task::spawn_blocking(move || {
        let mut new = Vec::new();
        for file in files {
            new.push(read_run(&file)?);
        }
        // The order is that in which they were recorded, and does not depend on anything else.
        new.sort_by_cached_key(|it: &NewRun| {
            let facts = &it.facts;
            (facts.circumstances.started_ms, facts.labels.iteration, it.kept_ledger().sha256)
        });
        Ok::<_, ServerError>(new)
    });
    let new = new.await;
    let new =
        new.map_err(|error| ServerError::Machine { task: "ledgers", reason: error.to_string() })??;
    let project = claim.job.project;
    if new.is_empty() {
        return Ok(Vec::new());
    }
    let mut store = AsyncStore::open(&data.history_location(project)).await?;
    let mut runs = Vec::new();
    for (at, run) in new.iter().enumerate() {
        runs.push(store.keep_once(run, &format!("{}:{at}", claim.key)).await?);
    }
    store.close().await?;
    Ok(runs)
}

/// Waits for the turn to read ledgers, and shows meanwhile that the worker is alive.
async fn wait_for_turn(
    data: &ServerData,
    claim: &JobClaim,
) -> Result<SemaphorePermit<'static>, ServerError> {
    let beat_every = data.limits().lease / 5;
    loop {
        match tokio::time::timeout(beat_every, TURN.acquire()).await {
            Ok(turn) => {
                let closed = |error: tokio::sync::AcquireError| ServerError::Machine {
                    task: "ledgers",
                    reason: error.to_string(),
                };
                return turn.map_err(closed);
            }
            Err(_) => data.claims().beat(claim).await.map(drop)?,
        }
    }
}

/// The run in a file that the job's program kept in a history of its own. Nothing but ledgers is read of that history.
fn read_run(path: &Path) -> Result<NewRun, ServerError> {
    let mut bytes = Vec::new();
    let file = open_itself(path).map_err(ServerError::file(path))?;
    file.take(MOST_LEDGER).read_to_end(&mut bytes).map_err(ServerError::file(path))?;
    let file = LedgerFile::from_bytes(bytes)?;
    let ledger = Ledger::from_bytes(&file.ledger)
        .map_err(|error| ServerError::invalid("the job's ledger", error.to_string()))?;
    Ok(NewRun::with_bytes(file.facts.unwrap_or_default(), &ledger, file.ledger))
}

/// Stores the files that a job made among its project's.
pub(crate) async fn keep_outputs(
    data: &ServerData,
    claim: &JobClaim,
    out: &Path,
) -> Result<Vec<JobOutput>, ServerError> {
    let mut files: Vec<(String, PathBuf)> =
        OUTPUTS.iter().map(|name| ((*name).to_owned(), out.join(name))).collect();
    let folders = [RECORDING, PROBED].map(|folder| files_below(&out.join(folder), "", MOST_FILES));
    for path in folders.into_iter().flatten() {
        let inner = path.strip_prefix(out).unwrap_or(&path).to_string_lossy().into_owned();
        files.push((inner.split('/').map(path_name).collect::<Vec<_>>().join("/"), path));
    }
    let (location, project) = (data.location().clone(), claim.job.project);
    // Beside `out/`, where the job's process cannot write if it is confined.
    let unfinished = out.with_file_name("kept");
    let stored = tokio::task::spawn_blocking(move || {
        let mut outputs: Vec<JobOutput> = Vec::new();
        for (name, path) in files {
            if !is_file(&path) || outputs.iter().any(|output| output.name == name) {
                continue;
            }
            // A copy, because something that the job has started may still have the file open.
            let (sha256, bytes) = copy(&path, &unfinished).map_err(ServerError::file(&path))?;
            store_content(&unfinished, &location.content_file(project, &sha256), bytes)?;
            outputs.push(JobOutput { name, sha256, bytes });
        }
        Ok(outputs)
    });
    let stored = stored.await;
    stored.map_err(|error| ServerError::Machine { task: "outputs", reason: error.to_string() })?
}

/// A file itself, not something that leads elsewhere.
fn is_file(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|known| known.is_file())
}

/// Files of a folder and of the folders in it, by name; links lead nowhere.
fn files_below(folder: &Path, ending: &str, most: usize) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut folders = vec![(folder.to_owned(), 0)];
    while let Some((folder, depth)) = folders.pop() {
        for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
            let path = entry.path();
            let Ok(kind) = entry.file_type() else { continue };
            let has_ending = ending.is_empty() || path.extension().is_some_and(|it| it == ending);
            if kind.is_dir() && depth < 4 {
                folders.push((path, depth + 1));
            } else if kind.is_file() && has_ending && files.len() < most {
                files.push(path);
            }
        }
    }
    files.sort();
    files
}

/// Opens a file, and nothing that it leads to.
fn open_itself(path: &Path) -> std::io::Result<File> {
    let mut options = File::options();
    options.read(true);
    #[cfg(unix)]
    {
        let flags = rustix::fs::OFlags::NOFOLLOW | rustix::fs::OFlags::NONBLOCK;
        std::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, flags.bits() as i32);
    }
    options.open(path)
}

/// Copies a file, and returns its SHA-256 and its length.
fn copy(from: &Path, to: &Path) -> std::io::Result<(String, u64)> {
    // It may be a second name of what was stored before.
    let _ = fs::remove_file(to);
    let (mut source, mut target) = (open_itself(from)?, File::create_new(to)?);
    let (mut digest, mut bytes, mut buffer) = (Sha256::new(), 0, vec![0; 1 << 20]);
    loop {
        match source.read(&mut buffer)? {
            0 => return Ok((hex(&digest.finalize()), bytes)),
            count => {
                let part = buffer.get(..count).unwrap_or_default();
                target.write_all(part)?;
                digest.update(part);
                bytes += count as u64;
            }
        }
    }
}
