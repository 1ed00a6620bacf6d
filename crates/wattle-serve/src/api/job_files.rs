//! Files that jobs made.

use std::sync::Arc;

use axum::body::Body;
use axum::extract::{Path, State};
use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse as _, Response};
use futures_util::stream;
use serde::Serialize;
use tokio::fs::File;
use tokio::io::AsyncReadExt as _;
use utoipa::ToSchema;
use wattle_jobs::{JobId, JobOutput, Role};

use crate::http::{WebError, WebErrorKind};
use crate::path_segment::segment;
use crate::site::{ApiCaller, Site};

/// Bytes that are read at once.
const PART: usize = 1 << 18;

/// A file that a job made.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct JobFile {
    /// Its name, such as `instrument.json`.
    pub name: String,
    /// Its length.
    pub bytes: u64,
    /// The address of its content.
    pub url: String,
}

impl JobFile {
    /// An output of a job of a project.
    pub fn new(project: &str, job: JobId, output: &JobOutput) -> Self {
        let (project, name) = (segment(project), segment(&output.name));
        Self {
            name: output.name.clone(),
            bytes: output.bytes,
            url: format!("/api/v1/projects/{project}/jobs/{job}/files/{name}"),
        }
    }
}

/// Download a file that a job made, by its name with `%2F` for `/`: of a package `verify.json`, `instrument.json`, the rewritten package and
/// its probe map (`probed%2F…`), of a recording `report.json` and `run.ledger.json.zst`.
#[utoipa::path(get, path = "/projects/{project}/jobs/{job}/files/{file}", tag = "jobs",
    params(("project" = String, Path, description = "Name of the project"), ("job" = i64, Path, description = "Number of the job"),
        ("file" = String, Path, description = "Name of the file")),
    responses((status = 200, description = "The file", content_type = "application/octet-stream"), (status = "4XX", body = WebError)))]
pub async fn file(
    State(site): State<Arc<Site>>,
    ApiCaller(identity): ApiCaller,
    Path((project, job, name)): Path<(String, i64, String)>,
) -> Result<Response, WebError> {
    let project = site.project(&identity, &project, Role::Reader).await?;
    let jobs = site.data.jobs();
    let outputs = jobs.outputs(project.id, JobId(job)).await?;
    let no_such = || WebError::new(WebErrorKind::NotFound, "this job made no such file");
    let output = outputs.into_iter().find(|output| output.name == name).ok_or_else(no_such)?;
    let path = jobs.output_path(project.id, &output);
    let opened = File::open(path).await.map_err(|error| WebError::internal(&error))?;
    let parts = stream::try_unfold(opened, async |mut opened: File| {
        let mut part = vec![0; PART];
        let count = opened.read(&mut part).await?;
        part.truncate(count);
        Ok::<_, std::io::Error>((count > 0).then_some((part, opened)))
    });
    let mut response = Body::from_stream(parts).into_response();
    let headers = response.headers_mut();
    // Never a page: what a job made is made of what somebody uploaded.
    let ending = std::path::Path::new(&output.name).extension();
    let is_json = ending.is_some_and(|ending| ending == "json");
    let kind = if is_json { "application/json" } else { "application/octet-stream" };
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(kind));
    headers.insert(header::CONTENT_LENGTH, HeaderValue::from(output.bytes));
    let last = output.name.rsplit('/').next().unwrap_or_default();
    let safe = |it: char| if it.is_ascii_alphanumeric() || "._-".contains(it) { it } else { '_' };
    let disposition =
        format!("attachment; filename=\"{}\"", last.chars().map(safe).collect::<String>());
    if let Ok(value) = HeaderValue::from_str(&disposition) {
        headers.insert(header::CONTENT_DISPOSITION, value);
    }
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("private, no-cache"));
    Ok(response)
}
