//! The report of a job that makes no run: on a part of a run, or on files that have no length in time.

use std::sync::Arc;

use axum::extract::{Path, State};
use axum::http::HeaderMap;
use axum::response::Response;
use wattle_jobs::{JobId, JobKind, JobOutput, ProjectId, Role};

use super::run_api::view_response;
use crate::http::{WebError, WebErrorKind};
use crate::ledger_views::{self, Headline, ShownApp};
use crate::rendered_views::RenderedView;
use crate::site::{ApiCaller, Site};

/// The ledger among the files that a job made.
const LEDGER: &str = "run.ledger.json.zst";

/// The ledger that a job's report is of.
pub fn report_ledger(outputs: &[JobOutput]) -> Option<&JobOutput> {
    outputs.iter().find(|output| output.name == LEDGER)
}

impl Site {
    /// The page's data of a job's own report.
    pub async fn job_report_data(
        &self,
        project: ProjectId,
        job: JobId,
    ) -> Result<RenderedView, WebError> {
        let jobs = self.data.jobs();
        let job = jobs.job(project, job).await?;
        let app = match job.kind {
            JobKind::Range(options) => options.analysis.app,
            JobKind::Analyse(options) => options.app,
            _ => return Err(WebError::not_found()),
        };
        let outputs = jobs.outputs(project, job.id).await?;
        let no_such = || WebError::new(WebErrorKind::NotFound, "this job made no report");
        let ledger = report_ledger(&outputs).ok_or_else(no_such)?;
        let digest = ledger.sha256.as_str();
        if let Some(view) = self.page_data_of(project, &outputs, (digest, false)).await? {
            return Ok(view);
        }
        // Another version of the program made it.
        let path = jobs.output_path(project, ledger);
        let load =
            async move { tokio::fs::read(path).await.map_err(|error| WebError::internal(&error)) };
        let key = app.clone().unwrap_or_default();
        let make = move |bytes: Vec<u8>| {
            ledger_views::page_data(&bytes, ShownApp { name: app.as_deref(), is_asked: false })
        };
        self.views.get(&[digest, "page-data of job", &key], load, make).await
    }
}

impl Site {
    /// The first lines of the report of a job that analysed files and made no run, as `wattle report` prints them.
    pub async fn report_lines(
        &self,
        project: ProjectId,
        kind: &JobKind,
        outputs: &[JobOutput],
    ) -> Result<Vec<String>, WebError> {
        let (JobKind::Analyse(options), Some(ledger)) = (kind, report_ledger(outputs)) else {
            return Ok(Vec::new());
        };
        let path = self.data.jobs().output_path(project, ledger);
        let load =
            async move { tokio::fs::read(path).await.map_err(|error| WebError::internal(&error)) };
        let app = options.app.clone();
        let key = app.clone().unwrap_or_default();
        let make = move |bytes: Vec<u8>| {
            ledger_views::headline(&bytes, ShownApp { name: app.as_deref(), is_asked: false })
        };
        let view = self.views.get(&[&ledger.sha256, "headline of job", &key], load, make).await?;
        let headline: Headline =
            serde_json::from_slice(&view.content()?).map_err(|error| WebError::internal(&error))?;
        Ok(headline.summary.lines().map(str::to_owned).collect())
    }
}

/// Show the data of the page about a job's own report: of a part of a run, or of files that have no length in time.
#[utoipa::path(get, path = "/projects/{project}/jobs/{job}/page-data.json", tag = "jobs",
    params(("project" = String, Path, description = "Name of the project"), ("job" = i64, Path, description = "Number of the job")),
    responses((status = 200, description = "The data", content_type = "application/json"), (status = 304), (status = "4XX", body = WebError)))]
pub async fn page_data(
    State(site): State<Arc<Site>>,
    ApiCaller(identity): ApiCaller,
    Path((project, job)): Path<(String, i64)>,
    headers: HeaderMap,
) -> Result<Response, WebError> {
    let project = site.project(&identity, &project, Role::Reader).await?;
    let view = site.job_report_data(project.id, JobId(job)).await?;
    Ok(view_response(&view, "application/json", &headers))
}
