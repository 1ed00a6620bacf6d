//! A part of a run, read again with all its detail: the report's page application.

use std::sync::Arc;

use axum::extract::{Path, State};
use axum::response::{Html, Redirect};
use maud::{Markup, html};
use wattle_jobs::{JobId, JobKind, Role};
use wattle_report::{HostedPage, PageKind, hosted_page};
use wattle_store::RunId;

use super::{Section, sections};
use crate::api::RangeRequest;
use crate::http::{WebError, WebErrorKind};
use crate::path_segment::segment;
use crate::site::{CheckedForm, PageCaller, Site};
use crate::web_assets::{ASSETS, WebAssets};

/// The form on a run's page; of a run whose files cannot be read again, why not.
pub fn range_form(run_path: &str, csrf: &Markup, refusal: Option<&str>) -> Markup {
    html! {
        @match refusal {
            None => form.body.inline id="range-form" method="post" action={ (run_path) "/ranges" } {
                (csrf)
                label for="range-from" { "Read again with all detail, from" }
                input.short id="range-from" name="from" inputmode="decimal" required size="8" placeholder="0";
                label for="range-to" { "to" }
                input.short id="range-to" name="to" inputmode="decimal" required size="8" placeholder="1.5";
                span.soft { "s" }
                button.button type="submit" { "Read" }
            },
            Some(why) => p.soft.s.body { "A part of it cannot be read again: " (why) "." },
        }
    }
}

/// `POST /p/{project}/runs/{run}/ranges`.
pub async fn submit(
    State(site): State<Arc<Site>>,
    Path((name, run)): Path<(String, i64)>,
    form: CheckedForm,
) -> Result<Redirect, WebError> {
    let project = site.project(&form.identity, &name, Role::Member).await?;
    let seconds = |field: &str| {
        let text = form.field(field).trim().trim_end_matches('s').trim_end();
        let invalid = || {
            WebError::new(WebErrorKind::Invalid, format!("{field}: expected seconds, such as 1.5"))
        };
        text.parse::<f64>().map_err(|_| invalid())
    };
    let request = RangeRequest { from_s: seconds("from")?, to_s: seconds("to")? };
    let job = site.read_again(&form.identity, (&project, RunId(run)), request).await?;
    Ok(Redirect::to(&format!("/p/{}/jobs/{}", segment(&project.name), job.id)))
}

/// `GET /p/{project}/jobs/{job}/report`.
pub async fn show(
    State(site): State<Arc<Site>>,
    PageCaller(identity): PageCaller,
    Path((name, id)): Path<(String, i64)>,
) -> Result<Html<String>, WebError> {
    let project = site.project(&identity, &name, Role::Reader).await?;
    let job = site.data.jobs().job(project.id, JobId(id)).await?;
    let JobKind::Range(options) = &job.kind else { return Err(WebError::not_found()) };
    // Before the page, so that one without data is an error in words.
    site.range_page_data(project.id, job.id).await?;
    let path = format!("/p/{}", segment(&project.name));
    let data =
        format!("/api/v1/projects/{}/jobs/{}/page-data.json", segment(&project.name), job.id);
    let above = html! {
        p.soft.server.noprint {
            "A part of " a href={ (path) "/runs/" (options.run.0) } { "run " (options.run.0) } ", read again with all its detail (" a href={ (path) "/jobs/" (job.id) } { "job " (job.id) } "). Times count from its beginning."
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
