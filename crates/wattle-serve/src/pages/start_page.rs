//! The first page: drop a file, and read what happens next.

use std::sync::Arc;

use axum::extract::{Path, State};
use axum::response::{Html, IntoResponse as _, Redirect, Response};
use maud::html;
use wattle_jobs::{JobFilter, Role};

use super::{PageFrame, Section, moment};
use crate::http::WebError;
use crate::path_segment::segment;
use crate::site::{PageCaller, Site};

/// `GET /`: the caller's project, or a list of several.
pub async fn root(
    State(site): State<Arc<Site>>,
    PageCaller(identity): PageCaller,
) -> Result<Response, WebError> {
    let projects = site.data.projects().visible(&identity.caller).await?;
    if let [(project, _)] = projects.as_slice() {
        return Ok(Redirect::to(&format!("/p/{}", segment(&project.name))).into_response());
    }
    let frame = PageFrame {
        title: "Projects",
        section: Section::None,
        project: None,
        login: identity.login(),
        scripts: &[],
    };
    let main = html! {
        h1 { "Projects" }
        section.panel aria-label="Projects" {
            @if projects.is_empty() {
                p.empty { b { "No project yet" } "Somebody who manages this server can add you to one." }
            }
            @for (project, role) in &projects {
                div.body.row {
                    a href={ "/p/" (segment(&project.name)) } { b { (project.title) } }
                    span.soft { (project.name) " · " (role.name()) }
                }
            }
        }
    };
    Ok(Html(frame.page(&main)).into_response())
}

/// `GET /p/{project}`.
pub async fn show(
    State(site): State<Arc<Site>>,
    PageCaller(identity): PageCaller,
    Path(name): Path<String>,
) -> Result<Html<String>, WebError> {
    let project = site.project(&identity, &name, Role::Reader).await?;
    let may_upload = site.data.projects().role(&identity.caller, project.id).await? >= Role::Member;
    let filter = JobFilter { most: 5, ..JobFilter::default() };
    let jobs = site.data.jobs().jobs(project.id, filter).await?;
    let frame = PageFrame {
        title: "Upload",
        section: Section::Start,
        project: Some(&project.name),
        login: identity.login(),
        scripts: if may_upload { &["upload.js"] } else { &[] },
    };
    let main = html! {
        h1 { "Where did the energy go?" }
        @if may_upload {
            section.panel aria-labelledby="drop-title" {
                div.body {
                    div.drop id="drop" data-project=(project.name) data-csrf=(identity.csrf()) {
                        b id="drop-title" { "Drop recordings here" }
                        p.soft { "Perfetto and ftrace traces, simpleperf and method traces, bug reports, batterystats, ETL files, recordings, ledgers, or an APK; the power profile of an unknown device beside its trace" }
                        label.button.first for="files" { "Choose files" }
                        input.hidden-text id="files" type="file" multiple;
                    }
                }
                div.body id="chosen" hidden {
                    ul.files id="file-list" aria-label="Chosen files" {}
                    div.field {
                        label for="title" { "Name" }
                        input id="title" maxlength="200" autocomplete="off";
                    }
                    div.field {
                        label for="app" { "Package name of the app, if the recording does not say" }
                        input id="app" maxlength="200" placeholder="com.example.app" autocapitalize="none" autocomplete="off" spellcheck="false";
                    }
                    div.field {
                        label for="version" { "Version of the app" }
                        input id="version" maxlength="200" autocomplete="off";
                    }
                    div.field {
                        label for="kind" { "What to do" }
                        select id="kind" {
                            option value="" { "What fits the file" }
                            option value="analyse" { "Analyse a recording" }
                            option value="package" { "Check a package and put probes into it" }
                            option value="run" { "Run a package on a device and analyse the recording" }
                        }
                    }
                    div.row { button.button.first id="start" type="button" { "Upload and analyse" } }
                    p.soft id="said" role="status" {}
                }
                div.body.next {
                    p { "1. Files go up in parts; an upload that breaks off goes on where it was." }
                    p { "2. A worker reads them in a process of its own, with limits of memory and time. Several files of one job are one recording." }
                    p { "3. You see its progress, then the report: energy by component, app, thread and method, with intervals." }
                    noscript { p.note { "Uploading from this page needs JavaScript. Without it: wattle push FILE --server ADDRESS." } }
                }
            }
        } @else {
            p.note { "You may read this project. Uploading needs the role of a member." }
        }
        section.panel aria-labelledby="recent" {
            div.head { h2 id="recent" { "Recent jobs" } span.space {} a href={ "/p/" (segment(&project.name)) "/queue" } { "All" } }
            @if jobs.is_empty() { p.empty { b { "Nothing yet" } "Upload a recording to see its energy." } }
            @for job in &jobs {
                div.body.row {
                    a href={ "/p/" (segment(&project.name)) "/jobs/" (job.id) } { (job.title) }
                    (super::job_page::state_mark(job))
                    span.space {}
                    span.soft { (moment(job.created_ms)) }
                }
            }
        }
    };
    Ok(Html(frame.page(&main)))
}
