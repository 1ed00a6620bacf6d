//! A comparison of two runs: the page application of `wattle diff`.

use std::sync::Arc;

use axum::extract::{Path, Query, State};
use axum::http::HeaderMap;
use axum::response::{Html, Response};
use wattle_jobs::Role;
use wattle_report::{HostedPage, PageKind, hosted_page};
use wattle_store::RunId;

use super::{Section, sections};
use crate::api::{CompareQuery, view_response};
use crate::http::WebError;
use crate::path_segment::segment;
use crate::site::{PageCaller, Site};
use crate::web_assets::{ASSETS, WebAssets};

/// `GET /p/{project}/compare?a=…&b=…`.
pub async fn show(
    State(site): State<Arc<Site>>,
    PageCaller(identity): PageCaller,
    Path(name): Path<String>,
    Query(query): Query<CompareQuery>,
) -> Result<Html<String>, WebError> {
    let project = site.project(&identity, &name, Role::Reader).await?;
    let history = site.histories.of(project.id);
    for run in [query.a, query.b] {
        history.run(RunId(run)).await?;
    }
    let data = format!("/p/{}/compare/data?a={}&b={}", segment(&project.name), query.a, query.b);
    let assets = WebAssets::get();
    let page = hosted_page(
        PageKind::Comparison,
        &HostedPage {
            title: &format!("Runs {} and {} · Wattle", query.a, query.b),
            assets: ASSETS,
            data: &data,
            home: "/",
            navigation: &sections(Some(&project.name), Section::Runs).into_string(),
            styles: &[assets.name("server.css")],
            ..HostedPage::default()
        },
    );
    Ok(Html(page))
}

/// `GET /p/{project}/compare/data?a=…&b=…`.
pub async fn data(
    State(site): State<Arc<Site>>,
    PageCaller(identity): PageCaller,
    Path(name): Path<String>,
    Query(query): Query<CompareQuery>,
    headers: HeaderMap,
) -> Result<Response, WebError> {
    let project = site.project(&identity, &name, Role::Reader).await?;
    let view = site.comparison(project.id, [query.a, query.b], true).await?;
    view_response(&view, "application/json", &headers)
}
