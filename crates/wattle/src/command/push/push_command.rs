//! `wattle push` itself: upload in parts, submit, wait.

use std::fs::File;
use std::io::{Read, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context as _, anyhow};
use serde::{Deserialize, Serialize};
use serde_json::json;
use wattle_ingest::Progress as _;

use super::server_client::{Content, ServerClient};
use crate::cli::Push;
use crate::command::output;
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
    let files = files(&flags.files)?;
    let client = ServerClient::new(&flags.server, flags.token_file.as_deref())?;
    let project = format!("/projects/{}", path_segment(&flags.project));
    let mut uploaded = Vec::new();
    for file in &files {
        uploaded.push(upload(&client, &project, file, flags.quiet)?);
    }
    let request = json!({
        "files": uploaded, "title": flags.title.clone().unwrap_or_default(), "app": flags.app, "app_version": flags.app_version,
        "commit": flags.commit, "branch": flags.branch, "scenario": flags.scenario_name,
    });
    let mut job: JobState =
        client.ask("POST", &format!("{project}/jobs"), Content::Json(&request))?;
    if !flags.no_wait {
        let _activity = Activity::new("waiting for the report", flags.quiet);
        let path = format!("{project}/jobs/{}", job.id);
        while matches!(job.state.as_str(), "queued" | "running") {
            std::thread::sleep(PAUSE);
            job = client.ask("GET", &path, Content::Nothing)?;
        }
    }
    job.url = client.address(&job.url);
    for run in &mut job.runs {
        run.url = client.address(&run.url);
        let path = format!("{project}/runs/{}/files/headline.json", run.id);
        let headline: Headline = client.ask("GET", &path, Content::Nothing)?;
        run.summary = Some(headline.summary);
    }
    show(flags, &job)?;
    match job.state.as_str() {
        "failed" | "cancelled" => {
            let reason = job.reason.unwrap_or(job.state);
            Err(Failure::Input(anyhow!("{}: {reason}", job.title)))
        }
        _ => Ok(()),
    }
}

fn show(flags: &Push, job: &JobState) -> Outcome {
    if let Some(path) = &flags.json {
        output::write_json(path, job)?;
        if output::is_stdout(Some(path)) {
            return Ok(());
        }
    }
    let mut lines: Vec<&str> = Vec::new();
    for run in &job.runs {
        lines.extend([run.summary.as_deref().unwrap_or_default(), run.url.as_str()]);
    }
    if job.runs.is_empty() {
        lines.push(&job.url);
    }
    output::print((lines.join("\n") + "\n").as_bytes())
}

/// The files that are named, and those of named folders: a recording's folder has no others below it.
fn files(named: &[PathBuf]) -> Result<Vec<PathBuf>, Failure> {
    let mut files = Vec::new();
    for path in named {
        if path.is_dir() {
            let entries = std::fs::read_dir(path).with_context(|| path.display().to_string());
            let entries = entries.map_err(Failure::Input)?.flatten().map(|entry| entry.path());
            let mut inside: Vec<PathBuf> = entries.filter(|path| path.is_file()).collect();
            inside.sort();
            files.append(&mut inside);
        } else {
            files.push(path.clone());
        }
    }
    match files.len() {
        0 => Err(Failure::Usage(anyhow!("nothing to upload: the folder has no files"))),
        1..=MOST_FILES => Ok(files),
        count => Err(Failure::Usage(anyhow!("{count} files: a job has at most {MOST_FILES}"))),
    }
}

/// Uploads a file in parts. After a break it goes on with what the server has. Returns the file's number.
fn upload(client: &ServerClient, project: &str, path: &Path, quiet: bool) -> Result<i64, Failure> {
    let reading = || format!("reading {}", path.display());
    let mut file = File::open(path).with_context(reading).map_err(Failure::Input)?;
    let bytes = file.metadata().with_context(reading).map_err(Failure::Input)?.len();
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
            .and_then(|_| file.by_ref().take(upload.part_bytes).read_to_end(&mut part));
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
    let stored: FileState = client.ask("POST", &format!("{place}/finish"), Content::Nothing)?;
    Ok(stored.id)
}

/// One segment of a path.
fn path_segment(text: &str) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~".contains(&byte);
    let part = |byte: u8| {
        if is_plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") }
    };
    text.bytes().map(part).collect()
}
