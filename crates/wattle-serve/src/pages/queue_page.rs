//! The queue: jobs and workers.

use std::sync::Arc;

use axum::extract::{Path, Query, State};
use axum::response::Html;
use maud::html;
use serde::Deserialize;
use wattle_jobs::{JobFilter, JobId, Role};

use super::job_page::state_mark;
use super::{PageFrame, Section, moment, table_links};
use crate::http::WebError;
use crate::path_segment::segment;
use crate::site::{PageCaller, Site};

/// The beginning of the list.
#[derive(Debug, Deserialize)]
pub struct QueueQuery {
    before: Option<i64>,
}

/// `GET /p/{project}/queue`.
pub async fn show(
    State(site): State<Arc<Site>>,
    PageCaller(identity): PageCaller,
    Path(name): Path<String>,
    Query(query): Query<QueueQuery>,
) -> Result<Html<String>, WebError> {
    let project = site.project(&identity, &name, Role::Reader).await?;
    let filter = JobFilter { before: query.before.map(JobId), ..JobFilter::default() };
    let jobs = site.data.jobs().jobs(project.id, filter).await?;
    let workers = site.data.claims().workers().await?;
    let path = format!("/p/{}", segment(&project.name));
    let frame = PageFrame {
        title: "Queue",
        section: Section::Queue,
        project: Some(&project.name),
        login: identity.login(),
        scripts: &[],
    };
    let is_whole = jobs.len() < filter.most as usize;
    let main = html! {
        h1 { "Queue" }
        section.panel aria-labelledby="jobs" {
            div.head { h2 id="jobs" { "Jobs" } span.soft.s { (workers.len()) (if workers.len() == 1 { " worker" } else { " workers" }) } span.space {} (table_links(&project.name, "jobs", "")) }
            @if workers.is_empty() { p.note { "No worker is running: jobs wait." } }
            @if jobs.is_empty() {
                p.empty { b { "No jobs" } a href=(path) { "Upload a recording" } }
            } @else {
                div.wide-table tabindex="0" role="region" aria-label="Jobs" {
                    table.t.cards {
                        thead { tr { th scope="col" { "Job" } th scope="col" { "State" } th scope="col" { "Kind" } th scope="col" { "Submitted" } } }
                        tbody {
                            @for job in &jobs {
                                tr {
                                    td { a href={ (path) "/jobs/" (job.id) } { (job.title) } }
                                    td.keep data-label="State" { (state_mark(job)) }
                                    td.keep data-label="Kind" { (job.kind.name()) }
                                    td.keep data-label="Submitted" { (moment(job.created_ms)) }
                                }
                            }
                        }
                    }
                }
            }
            @if let Some(last) = jobs.last().filter(|_| !is_whole) {
                div.body { a href={ (path) "/queue?before=" (last.id) } { "Older jobs" } }
            }
        }
    };
    Ok(Html(frame.page(&main)))
}
