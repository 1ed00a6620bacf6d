//! `wattle push` itself: upload in parts, submit, wait.

use std::fs::File;
use std::io::{Read, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context as _, anyhow};
use serde::{Deserialize, Serialize};
use serde_json::json;
use wattle_ingest::Progress as _;

use super::pushed_series::{PushedJob, runs_of_series};
use crate::cli::Push;
use crate::command::output;
use crate::command::server_client::{Content, ServerClient};
use crate::exit::{Failure, Outcome};
use crate::progress::{Activity, Bar};

/// The pause between two questions about a job.
const PAUSE: Duration = Duration::from_millis(400);
/// Files of one job.
const MOST_FILES: usize = 200;

#[derive(Deserialize)]
struct UploadState {
    id: String,
    received: u64,
    part_bytes: u64,
}

#[derive(Deserialize)]
struct FileState {
    id: i64,
}

/// The job, in JSON: that of the server, with whole addresses.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct JobState {
    id: i64,
    url: String,
    title: String,
    state: String,
    reason: Option<String>,
    runs: Vec<JobRun>,
    /// The page of a report that is no run.
    #[serde(default)]
    report: Option<String>,
    /// Lines about what came out, where that is no run.
    #[serde(default)]
    answer: Vec<String>,
    #[serde(default)]
    files: Vec<JobFile>,
}

/// A file that the job made.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct JobFile {
    name: String,
    bytes: u64,
    url: String,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct JobRun {
    id: i64,
    url: String,
    /// The first lines of the report's summary.
    #[serde(default)]
    summary: Option<String>,
}

#[derive(Deserialize)]
struct Headline {
    summary: String,
}

/// Runs `wattle push`.
pub fn push(flags: &Push) -> Outcome {
    let folder = tempfile::tempdir().context("a temporary folder").map_err(Failure::Environment)?;
    let pushed = pushed_files(&flags.files, folder.path())?;
    let client = ServerClient::new(&flags.server, flags.access.token_file.as_deref())?;
    let project = ServerClient::project(&flags.access.project);
    let mut jobs = Vec::new();
    for of in &pushed {
        match submit(&client, &project, flags, of) {
            Ok(job) => jobs.push(job),
            Err(failure) => {
                // What is on its way already is looked at there.
                for job in &jobs {
                    let url = wattle_report::clean(&client.address(&job.url));
                    let _ = writeln!(std::io::stderr(), "wattle: sent before: {url}");
                }
                return Err(failure);
            }
        }
    }
    for job in &mut jobs {
        follow(&client, &project, flags, job)?;
    }
    show(flags, &jobs)?;
    for job in jobs {
        if matches!(job.state.as_str(), "failed" | "cancelled") {
            let reason = job.reason.unwrap_or(job.state);
            return Err(Failure::Input(anyhow!("{}: {reason}", job.title)));
        }
    }
    Ok(())
}

/// The files of each job: all that are named are one, and each run of a series is one of its own.
fn pushed_files(named: &[PathBuf], folder: &Path) -> Result<Vec<PushedJob>, Failure> {
    let (mut together, mut jobs) = (Vec::new(), Vec::new());
    for path in named {
        match runs_of_series(path, folder)? {
            Some(runs) => jobs.extend(runs),
            None => together.push(path.clone()),
        }
    }
    if jobs.is_empty() || !together.is_empty() {
        jobs.insert(0, PushedJob { files: files(&together)?, title: None });
    }
    Ok(jobs)
}

/// Uploads files and makes them a job.
fn submit(
    client: &ServerClient,
    project: &str,
    flags: &Push,
    of: &PushedJob,
) -> Result<JobState, Failure> {
    let mut uploaded = Vec::new();
    for file in &of.files {
        uploaded.push(upload(client, project, file, flags.quiet)?);
    }
    let facts = &flags.facts;
    let request = json!({
        "files": uploaded, "title": flags.title.as_ref().or(of.title.as_ref()).map_or("", String::as_str), "app": flags.app, "app_version": facts.app_version,
        "commit": facts.commit, "branch": facts.branch, "scenario": facts.scenario_name,
    });
    Ok(client.ask("POST", &format!("{project}/jobs"), Content::Json(&request))?)
}

/// Waits for a job, unless nobody wants to, and asks for what came out.
fn follow(client: &ServerClient, project: &str, flags: &Push, job: &mut JobState) -> Outcome {
    if !flags.no_wait {
        let _activity = Activity::new("waiting for the report", flags.quiet);
        let path = format!("{project}/jobs/{}", job.id);
        while matches!(job.state.as_str(), "queued" | "running") {
            std::thread::sleep(PAUSE);
            *job = client.ask("GET", &path, Content::Nothing)?;
        }
    }
    job.url = client.address(&job.url);
    job.report = job.report.take().map(|path| client.address(&path));
    for file in &mut job.files {
        file.url = client.address(&file.url);
    }
    for run in &mut job.runs {
        run.url = client.address(&run.url);
        let path = format!("{project}/runs/{}/files/headline.json", run.id);
        let headline: Headline = client.ask("GET", &path, Content::Nothing)?;
        run.summary = Some(headline.summary);
    }
    Ok(())
}

fn show(flags: &Push, jobs: &[JobState]) -> Outcome {
    if let Some(path) = &flags.json {
        match jobs {
            [only] => output::write_json(path, only)?,
            several => output::write_json(path, &several)?,
        }
        if output::is_stdout(Some(path)) {
            return Ok(());
        }
    }
    // Names in it come from the files.
    let lines: String = jobs
        .iter()
        .flat_map(lines_of)
        .flat_map(str::lines)
        .map(|line| wattle_report::clean(line) + "\n")
        .collect();
    output::print(lines.as_bytes())
}

fn lines_of(job: &JobState) -> Vec<&str> {
    let mut lines: Vec<&str> = Vec::new();
    for run in &job.runs {
        lines.extend([run.summary.as_deref().unwrap_or_default(), run.url.as_str()]);
    }
    lines.extend(job.answer.iter().map(String::as_str));
    if job.runs.is_empty() {
        // A report of a recording is looked at on its page; what a package has become is a file.
        if job.report.is_none() && !job.answer.is_empty() {
            lines.extend(job.files.iter().map(|file| file.url.as_str()));
        }
        lines.push(job.report.as_deref().unwrap_or(&job.url));
    }
    lines
}

/// The files that are named, and those of named folders: a recording's folder has no others below it. A link in a folder may lead anywhere,
/// so that it is left out, and said.
fn files(named: &[PathBuf]) -> Result<Vec<PathBuf>, Failure> {
    let mut files = Vec::new();
    let (mut links, mut others) = (0, 0);
    for path in named {
        if !path.is_dir() {
            files.push(path.clone());
            continue;
        }
        let reading = || path.display().to_string();
        let mut inside = Vec::new();
        for entry in std::fs::read_dir(path).with_context(reading).map_err(Failure::Input)? {
            let entry = entry.with_context(reading).map_err(Failure::Input)?;
            let kind = entry.file_type().with_context(reading).map_err(Failure::Input)?;
            if kind.is_symlink() {
                links += 1;
            } else if kind.is_file() {
                inside.push(entry.path());
            } else if !kind.is_dir() {
                others += 1;
            }
        }
        inside.sort();
        files.append(&mut inside);
    }
    let left_out = match links {
        1 => "1 symbolic link in a folder is not followed; name its target to upload it".to_owned(),
        links => {
            format!(
                "{links} symbolic links in folders are not followed; name their targets to upload them"
            )
        }
    };
    match files.len() {
        0 if links > 0 => Err(Failure::Usage(anyhow!("nothing to upload: {left_out}"))),
        0 => Err(Failure::Usage(anyhow!("nothing to upload: the folder has no files"))),
        1..=MOST_FILES => {
            // Nobody is there to be told where standard error is closed.
            if links > 0 {
                let _ = writeln!(std::io::stderr(), "wattle: {left_out}");
            }
            if others > 0 {
                let words = if others == 1 { "thing that is" } else { "things that are" };
                let _ = writeln!(
                    std::io::stderr(),
                    "wattle: {others} {words} no regular file in a folder is left out"
                );
            }
            Ok(files)
        }
        count => Err(Failure::Usage(anyhow!("{count} files: a job has at most {MOST_FILES}"))),
    }
}

/// Uploads a file in parts. After a break it goes on with what the server has. Returns the file's number.
fn upload(client: &ServerClient, project: &str, path: &Path, quiet: bool) -> Result<i64, Failure> {
    let reading = || format!("reading {}", path.display());
    // Opening a pipe would wait for whoever writes into it.
    let known = path.metadata().with_context(reading).map_err(Failure::Input)?;
    if !known.is_file() {
        return Err(Failure::Input(anyhow!("{}: not a regular file", path.display())));
    }
    let mut file = File::open(path).with_context(reading).map_err(Failure::Input)?;
    let begun = file.metadata().with_context(reading).map_err(Failure::Input)?;
    let bytes = begun.len();
    let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy();
    let new = json!({ "name": name, "bytes": bytes });
    let mut upload: UploadState =
        client.ask("POST", &format!("{project}/uploads"), Content::Json(&new))?;
    let place = format!("{project}/uploads/{}", upload.id);
    let mut bar = Bar::named("sending", quiet);
    while upload.received < bytes {
        bar.advance(upload.received, Some(bytes));
        let from = upload.received;
        let mut part = Vec::new();
        let read = file
            .seek(SeekFrom::Start(from))
            .and_then(|_| Read::by_ref(&mut file).take(upload.part_bytes).read_to_end(&mut part));
        read.with_context(reading).map_err(Failure::Input)?;
        if part.is_empty() {
            let text = format!("{} has become shorter while it was sent", path.display());
            return Err(Failure::Input(anyhow!(text)));
        }
        upload = match client.ask("PATCH", &place, Content::Part(from, &part)) {
            Ok(upload) => upload,
            // An answer was lost on its way: the server knows how much it has.
            Err(refusal) if refusal.status == 409 => {
                let now: UploadState = client.ask("GET", &place, Content::Nothing)?;
                if now.received == from {
                    return Err(refusal.into());
                }
                now
            }
            Err(refusal) => return Err(refusal.into()),
        };
    }
    // Two states of a file in one upload would be a file that never was.
    let ended = file.metadata().with_context(reading).map_err(Failure::Input)?;
    if ended.len() != bytes || ended.modified().ok() != begun.modified().ok() {
        let text = format!(
            "{} was changed while it was sent, and is not kept; send it again once it is finished",
            path.display()
        );
        return Err(Failure::Input(anyhow!(text)));
    }
    let stored: FileState = client.ask("POST", &format!("{place}/finish"), Content::Nothing)?;
    Ok(stored.id)
}
