//! Energy of an app over its versions: the page application of `wattle history`.

use std::sync::Arc;

use axum::extract::{Path, State};
use axum::http::header;
use axum::response::{Html, IntoResponse as _, Response};
use maud::html;
use wattle_jobs::Role;
use wattle_report::{HostedPage, PageKind, history_data, hosted_page};
use wattle_store::RunFilter;

use super::runs_page::run_table;
use super::{Section, sections, table_links};
use crate::http::{WebError, WebErrorKind};
use crate::path_segment::segment;
use crate::run_titles::RunTitles;
use crate::site::{PageCaller, Site};
use crate::web_assets::{ASSETS, WebAssets};

/// Runs of the table.
const MOST: usize = 200;

/// `GET /p/{project}/apps/{app}`.
pub async fn show(
    State(site): State<Arc<Site>>,
    PageCaller(identity): PageCaller,
    Path((name, app)): Path<(String, String)>,
) -> Result<Html<String>, WebError> {
    let project = site.project(&identity, &name, Role::Reader).await?;
    let filter = RunFilter { last: Some(MOST), ..RunFilter::of_app(&app) };
    let runs = site.histories.of(project.id).runs(filter).await?;
    if runs.is_empty() {
        return Err(WebError::new(WebErrorKind::NotFound, "no kept run is of this app"));
    }
    let titles = RunTitles::read(&site, project.id).await?;
    let path = format!("/p/{}", segment(&project.name));
    let below = html! {
        section.panel.server aria-labelledby="h-runs" {
            div.head { h2 id="h-runs" { "Runs" } span.soft.s { "the latest " (MOST) " at most" } span.space {} a href={ (path) "/findings?app=" (segment(&app)) } { "Findings" } (table_links(&project.name, "runs", &format!("?app={}", segment(&app)))) }
            (run_table(&path, &runs, &titles))
        }
    };
    let page = hosted_page(
        PageKind::History,
        &HostedPage {
            title: &format!("{app} · Wattle"),
            assets: ASSETS,
            data: &format!("{path}/apps/{}/data", segment(&app)),
            home: "/",
            navigation: &sections(Some(&project.name), Section::Runs).into_string(),
            below: &below.into_string(),
            styles: &[WebAssets::get().name("server.css")],
            ..HostedPage::default()
        },
    );
    Ok(Html(page))
}

/// `GET /p/{project}/apps/{app}/data`.
pub async fn data(
    State(site): State<Arc<Site>>,
    PageCaller(identity): PageCaller,
    Path((name, app)): Path<(String, String)>,
) -> Result<Response, WebError> {
    let project = site.project(&identity, &name, Role::Reader).await?;
    let policy = site.policy(project.id).await?.map(|it| it.policy).unwrap_or_default();
    let mut page = site.histories.of(project.id).page(app, policy).await?;
    page.comparison_address =
        Some(format!("/p/{}/compare?a={{a}}&b={{b}}", segment(&project.name)));
    let text = history_data(&page).map_err(|error| WebError::internal(&error))?;
    let headers =
        [(header::CONTENT_TYPE, "application/json"), (header::CACHE_CONTROL, "private, no-cache")];
    Ok((headers, text).into_response())
}
