//! The report of a job that makes no run: the report's page application.

use std::sync::Arc;

use axum::extract::{Path, State};
use axum::response::Html;
use maud::html;
use wattle_jobs::{JobId, JobKind, Role};
use wattle_report::{HostedPage, PageKind, hosted_page};

use super::{Section, sections};
use crate::http::WebError;
use crate::path_segment::segment;
use crate::site::{PageCaller, Site};
use crate::web_assets::{ASSETS, WebAssets};

/// `GET /p/{project}/jobs/{job}/report`.
pub async fn show(
    State(site): State<Arc<Site>>,
    PageCaller(identity): PageCaller,
    Path((name, id)): Path<(String, i64)>,
) -> Result<Html<String>, WebError> {
    let project = site.project(&identity, &name, Role::Reader).await?;
    let job = site.data.jobs().job(project.id, JobId(id)).await?;
    // Before the page, so that one without data is an error in words.
    site.job_report_data(project.id, job.id).await?;
    let path = format!("/p/{}", segment(&project.name));
    let data =
        format!("/api/v1/projects/{}/jobs/{}/page-data.json", segment(&project.name), job.id);
    let of_job = html! { a href={ (path) "/jobs/" (job.id) } { "job " (job.id) } };
    let above = html! {
        p.soft.server.noprint {
            @if let JobKind::Range(options) = &job.kind {
                "A part of " a href={ (path) "/runs/" (options.run.0) } { "run " (options.run.0) } ", read again with all its detail (" (of_job) "). Times count from its beginning."
            } @else {
                "The report of " (of_job) ". It is no run of this project: what was read has no length in time."
            }
        }
    };
    let page = hosted_page(
        PageKind::ReportWithDiagnosis,
        &HostedPage {
            title: &format!("{} · Wattle", job.title),
            assets: ASSETS,
            data: &data,
            home: "/",
            navigation: &sections(Some(&project.name), Section::Runs).into_string(),
            above: &above.into_string(),
            styles: &[WebAssets::get().name("server.css")],
            ..HostedPage::default()
        },
    );
    Ok(Html(page))
}
