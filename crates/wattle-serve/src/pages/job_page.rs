//! A job: what happens, as it happens.

use std::sync::Arc;

use axum::extract::{Path, State};
use axum::response::{Html, Redirect};
use maud::{Markup, html};
use wattle_history::utc_time;
use wattle_jobs::{Job, JobId, JobKind, JobState, NewJob, Role};

use super::{PageFrame, Section, bytes_text, moment};
use crate::api::FirstFiguresState;
use crate::http::{WebError, WebErrorKind};
use crate::path_segment::segment;
use crate::site::{CheckedForm, PageCaller, Site};

/// The word for a state.
pub fn state_name(state: JobState) -> &'static str {
    match state {
        JobState::Queued => "queued",
        JobState::Running => "running",
        JobState::Done => "done",
        JobState::Failed => "failed",
        JobState::Cancelled => "cancelled",
    }
}

/// A job's state, with its colour.
pub fn state_mark(job: &Job) -> Markup {
    let name = state_name(job.state);
    html! { span class={ "state " (name) } { (if job.is_cancelling { "stopping" } else { name }) } }
}

/// A line in which what is between backticks is a command.
fn with_code(line: &str) -> Markup {
    html! {
        @for (at, part) in line.split('`').enumerate() {
            @if at % 2 == 1 { code { (part) } } @else { (part) }
        }
    }
}

/// Options of the command line that errors name, and the same thing on these pages.
const ON_PAGES: [(&str, &str); 3] = [
    ("--app", "the package name that is asked for beside the upload"),
    ("--app-version", "the version that is asked for beside the upload"),
    ("--device-model", "a model file, uploaded together with the recording"),
];

/// The reason of a failure, a line each, and how to do here what it says of the command line.
fn failure(reason: &str) -> Markup {
    let is_of_option = |it: char| it.is_ascii_alphanumeric() || it == '-';
    let words: Vec<&str> = reason.split(|it| !is_of_option(it)).collect();
    let named = ON_PAGES.iter().filter(|(option, _)| words.contains(option));
    let named: Vec<String> = named.map(|(option, here)| format!("{option} is {here}")).collect();
    html! {
        div.note role="alert" {
            @for line in reason.lines().filter(|line| !line.trim().is_empty()) { p { (line) } }
            @if !named.is_empty() { p { "On these pages, " (named.join("; ")) "." } }
        }
    }
}

/// A recording of fewer bytes is read before anybody could look at figures of its beginning.
const LONG: u64 = 32 << 20;

/// The place where figures of the beginning of a recording are shown while the rest is read; as high with them as without.
fn first_figures(first: Option<&FirstFiguresState>) -> Markup {
    let json = first.and_then(|first| serde_json::to_string(first).ok()).unwrap_or_default();
    html! {
        section.panel id="first" aria-labelledby="h-first" data-figures=(json) {
            div.head { h2 id="h-first" { "So far" } span.soft.s id="first-of" role="status" {} }
            div.body.first {
                p id="first-energy" { "Figures of the beginning of this recording are shown here while the rest is read." }
                ol.first id="first-consumers" {}
                p.soft.s { "They are true of that beginning and may be far from those of the whole. They are not kept." }
            }
        }
    }
}

/// `GET /p/{project}/jobs/{job}`.
pub async fn show(
    State(site): State<Arc<Site>>,
    PageCaller(identity): PageCaller,
    Path((name, id)): Path<(String, i64)>,
) -> Result<Html<String>, WebError> {
    let project = site.project(&identity, &name, Role::Reader).await?;
    let jobs = site.data.jobs();
    let job = jobs.job(project.id, JobId(id)).await?;
    let inputs = jobs.inputs(project.id, job.id).await?;
    let events = jobs.events(project.id, job.id, 0).await?;
    let info = site.job_info(&project, job.clone()).await?;
    let is_final = job.state.is_final();
    let mut bytes = 0;
    for input in inputs.iter().filter(|_| !is_final && matches!(job.kind, JobKind::Analyse(_))) {
        bytes += site.data.files().file(project.id, input.file).await.map_or(0, |it| it.bytes);
    }
    let may = site.data.projects().role(&identity.caller, project.id).await? >= Role::Member;
    let path = format!("/p/{}/jobs/{}", segment(&project.name), job.id);
    let api = format!("/api/v1/projects/{}/jobs/{}", segment(&project.name), job.id);
    let last = events.last().map_or(0, |event| event.number);
    let of_run = match &job.kind {
        JobKind::Range(options) => {
            Some(format!("/p/{}/runs/{}", segment(&project.name), options.run.0))
        }
        _ => None,
    };
    let frame = PageFrame {
        title: &job.title,
        section: Section::Queue,
        project: Some(&project.name),
        login: identity.login(),
        scripts: &["job.js"],
    };
    let main = html! {
        h1 { (job.title) " " span id="state" class={ "state " (state_name(job.state)) } { (state_name(job.state)) } }
        section.panel id="job" aria-label="Progress" data-api=(api) data-last=(last) data-final=(is_final) {
            div.body {
                @if job.state == JobState::Failed {
                    (failure(job.reason.as_deref().unwrap_or("the job failed")))
                } @else if !is_final {
                    p id="now" role="status" { (info.progress.as_deref().unwrap_or("waiting for a worker")) }
                    progress id="fraction" max="1" value=[job.fraction] aria-label="Progress" {}
                    p.soft { "This page follows the job, and shows the report once it is there." }
                }
                @if !info.runs.is_empty() {
                    p { "Made " @for (at, run) in info.runs.iter().enumerate() { @if at > 0 { ", " } a href=(run.url) { "run " (run.id) } } "." }
                }
                @if job.state == JobState::Done && matches!(job.kind, JobKind::Package) && !info.answer.is_empty() { p { "The package was looked through." } }
                @if let Some(report) = &info.report {
                    p {
                        a.button href=(report) { "Open the report" }
                        @match &of_run {
                            Some(run) => { " It is of a part of " a href=(run) { "its run" } ", with all its detail." }
                            None => " What was read has no length in time, so it is no run, which is compared with others over its time.",
                        }
                    }
                } @else if job.state == JobState::Done && info.answer.is_empty() && info.runs.is_empty() { p { "The job has ended and made no run." } }
                @if job.state == JobState::Cancelled { p { "The job was cancelled." } }
                @if may {
                    div.row {
                        @if !is_final {
                            form method="post" action={ (path) "/cancel" } {
                                input type="hidden" name="csrf" value=(identity.csrf());
                                button.button.grave type="submit" { "Cancel" }
                            }
                        } @else {
                            form method="post" action={ (path) "/again" } {
                                input type="hidden" name="csrf" value=(identity.csrf());
                                button.button type="submit" { "Do it again" }
                            }
                        }
                    }
                }
            }
        }
        @if bytes >= LONG { (first_figures(info.first_figures.as_ref())) }
        @if !info.answer.is_empty() {
            section.panel aria-labelledby="answer" {
                div.head { h2 id="answer" { "Result" } }
                div.body { ul.answer { @for line in &info.answer { li { (with_code(line)) } } } }
            }
        }
        @if !info.files.is_empty() {
            section.panel aria-labelledby="downloads" {
                div.head { h2 id="downloads" { "Downloads" } }
                div.body {
                    ul.files {
                        @for file in &info.files { li { a.nm href=(file.url) download { (file.name) } span.soft { (bytes_text(file.bytes)) } } }
                    }
                }
            }
        }
        section.panel aria-labelledby="events" {
            div.head { h2 id="events" { "What happened" } }
            div.body {
                ul.log id="log" tabindex="0" {
                    @for event in &events {
                        li id={ "event-" (event.number) } {
                            span.soft data-at=(event.at_ms) { (utc_time::of_day(event.at_ms)) " UTC" }
                            span { (if event.detail.is_empty() { event.kind.name() } else { &event.detail }) }
                        }
                    }
                }
            }
        }
        section.panel aria-labelledby="facts" {
            div.head { h2 id="facts" { "Facts" } }
            div.body {
                dl.facts {
                    dt { "Job" } dd { (job.id) ", " (job.kind.name()) }
                    dt { "Files" } dd { @for (at, input) in inputs.iter().enumerate() { @if at > 0 { ", " } (input.name) } }
                    dt { "Submitted" } dd { (moment(job.created_ms)) }
                    @if let Some(started) = job.started_ms { dt { "Started" } dd { (moment(started)) } }
                    @if let Some(ended) = job.ended_ms { dt { "Ended" } dd { (moment(ended)) } }
                    @if job.attempts > 1 { dt { "Attempts" } dd { (job.attempts) } }
                    @if let Some(worker) = &job.worker { dt { "Worker" } dd { (worker) } }
                }
            }
        }
    };
    Ok(Html(frame.page(&main)))
}

/// `POST /p/{project}/jobs/{job}/cancel`.
pub async fn cancel(
    State(site): State<Arc<Site>>,
    Path((name, id)): Path<(String, i64)>,
    form: CheckedForm,
) -> Result<Redirect, WebError> {
    let project = site.project(&form.identity, &name, Role::Member).await?;
    let job = site.data.jobs().cancel(project.id, JobId(id)).await?;
    let subject = format!("job {}", job.id);
    site.audit(&form.identity, ("job.cancel", &subject), Some(project.id)).await?;
    Ok(Redirect::to(&format!("/p/{}/jobs/{}", segment(&project.name), job.id)))
}

/// `POST /p/{project}/jobs/{job}/again`: the same work on the same files, as a new job.
pub async fn again(
    State(site): State<Arc<Site>>,
    Path((name, id)): Path<(String, i64)>,
    form: CheckedForm,
) -> Result<Redirect, WebError> {
    let project = site.project(&form.identity, &name, Role::Member).await?;
    let jobs = site.data.jobs();
    let job = jobs.job(project.id, JobId(id)).await?;
    if !job.state.is_final() {
        return Err(WebError::new(WebErrorKind::Conflict, "this job has not ended"));
    }
    let inputs = jobs.inputs(project.id, job.id).await?;
    let new = NewJob {
        project: project.id,
        owner: form.identity.caller.user_id(),
        title: job.title,
        kind: job.kind,
        files: inputs.into_iter().map(|input| input.file).collect(),
        device: job.device,
    };
    let job = jobs.submit(&new).await?;
    let subject = format!("job {}", job.id);
    site.audit(&form.identity, ("job.submit", &subject), Some(project.id)).await?;
    Ok(Redirect::to(&format!("/p/{}/jobs/{}", segment(&project.name), job.id)))
}
