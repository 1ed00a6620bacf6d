//! Jobs: what is to be done with files, and what happens.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::Json;
use axum::body::{Body, Bytes};
use axum::extract::{Path, Query, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use futures_util::stream;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};
use wattle_jobs::{
    AnalysisOptions, DeviceNeed, FileId, FirstConsumer, FirstFigures, Job, JobEvent, JobEventKind,
    JobFilter, JobId, JobKind, JobState, NewJob, Project, ProjectId, Role, RunOptions, RunScenario,
};

use super::job_files::JobFile;
use super::job_report::report_ledger;
use super::run_api::EnergyState;
use super::small_json::SmallJson;
use crate::http::{WebError, WebErrorKind};
use crate::path_segment::segment;
use crate::site::{ApiCaller, Identity, LastingReader, Site};

/// The pause after which a stream without events sends a sign of life.
const HEARTBEAT: Duration = Duration::from_secs(10);

/// A job to be submitted.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct JobRequest {
    /// Numbers of files of the project. Recordings, traces and logs of one job are one recording.
    pub files: Vec<i64>,
    /// A name; that of the first file if it is empty.
    #[serde(default)]
    pub title: String,
    /// Package name of the app whose energy the history is of; by default the one that the recording names.
    pub app: Option<String>,
    /// Version of the app.
    pub app_version: Option<String>,
    /// The commit that the app was built from.
    pub commit: Option<String>,
    /// Its branch.
    pub branch: Option<String>,
    /// Name of the scenario.
    pub scenario: Option<String>,
    /// `analyse` (recordings, traces, logs, ledgers), `package` (checks of an app, and probes in it) or `run` (an app on a device); by default what fits
    /// the files' names.
    pub kind: Option<String>,
    /// Of a run: seconds of the recording. Default is 20.
    pub seconds: Option<u32>,
    /// Of a run: the model of the device.
    pub device_model: Option<String>,
    /// Of a run: a simulated phone instead of a device, such as `pixel`.
    pub simulate: Option<String>,
}

/// A run that a job made.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct JobRun {
    /// Its number.
    pub id: i64,
    /// Its page.
    pub url: String,
}

/// Figures of the beginning of a recording, while the rest is read. They are true of that beginning alone.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct FirstFiguresState {
    /// The kind of file.
    pub format: String,
    /// The device; null where the beginning does not say.
    pub device: Option<String>,
    /// Bytes that the figures are made of.
    pub read_bytes: u64,
    /// Bytes of the file.
    pub of_bytes: u64,
    /// Seconds from the start of the recording that the figures are about.
    pub seconds: f64,
    /// The energy of these seconds; null where none can be estimated.
    pub energy: Option<EnergyState>,
    /// The components that the energy is of.
    pub components: Vec<String>,
    /// The apps and processes with most energy, or with most time on CPUs where no energy is known.
    pub consumers: Vec<FirstConsumerState>,
}

/// An app or process of the beginning of a recording.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct FirstConsumerState {
    /// Its name.
    pub name: String,
    /// Its energy, in joules.
    pub joules: Option<f64>,
    /// Its time on CPUs, in seconds.
    pub cpu_s: Option<f64>,
}

impl From<FirstFigures> for FirstFiguresState {
    fn from(first: FirstFigures) -> Self {
        let consumer = |it: FirstConsumer| FirstConsumerState {
            name: it.name,
            joules: it.joules,
            cpu_s: it.cpu_s,
        };
        let energy = |(joules, [low_joules, high_joules]): (f64, [f64; 2])| EnergyState {
            joules,
            low_joules,
            high_joules,
        };
        Self {
            format: first.format,
            device: first.device,
            read_bytes: first.read_bytes,
            of_bytes: first.of_bytes,
            seconds: first.seconds,
            energy: first.joules.zip(first.interval).map(energy),
            components: first.components,
            consumers: first.consumers.into_iter().map(consumer).collect(),
        }
    }
}

/// A job.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct JobInfo {
    /// Its number.
    pub id: i64,
    /// Its page.
    pub url: String,
    /// Its name.
    pub title: String,
    /// `analyse`, `package`, `run` or `range`.
    pub kind: String,
    /// `queued`, `running`, `done`, `failed` or `cancelled`.
    #[schema(value_type = String)]
    pub state: JobState,
    /// One line about what is being done.
    pub progress: Option<String>,
    /// The part that is done, 0 to 1.
    pub fraction: Option<f64>,
    /// Figures of the beginning of a large recording, while the rest is read; null before and after that.
    pub first_figures: Option<FirstFiguresState>,
    /// The number of its last event.
    pub events: i64,
    /// The reason of a failure.
    pub reason: Option<String>,
    /// The time at which it was submitted, Unix milliseconds.
    pub created_ms: i64,
    /// The time at which it ended.
    pub ended_ms: Option<i64>,
    /// The runs that it made.
    pub runs: Vec<JobRun>,
    /// Of a job that makes a report and no run: the page with that, once it is there. It is of a part of a run, or of files that have
    /// no length in time.
    pub report: Option<String>,
    /// Lines about what came out: of a job on a package whether it is verified, how many methods got probes, what to do next; of files that
    /// made a report and no run, its first lines.
    pub answer: Vec<String>,
    /// The files that it made.
    pub files: Vec<JobFile>,
}

/// An event of a job.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct EventInfo {
    /// The number in its job, from 1.
    pub number: i64,
    /// The time, Unix milliseconds.
    pub at_ms: i64,
    /// `queued`, `started`, `progress`, `figures`, `returned`, `done`, `failed` or `cancelled`.
    pub kind: String,
    /// One line.
    pub detail: String,
    /// The part that is done, 0 to 1.
    pub fraction: Option<f64>,
    /// Of the kind `figures`, for as long as the rest of the recording is read: figures of its beginning.
    pub figures: Option<FirstFiguresState>,
}

impl From<JobEvent> for EventInfo {
    fn from(event: JobEvent) -> Self {
        Self {
            number: event.number,
            at_ms: event.at_ms,
            kind: event.kind.name().to_owned(),
            detail: event.detail,
            fraction: event.fraction,
            figures: None,
        }
    }
}

impl Site {
    /// A job with its runs.
    pub async fn job_info(&self, project: &Project, job: Job) -> Result<JobInfo, WebError> {
        let runs = self.data.jobs().runs(project.id, job.id).await?;
        let path = format!("/p/{}", segment(&project.name));
        let url = |run: i64| format!("{path}/runs/{run}");
        let runs: Vec<JobRun> =
            runs.into_iter().map(|run| JobRun { id: run.0, url: url(run.0) }).collect();
        // They are there once it has ended.
        let outputs = if job.state.is_final() {
            self.data.jobs().outputs(project.id, job.id).await?
        } else {
            Vec::new()
        };
        let is_report =
            job.state == JobState::Done && runs.is_empty() && report_ledger(&outputs).is_some();
        let mut answer = self.package_answer(project.id, &job.kind, &outputs).await?;
        if is_report {
            answer.extend(self.report_lines(project.id, &job.kind, &outputs).await?);
        }
        let progress = self.progress_of(&job).await?.or_else(|| job.progress.clone());
        let file = |output| JobFile::new(&project.name, job.id, output);
        let files = outputs.iter().map(file).collect();
        Ok(JobInfo {
            id: job.id.0,
            url: format!("{path}/jobs/{}", job.id),
            title: job.title,
            kind: job.kind.name().to_owned(),
            state: job.state,
            progress,
            fraction: job.fraction,
            first_figures: job.first_figures.map(FirstFiguresState::from),
            events: job.events,
            reason: job.reason,
            created_ms: job.created_ms,
            ended_ms: job.ended_ms,
            runs,
            report: is_report.then(|| format!("{path}/jobs/{}/report", job.id)),
            answer,
            files,
        })
    }

    /// A line on the device that a job waits for, where no worker has one.
    pub async fn progress_of(&self, job: &Job) -> Result<Option<String>, WebError> {
        let JobKind::Run(options) = &job.kind else { return Ok(None) };
        if job.state != JobState::Queued || options.simulate.is_some() {
            return Ok(None);
        }
        let has_devices = !self.data.claims().devices().await?.is_empty();
        let text =
            "waiting for a device: no worker has one (on its machine: wattle serve --all-devices)";
        Ok((!has_devices).then(|| text.to_owned()))
    }

    /// Submits a job.
    pub async fn submit(
        &self,
        identity: &Identity,
        project: &Project,
        request: JobRequest,
    ) -> Result<Job, WebError> {
        let kind = self.kind_of(project.id, &request).await?;
        let new = NewJob {
            project: project.id,
            owner: identity.caller.user_id(),
            title: request.title,
            kind,
            files: request.files.into_iter().map(FileId).collect(),
            device: request.device_model.map(DeviceNeed::Model),
        };
        let job = self.data.jobs().submit(&new).await?;
        self.audit(identity, ("job.submit", &format!("job {}", job.id)), Some(project.id)).await?;
        Ok(job)
    }

    /// The kind that was asked for, else the one that fits the files' names: packages alone are no recording. The content is looked at by the worker.
    async fn kind_of(&self, project: ProjectId, request: &JobRequest) -> Result<JobKind, WebError> {
        let some = |text: &Option<String>| text.clone().filter(|text| !text.is_empty());
        let analysis = AnalysisOptions {
            app: some(&request.app),
            app_version: some(&request.app_version),
            commit: some(&request.commit),
            branch: some(&request.branch),
            scenario: some(&request.scenario),
            html: false,
        };
        if request.files.is_empty() {
            return Err(WebError::new(WebErrorKind::Invalid, "files: expected at least one"));
        }
        let mut is_package = true;
        for file in &request.files {
            let name = self.data.files().file(project, FileId(*file)).await?.name;
            let ending = name.rsplit('.').next().unwrap_or_default().to_ascii_lowercase();
            is_package &= matches!(ending.as_str(), "apk" | "apks" | "aab");
        }
        match (request.kind.as_deref(), is_package) {
            (Some("analyse"), _) | (None, false) => Ok(JobKind::Analyse(analysis)),
            (Some("package"), _) | (None, true) => Ok(JobKind::Package),
            (Some("run"), _) => Ok(JobKind::Run(RunOptions {
                scenario: RunScenario::Start { seconds: request.seconds.unwrap_or(20) },
                simulate: some(&request.simulate),
                analysis,
            })),
            (Some(_), _) => {
                let text = "kind: expected analyse, package or run";
                Err(WebError::new(WebErrorKind::Invalid, text))
            }
        }
    }
}

/// Submit a job.
#[utoipa::path(post, path = "/projects/{project}/jobs", tag = "jobs", request_body = JobRequest,
    params(("project" = String, Path, description = "Name of the project")),
    responses((status = 201, body = JobInfo), (status = "4XX", body = WebError)))]
pub async fn submit(
    State(site): State<Arc<Site>>,
    ApiCaller(identity): ApiCaller,
    Path(project): Path<String>,
    SmallJson(request): SmallJson<JobRequest>,
) -> Result<(StatusCode, Json<JobInfo>), WebError> {
    let project = site.project(&identity, &project, Role::Member).await?;
    let job = site.submit(&identity, &project, request).await?;
    Ok((StatusCode::CREATED, Json(site.job_info(&project, job).await?)))
}

/// Conditions on listed jobs.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct JobQuery {
    /// In this state: `queued`, `running`, `done`, `failed`, `cancelled`.
    #[param(value_type = Option<String>)]
    pub state: Option<JobState>,
    /// Those before this number.
    pub before: Option<i64>,
}

/// List jobs, newest first; 100 at most.
#[utoipa::path(get, path = "/projects/{project}/jobs", tag = "jobs",
    params(("project" = String, Path, description = "Name of the project"), JobQuery),
    responses((status = 200, body = Vec<JobInfo>), (status = "4XX", body = WebError)))]
pub async fn list(
    State(site): State<Arc<Site>>,
    ApiCaller(identity): ApiCaller,
    Path(project): Path<String>,
    Query(query): Query<JobQuery>,
) -> Result<Json<Vec<JobInfo>>, WebError> {
    let project = site.project(&identity, &project, Role::Reader).await?;
    let filter =
        JobFilter { state: query.state, before: query.before.map(JobId), ..JobFilter::default() };
    let mut jobs = Vec::new();
    for job in site.data.jobs().jobs(project.id, filter).await? {
        jobs.push(site.job_info(&project, job).await?);
    }
    Ok(Json(jobs))
}

/// Show a job.
#[utoipa::path(get, path = "/projects/{project}/jobs/{job}", tag = "jobs",
    params(("project" = String, Path, description = "Name of the project"), ("job" = i64, Path, description = "Number of the job")),
    responses((status = 200, body = JobInfo), (status = "4XX", body = WebError)))]
pub async fn show(
    State(site): State<Arc<Site>>,
    ApiCaller(identity): ApiCaller,
    Path((project, job)): Path<(String, i64)>,
) -> Result<Json<JobInfo>, WebError> {
    let project = site.project(&identity, &project, Role::Reader).await?;
    let job = site.data.jobs().job(project.id, JobId(job)).await?;
    Ok(Json(site.job_info(&project, job).await?))
}

/// Cancel a job. One that has ended stays as it is.
#[utoipa::path(post, path = "/projects/{project}/jobs/{job}/cancel", tag = "jobs",
    params(("project" = String, Path, description = "Name of the project"), ("job" = i64, Path, description = "Number of the job")),
    responses((status = 200, body = JobInfo), (status = "4XX", body = WebError)))]
pub async fn cancel(
    State(site): State<Arc<Site>>,
    ApiCaller(identity): ApiCaller,
    Path((project, job)): Path<(String, i64)>,
) -> Result<Json<JobInfo>, WebError> {
    let project = site.project(&identity, &project, Role::Member).await?;
    let job = site.data.jobs().cancel(project.id, JobId(job)).await?;
    site.audit(&identity, ("job.cancel", &format!("job {}", job.id)), Some(project.id)).await?;
    Ok(Json(site.job_info(&project, job).await?))
}

/// The beginning of a stream of events.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct EventQuery {
    /// Events after this number; `Last-Event-ID` wins.
    pub after: Option<i64>,
}

/// Follow a job: its events as server-sent events, the numbers of which are their ids. The stream ends with the job.
#[utoipa::path(get, path = "/projects/{project}/jobs/{job}/events", tag = "jobs",
    params(("project" = String, Path, description = "Name of the project"), ("job" = i64, Path, description = "Number of the job"),
        EventQuery),
    responses((status = 200, description = "Events, each with the JSON of an EventInfo", content_type = "text/event-stream"),
        (status = "4XX", body = WebError)))]
pub async fn events(
    State(site): State<Arc<Site>>,
    reader: LastingReader,
    Path((project, job)): Path<(String, i64)>,
    Query(query): Query<EventQuery>,
    headers: HeaderMap,
) -> Result<Response, WebError> {
    let project = reader.project(&site, &project).await?;
    site.data.jobs().job(project.id, JobId(job)).await?;
    let last = headers.get("last-event-id").and_then(|value| value.to_str().ok()?.parse().ok());
    let after = last.or(query.after).unwrap_or(0);
    let followed = Followed { reader, project, job: JobId(job), after, has_ended: false };
    let stream = stream::unfold((site, followed, VecDeque::new()), next_event);
    let kind = [
        (header::CONTENT_TYPE, "text/event-stream"),
        (header::CACHE_CONTROL, "no-store"),
        // nginx would wait for more.
        (header::HeaderName::from_static("x-accel-buffering"), "no"),
    ];
    Ok((kind, Body::from_stream(stream)).into_response())
}

struct Followed {
    reader: LastingReader,
    project: Project,
    job: JobId,
    after: i64,
    has_ended: bool,
}

type Following = (Arc<Site>, Followed, VecDeque<JobEvent>);

async fn next_event(
    (site, mut of, mut waiting): Following,
) -> Option<(Result<Bytes, Infallible>, Following)> {
    if of.has_ended && waiting.is_empty() {
        return None;
    }
    if waiting.is_empty() {
        let mut ending = site.ending.clone();
        let jobs = site.data.jobs();
        let found = tokio::select! {
            found = jobs.wait_for_events(of.project.id, of.job, of.after, HEARTBEAT) => found,
            // The browser connects again, to the server that comes after this one.
            _ = ending.wait_for(|is| *is) => return None,
        };
        // After an error the browser connects again, and learns more.
        waiting = found.ok()?.into();
        drop(ending);
        if !of.reader.may_go_on(&site, &of.project.name).await {
            return None;
        }
    }
    let Some(event) = waiting.pop_front() else {
        return Some((Ok(Bytes::from_static(b": still here\n\n")), (site, of, waiting)));
    };
    of.after = event.number;
    of.has_ended |= event.kind.is_last();
    let name = if event.kind.is_last() { "end" } else { "progress" };
    let number = event.number;
    let has_figures = event.kind == JobEventKind::Figures;
    let mut info = EventInfo::from(event);
    if has_figures {
        // They are of the job, not of the event: of one that has ended there are none.
        let job = site.data.jobs().job(of.project.id, of.job).await.ok();
        info.figures = job.and_then(|job| job.first_figures).map(FirstFiguresState::from);
    }
    let json = serde_json::to_string(&info).unwrap_or_default();
    let text = format!("id: {number}\nevent: {name}\ndata: {json}\n\n");
    Some((Ok(Bytes::from(text)), (site, of, waiting)))
}
