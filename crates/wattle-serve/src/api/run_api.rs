//! Runs: facts, reports, tables, ledgers.

use std::io::Read as _;
use std::sync::Arc;

use axum::Json;
use axum::body::Body;
use axum::extract::{Path, Query, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};
use wattle_export::{Format, TableKind};
use wattle_jobs::{JobOutput, Project, ProjectId, Role};
use wattle_report::{HOSTED_DATA_LIMIT, PageAssets};
use wattle_store::{KeptRun, RunFilter, RunId};

use crate::http::{WebError, WebErrorKind};
use crate::ledger_views::{self, ShownApp};
use crate::rendered_views::RenderedView;
use crate::run_titles::RunTitles;
use crate::site::{ApiCaller, Identity, Site};
use crate::web_assets::takes_gzip;

/// The output of a job with the data of its run's page.
const PAGE_DATA: &str = "page-data.txt";
/// Runs of one answer at most.
const MOST: usize = 1000;

/// An energy with its interval.
#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
pub struct EnergyState {
    /// The estimate, in joules.
    pub joules: f64,
    /// The lower end of its 90 % interval.
    pub low_joules: f64,
    /// The upper end.
    pub high_joules: f64,
}

/// A run.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct RunState {
    /// Its number in the project.
    pub id: i64,
    /// Its title, as pages show it: the name that somebody gave it, or one made of its facts.
    pub title: String,
    /// The page of the run.
    pub url: String,
    /// The time of the run, Unix milliseconds.
    pub time_ms: i64,
    /// Package name of the app; empty for a run of the whole device.
    pub app: String,
    /// Version of the app.
    pub version: Option<String>,
    /// The commit.
    pub commit: Option<String>,
    /// The branch.
    pub branch: Option<String>,
    /// The device.
    pub device: Option<String>,
    /// The scenario.
    pub scenario: Option<String>,
    /// Length in seconds.
    pub duration_s: Option<f64>,
    /// Energy of the whole run; null if it cannot be estimated.
    pub total: Option<EnergyState>,
    /// Energy of the app; null without an app, or where it does not occur.
    pub app_energy: Option<EnergyState>,
    /// SHA-256 of its ledger.
    pub ledger_sha256: String,
}

impl RunState {
    /// A run of a project.
    pub fn new(project: &str, run: KeptRun, titles: &RunTitles) -> Self {
        let energy = |of: wattle_units::Estimate| EnergyState {
            joules: of.joules.value(),
            low_joules: of.interval.low.value(),
            high_joules: of.interval.high.value(),
        };
        let (time_ms, title) = (run.time_ms(), titles.title(&run));
        let facts = run.facts;
        Self {
            id: run.id.0,
            title,
            url: format!("/p/{}/runs/{}", crate::path_segment::segment(project), run.id.0),
            time_ms,
            app: facts.app.package,
            version: facts.app.version_name,
            commit: facts.code.commit,
            branch: facts.code.branch,
            device: facts.device.title,
            scenario: facts.circumstances.scenario,
            duration_s: facts.circumstances.duration_s,
            total: run.total.map(energy),
            app_energy: run.app.map(energy),
            ledger_sha256: run.ledger.sha256,
        }
    }
}

/// Conditions on listed runs.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct RunQuery {
    /// Package name of the app.
    pub app: Option<String>,
    /// A part of the device's name.
    pub device: Option<String>,
    /// The branch.
    pub branch: Option<String>,
    /// The latest so many, at most 1000, which is the default.
    pub last: Option<u32>,
}

impl From<RunQuery> for RunFilter {
    fn from(query: RunQuery) -> Self {
        Self {
            app: query.app,
            device: query.device,
            branch: query.branch,
            last: Some(query.last.map_or(MOST, |last| MOST.min(last as usize))),
            ..Self::default()
        }
    }
}

/// List runs, newest last.
#[utoipa::path(get, path = "/projects/{project}/runs", tag = "runs",
    params(("project" = String, Path, description = "Name of the project"), RunQuery),
    responses((status = 200, body = Vec<RunState>), (status = "4XX", body = WebError)))]
pub async fn list(
    State(site): State<Arc<Site>>,
    ApiCaller(identity): ApiCaller,
    Path(project): Path<String>,
    Query(query): Query<RunQuery>,
) -> Result<Json<Vec<RunState>>, WebError> {
    let project = site.project(&identity, &project, Role::Reader).await?;
    let runs = site.histories.of(project.id).runs(query.into()).await?;
    let titles = RunTitles::read(&site, project.id).await?;
    Ok(Json(runs.into_iter().map(|run| RunState::new(&project.name, run, &titles)).collect()))
}

/// Show a run.
#[utoipa::path(get, path = "/projects/{project}/runs/{run}", tag = "runs",
    params(("project" = String, Path, description = "Name of the project"), ("run" = i64, Path, description = "Number of the run")),
    responses((status = 200, body = RunState), (status = "4XX", body = WebError)))]
pub async fn show(
    State(site): State<Arc<Site>>,
    ApiCaller(identity): ApiCaller,
    Path((project, run)): Path<(String, i64)>,
) -> Result<Json<RunState>, WebError> {
    let project = site.project(&identity, &project, Role::Reader).await?;
    let run = site.histories.of(project.id).run(RunId(run)).await?;
    let titles = RunTitles::read(&site, project.id).await?;
    Ok(Json(RunState::new(&project.name, run, &titles)))
}

/// Delete a run with its ledger.
#[utoipa::path(delete, path = "/projects/{project}/runs/{run}", tag = "runs",
    params(("project" = String, Path, description = "Name of the project"), ("run" = i64, Path, description = "Number of the run")),
    responses((status = 204), (status = "4XX", body = WebError)))]
pub async fn delete(
    State(site): State<Arc<Site>>,
    ApiCaller(identity): ApiCaller,
    Path((project, run)): Path<(String, i64)>,
) -> Result<StatusCode, WebError> {
    let project = site.project(&identity, &project, Role::Admin).await?;
    if !site.delete_run(&identity, &project, RunId(run)).await? {
        return Err(WebError::new(WebErrorKind::NotFound, "no such run"));
    }
    Ok(StatusCode::NO_CONTENT)
}

/// A download or page data of one run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunFile {
    /// Data of the page.
    PageData,
    /// The report as JSON.
    Report,
    /// A table, as CSV or JSON.
    Table(TableKind, Format),
    /// The ledger in the format of another program.
    Export(Format),
    /// The ledger's file itself.
    Ledger,
    /// The total and the first line of the summary.
    Headline,
}

impl RunFile {
    /// The download with a name: `report.json`, `threads.csv`, `profile.speedscope`, `run.ledger.json.zst`.
    pub fn named(name: &str) -> Option<Self> {
        if let Some(format) = name.strip_prefix("profile.") {
            let format = format.parse().ok()?;
            return Some(Self::Export(format)).filter(|_| format != Format::Csv);
        }
        match name {
            "page-data.json" => Some(Self::PageData),
            "report.json" => Some(Self::Report),
            "headline.json" => Some(Self::Headline),
            "run.ledger.json.zst" => Some(Self::Ledger),
            "tables.csv.zip" => Some(Self::Export(Format::Csv)),
            _ => {
                let table = name.strip_suffix(".csv")?.parse().ok()?;
                Some(Self::Table(table, Format::Csv))
            }
        }
    }

    /// The key in kept views.
    fn key(self) -> String {
        match self {
            Self::PageData => "page-data".to_owned(),
            Self::Report => "report".to_owned(),
            Self::Table(table, format) => format!("table {} {}", table.name(), format.name()),
            Self::Export(format) => format!("export {}", format.name()),
            Self::Ledger => "ledger".to_owned(),
            Self::Headline => "headline".to_owned(),
        }
    }

    fn media_type(self) -> &'static str {
        match self {
            Self::PageData | Self::Report | Self::Headline => "application/json",
            Self::Table(..) => "text/csv; charset=utf-8",
            Self::Export(Format::Csv) => "application/zip",
            Self::Export(format) => format.entry().content_type,
            Self::Ledger => "application/zstd",
        }
    }

    /// Whether it differs by the app that is shown.
    const fn has_app(self) -> bool {
        matches!(self, Self::PageData | Self::Report | Self::Headline)
    }

    fn make(self, ledger: &[u8], app: ShownApp<'_>) -> Result<Vec<u8>, WebError> {
        match self {
            Self::PageData => ledger_views::page_data(ledger, app),
            Self::Report => ledger_views::report_json(ledger, app),
            Self::Table(table, format) => ledger_views::exported(ledger, format, Some(table)),
            Self::Export(format) => ledger_views::exported(ledger, format, None),
            Self::Ledger => Ok(ledger.to_vec()),
            Self::Headline => ledger_views::headline(ledger, app),
        }
    }
}

impl Site {
    /// Deletes a run, and the files that jobs made of it; whether there was one.
    pub async fn delete_run(
        &self,
        identity: &Identity,
        project: &Project,
        run: RunId,
    ) -> Result<bool, WebError> {
        let was_there = self.histories.of(project.id).delete(run).await?;
        self.data.jobs().forget_runs(project.id, &[run]).await?;
        if was_there {
            self.audit(identity, ("run.delete", &format!("run {}", run.0)), Some(project.id))
                .await?;
        }
        Ok(was_there)
    }

    /// A download of a run, from the kept ones if it is among them. Without an app that is asked for it shows the run's own.
    pub async fn run_file(
        &self,
        (project, run): (ProjectId, RunId),
        file: RunFile,
        asked: Option<&str>,
    ) -> Result<RenderedView, WebError> {
        let history = self.histories.of(project);
        let kept = history.run(run).await?;
        let digest = kept.ledger.sha256;
        if file == RunFile::PageData
            && asked.is_none()
            && let Some(view) = self.page_data_of_job(project, run, (&digest, false)).await?
        {
            return Ok(view);
        }
        if !file.has_app() && asked.is_some() {
            let text = "app: only report.json, headline.json and page-data.json are of an app";
            return Err(WebError::new(WebErrorKind::Invalid, text));
        }
        let own = Some(kept.facts.app.package).filter(|own| !own.is_empty());
        let name = asked.map(str::to_owned).or(own).filter(|_| file.has_app());
        let key = match (&name, asked) {
            (Some(name), Some(_)) => format!("asked {name}"),
            (Some(name), None) => format!("own {name}"),
            (None, _) => String::new(),
        };
        let is_asked = asked.is_some();
        let load = async move { history.ledger(run).await };
        let make =
            move |ledger: Vec<u8>| file.make(&ledger, ShownApp { name: name.as_deref(), is_asked });
        self.views.get(&[&digest, &file.key(), &key], load, make).await
    }

    /// The page data that the job of a run made, which have findings, too; `None` where there are none, or those of another version unless
    /// `of_any_version`.
    pub async fn page_data_of_job(
        &self,
        project: ProjectId,
        run: RunId,
        (digest, of_any_version): (&str, bool),
    ) -> Result<Option<RenderedView>, WebError> {
        let jobs = self.data.jobs();
        let Ok(job) = jobs.of_run(project, run).await else { return Ok(None) };
        // Of several runs it is not known whose they are.
        if jobs.runs(project, job.id).await? != [run] {
            return Ok(None);
        }
        let outputs = jobs.outputs(project, job.id).await?;
        self.page_data_of(project, &outputs, (digest, of_any_version)).await
    }

    /// The page data among the files that a job made.
    pub async fn page_data_of(
        &self,
        project: ProjectId,
        outputs: &[JobOutput],
        (digest, of_any_version): (&str, bool),
    ) -> Result<Option<RenderedView>, WebError> {
        let Some(output) = outputs.iter().find(|output| output.name == PAGE_DATA) else {
            return Ok(None);
        };
        let path = self.data.jobs().output_path(project, output);
        let load = async move { Ok(path) };
        let kind = if of_any_version { "page-data of any job" } else { "page-data of job" };
        let key = [digest, kind, &output.sha256];
        let view = self.views.get(&key, load, move |path| {
            let text = std::fs::File::open(path).and_then(|file| {
                let mut text = String::new();
                file.take(HOSTED_DATA_LIMIT as u64 + 1000).read_to_string(&mut text).map(|_| text)
            });
            let text = text.map_err(|error| WebError::internal(&error))?;
            let (script, data) = text.split_once('\n').unwrap_or_default();
            // Written by a process that has read what somebody uploaded: it is JSON, or nothing.
            let is_json = serde_json::from_str::<serde::de::IgnoredAny>(data).is_ok();
            let is_ours = of_any_version || script == PageAssets::get().report_script();
            Ok(if is_ours && is_json { data.as_bytes().to_vec() } else { Vec::new() })
        });
        let view = view.await?;
        Ok(Some(view).filter(|view| !view.is_empty()))
    }
}

/// Whether a client has the content with a tag already.
pub fn is_known(tag: &str, headers: &HeaderMap) -> bool {
    let has = headers.get(header::IF_NONE_MATCH).and_then(|value| value.to_str().ok());
    let is_this = |one: &str| one.trim().trim_matches('"') == tag;
    has.is_some_and(|has| has.split(',').any(is_this))
}

/// An answer with a view: compressed where the client takes that, and not at all where it has it already.
pub fn view_response(
    view: &RenderedView,
    media_type: &'static str,
    headers: &HeaderMap,
) -> Response {
    let tag = format!("\"{}\"", view.tag);
    let mut response = if is_known(&view.tag, headers) {
        StatusCode::NOT_MODIFIED.into_response()
    } else if takes_gzip(headers) {
        ([(header::CONTENT_ENCODING, "gzip")], view.gzip.clone()).into_response()
    } else {
        Body::from_stream(view.clone().into_parts()).into_response()
    };
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(media_type));
    // Asked again each time, because the right to see it may end.
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("private, no-cache"));
    headers.insert(header::VARY, HeaderValue::from_static("accept-encoding"));
    if let Ok(tag) = HeaderValue::from_str(&tag) {
        headers.insert(header::ETAG, tag);
    }
    response
}

/// The answer with a file of a run.
pub async fn run_file_response(
    site: &Site,
    (project, run): (ProjectId, i64),
    (name, app): (&str, Option<&str>),
    headers: &HeaderMap,
) -> Result<Response, WebError> {
    let no_such = || {
        let tables = TableKind::ALL.map(TableKind::name).join(".csv, ");
        let text = format!(
            "no such file of a run; there are report.json, {tables}.csv, tables.csv.zip, run.ledger.json.zst, and profile.FORMAT"
        );
        WebError::new(WebErrorKind::NotFound, text)
    };
    let file = RunFile::named(name).ok_or_else(no_such)?;
    let view = site.run_file((project, RunId(run)), file, app).await?;
    let mut response = view_response(&view, file.media_type(), headers);
    if file != RunFile::PageData {
        let disposition = format!("attachment; filename=\"run-{run}-{name}\"");
        if let Ok(value) = HeaderValue::from_str(&disposition) {
            response.headers_mut().insert(header::CONTENT_DISPOSITION, value);
        }
    }
    Ok(response)
}

/// The app of a view.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct FileQuery {
    /// Package name of the app whose energy `report.json` and `headline.json` show; by default that of the run, and empty for none.
    pub app: Option<String>,
}

/// Download a view of a run: `report.json` (as `wattle report --json`), `headline.json` (total and first lines), a table such as `threads.csv` (as `wattle export`), all tables as
/// `tables.csv.zip`, `profile.FORMAT` for other profilers (`pprof`, `firefox`, `speedscope`, `folded`, `perfetto`, `chrome`, `parquet`,
/// `json`), or the ledger itself as `run.ledger.json.zst`.
#[utoipa::path(get, path = "/projects/{project}/runs/{run}/files/{file}", tag = "runs",
    params(("project" = String, Path, description = "Name of the project"), ("run" = i64, Path, description = "Number of the run"),
        ("file" = String, Path, description = "Name of the file"), FileQuery),
    responses((status = 200, description = "The file", content_type = "application/octet-stream"), (status = 304),
        (status = "4XX", body = WebError)))]
pub async fn file(
    State(site): State<Arc<Site>>,
    ApiCaller(identity): ApiCaller,
    Path((project, run, name)): Path<(String, i64, String)>,
    Query(query): Query<FileQuery>,
    headers: HeaderMap,
) -> Result<Response, WebError> {
    let project = site.project(&identity, &project, Role::Reader).await?;
    let file = (name.as_str(), query.app.as_deref());
    run_file_response(&site, (project.id, run), file, &headers).await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_have_names() {
        let check = |name: &str, expected: Option<RunFile>| {
            assert_eq!(RunFile::named(name), expected, "{name}");
        };
        check("report.json", Some(RunFile::Report));
        check("threads.csv", Some(RunFile::Table(TableKind::Threads, Format::Csv)));
        check("profile.speedscope", Some(RunFile::Export(Format::Speedscope)));
        check("profile.csv", None);
        check("../server.db", None);
        check("threads.parquet", None);
    }
}
