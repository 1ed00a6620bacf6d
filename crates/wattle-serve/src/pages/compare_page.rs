//! A comparison of two runs: the page application of `wattle diff`.

use std::sync::Arc;

use axum::extract::{Path, Query, State};
use axum::http::HeaderMap;
use axum::response::{Html, Response};
use maud::{Markup, html};
use wattle_jobs::Role;
use wattle_report::{HostedPage, PageKind, hosted_page};
use wattle_store::KeptRun;

use super::{Section, sections};
use crate::api::{CompareQuery, ComparisonFocus, view_response};
use crate::http::WebError;
use crate::path_segment::segment;
use crate::run_titles::RunTitles;
use crate::site::{PageCaller, Site};
use crate::web_assets::{ASSETS, WebAssets};

/// The energy that a comparison is about, and links to others: the app of both runs, another one, the whole device. `path` is the page's address
/// without a query, and `pairs` the part of its query that stays.
pub fn focus_bar(
    path: &str,
    pairs: &[(&str, i64)],
    runs: [&KeptRun; 2],
    focus: &ComparisonFocus,
) -> Markup {
    let app = focus.app_of(runs);
    let own = ComparisonFocus::default().app_of(runs);
    let query: Vec<String> = pairs.iter().map(|(key, value)| format!("{key}={value}")).collect();
    let joint = if query.is_empty() { "" } else { "&" };
    let query = query.join("&");
    let current = |is: bool| is.then_some("true");
    html! {
        section.panel.server.noprint aria-label="Energy that is compared" {
            div.body.row {
                span.label { "Energy of" }
                div.seg role="group" aria-label="Energy of" {
                    @if let Some(own) = &own {
                        a href={ (path) "?" (query) } aria-current=[current(app.as_ref() == Some(own))] { (own) }
                    }
                    @if let Some(other) = app.as_ref().filter(|app| own.as_ref() != Some(*app)) {
                        a href={ (path) "?" (query) (joint) "app=" (segment(other)) } aria-current="true" { (other) }
                    }
                    a href={ (path) "?" (query) (joint) "whole=yes" } aria-current=[current(app.is_none())] { "Whole device" }
                }
                span.space {}
                form.inline method="get" action=(path) {
                    @for (key, value) in pairs { input type="hidden" name=(key) value=(value); }
                    label for="compare-app" { "Another app" }
                    input id="compare-app" name="app" required maxlength="200" placeholder="com.example.app" autocapitalize="none" autocomplete="off" spellcheck="false";
                    button.button type="submit" { "Show" }
                }
            }
        }
    }
}

/// The part of an address that asks for the same energy.
pub fn focus_query(focus: &ComparisonFocus) -> String {
    match (&focus.whole, &focus.app) {
        (Some(_), _) => "&whole=yes".to_owned(),
        (None, Some(app)) => format!("&app={}", segment(app)),
        (None, None) => String::new(),
    }
}

/// `GET /p/{project}/compare?a=…&b=…`.
pub async fn show(
    State(site): State<Arc<Site>>,
    PageCaller(identity): PageCaller,
    Path(name): Path<String>,
    Query(query): Query<CompareQuery>,
) -> Result<Html<String>, WebError> {
    let project = site.project(&identity, &name, Role::Reader).await?;
    let [before, after] = site.compared(project.id, query.runs()).await?;
    let titles = RunTitles::read(&site, project.id).await?;
    let focus = query.focus();
    let path = format!("/p/{}/compare", segment(&project.name));
    let data = format!("{path}/data?a={}&b={}{}", query.a, query.b, focus_query(&focus));
    let pairs = [("a", query.a), ("b", query.b)];
    let above = focus_bar(&path, &pairs, [&before, &after], &focus).into_string();
    let title = format!(
        "{} (run {}) and {} (run {}) · Wattle",
        titles.title(&before),
        query.a,
        titles.title(&after),
        query.b
    );
    let assets = WebAssets::get();
    let page = hosted_page(
        PageKind::Comparison,
        &HostedPage {
            title: &title,
            assets: ASSETS,
            data: &data,
            home: "/",
            navigation: &sections(Some(&project.name), Section::Runs).into_string(),
            above: &above,
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
    let runs = site.compared(project.id, query.runs()).await?;
    let view = site.comparison(project.id, runs, (&query.focus(), true)).await?;
    Ok(view_response(&view, "application/json", &headers))
}
