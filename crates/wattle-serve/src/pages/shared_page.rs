//! Pages of share links: one run or comparison, read only, without the rest of the site.

use std::sync::Arc;

use axum::extract::{Path, Query, State};
use axum::http::{HeaderMap, HeaderValue, header};
use axum::response::{Html, IntoResponse as _, Response};
use maud::{DOCTYPE, html};
use wattle_jobs::{CallerProof, Secret, SecretKind, ShareLink, ShareSubject};
use wattle_report::{HostedPage, PageKind, hosted_page};
use wattle_store::{KeptRun, RunId};

use super::compare_page::{focus_bar, focus_query};
use super::run_page::downloads;
use crate::api::{
    ComparisonFocus, FileQuery, RangeQuery, run_file_response, runs_of, view_response,
};
use crate::http::{Embeddable, WebError, WebErrorKind};
use crate::run_titles::RunTitles;
use crate::site::Site;
use crate::web_assets::{ASSETS, WebAssets};

fn gone() -> WebError {
    WebError::new(WebErrorKind::NotFound, "this link shows nothing, or no longer")
}

impl Site {
    /// The link that a secret is of, unless it has expired or was deleted.
    async fn linked(&self, secret: &str) -> Result<ShareLink, WebError> {
        let secret = Secret::from_text(secret, SecretKind::Link).ok_or_else(gone)?;
        match self.data.links().caller(&secret).await?.map(|caller| caller.proof) {
            Some(CallerProof::Link(link)) => Ok(link),
            _ => Err(gone()),
        }
    }

    /// The same, if it shows more than a badge.
    async fn shared(&self, secret: &str) -> Result<ShareLink, WebError> {
        let link = self.linked(secret).await?;
        if matches!(link.subject, ShareSubject::Badge { .. }) { Err(gone()) } else { Ok(link) }
    }

    /// The run of a badge.
    async fn badge_run(&self, secret: &str) -> Result<KeptRun, WebError> {
        let link = self.linked(secret).await?;
        let ShareSubject::Badge { run } = link.subject else { return Err(gone()) };
        let kept = self.histories.of(link.project).run(RunId(run)).await;
        kept.map_err(|error| of_deleted(error, "badge"))
    }

    /// The only run of a link.
    async fn shared_run(&self, secret: &str) -> Result<(ShareLink, KeptRun), WebError> {
        let link = self.shared(secret).await?;
        let ShareSubject::Run { run } = link.subject else {
            return Err(WebError::new(WebErrorKind::NotFound, "this link shows a comparison"));
        };
        let kept = self.histories.of(link.project).run(RunId(run)).await;
        let kept = kept.map_err(|error| of_deleted(error, "run"))?;
        Ok((link, kept))
    }
}

/// A link outlives what it shows: then it says so.
fn of_deleted(error: WebError, subject: &str) -> WebError {
    if error.kind != WebErrorKind::NotFound {
        return error;
    }
    let text = match subject {
        "run" => "the run that this link showed was deleted",
        "badge" => "the run that this badge showed was deleted",
        _ => "a run of the comparison that this link showed was deleted",
    };
    WebError::new(WebErrorKind::Gone, text)
}

/// `GET /share/{secret}`.
pub async fn show(
    State(site): State<Arc<Site>>,
    Path(secret): Path<String>,
    Query(focus): Query<ComparisonFocus>,
) -> Result<Html<String>, WebError> {
    let link = site.shared(&secret).await?;
    let path = format!("/share/{secret}");
    let mut data = format!("{path}/data");
    let titles = RunTitles::read(&site, link.project).await?;
    let (title, above, below) = match runs_of(&link.subject).as_slice() {
        [run] => {
            let kept = site.histories.of(link.project).run(RunId(*run)).await;
            let kept = kept.map_err(|error| of_deleted(error, "run"))?;
            let below = html! {
                section.panel.server.noprint aria-labelledby="h-downloads" {
                    div.head { h2 id="h-downloads" { "Downloads" } }
                    div.body { (downloads(&format!("{path}/files"))) }
                }
            };
            (format!("{} · Wattle", titles.title(&kept)), html! {}, below)
        }
        [a, b] => {
            let compared = site.compared(link.project, [*a, *b]).await;
            let [before, after] = compared.map_err(|error| of_deleted(error, "comparison"))?;
            let title = format!("{} and {} · Wattle", titles.title(&before), titles.title(&after));
            data.push_str(&focus_query(&focus).replacen('&', "?", 1));
            (title, focus_bar(&path, &[], [&before, &after], &focus), html! {})
        }
        _ => return Err(WebError::not_found()),
    };
    let is_comparison = matches!(link.subject, ShareSubject::Comparison { .. });
    let kind = if is_comparison { PageKind::Comparison } else { PageKind::ReportWithDiagnosis };
    let (above, below) = (above.into_string(), below.into_string());
    let tracks = if is_comparison { String::new() } else { format!("{path}/tracks") };
    let host = HostedPage {
        title: &title,
        assets: ASSETS,
        data: &data,
        tracks: &tracks,
        home: "/",
        above: &above,
        below: &below,
        styles: &[WebAssets::get().name("server.css")],
        ..HostedPage::default()
    };
    Ok(Html(hosted_page(kind, &host)))
}

/// `GET /share/{secret}/data`.
pub async fn data(
    State(site): State<Arc<Site>>,
    Path(secret): Path<String>,
    Query(focus): Query<ComparisonFocus>,
    headers: HeaderMap,
) -> Result<Response, WebError> {
    let link = site.shared(&secret).await?;
    match runs_of(&link.subject).as_slice() {
        [run] => {
            let file = ("page-data.json", None);
            let answer = run_file_response(&site, (link.project, *run), file, &headers).await;
            answer.map_err(|error| of_deleted(error, "run"))
        }
        [a, b] => {
            let runs = site.compared(link.project, [*a, *b]).await;
            let runs = runs.map_err(|error| of_deleted(error, "comparison"))?;
            let view = site.comparison(link.project, runs, (&focus, true)).await?;
            Ok(view_response(&view, "application/json", &headers))
        }
        _ => Err(WebError::not_found()),
    }
}

/// `GET /share/{secret}/tracks`.
pub async fn tracks(
    State(site): State<Arc<Site>>,
    Path(secret): Path<String>,
    Query(query): Query<RangeQuery>,
    headers: HeaderMap,
) -> Result<Response, WebError> {
    let (link, run) = site.shared_run(&secret).await?;
    site.tracks((link.project, run.id.0), query, &headers).await
}

/// `GET /share/{secret}/files/{file}`.
pub async fn file(
    State(site): State<Arc<Site>>,
    Path((secret, name)): Path<(String, String)>,
    Query(query): Query<FileQuery>,
    headers: HeaderMap,
) -> Result<Response, WebError> {
    let (link, run) = site.shared_run(&secret).await?;
    let file = (name.as_str(), query.app.as_deref());
    run_file_response(&site, (link.project, run.id.0), file, &headers).await
}

/// The figure of badges and cards.
fn figure(run: &KeptRun) -> String {
    run.energy().map_or_else(|| "not estimated".to_owned(), |energy| energy.joules.to_string())
}

/// `GET /badge/{secret}`: the secret shows the badge alone, because pages with badges are public.
pub async fn badge(
    State(site): State<Arc<Site>>,
    Path(secret): Path<String>,
) -> Result<Response, WebError> {
    let run = site.badge_run(&secret).await?;
    let text = figure(&run);
    // Letters of the badge's font are about 6.5 units wide.
    let width = 16 + text.chars().count() as u32 * 7;
    let svg = html! {
        svg xmlns="http://www.w3.org/2000/svg" width=(52 + width) height="20" role="img" aria-label={ "energy: " (text) } {
            title { "energy: " (text) }
            rect width="52" height="20" rx="3" fill="#3f434a" {}
            rect x="49" width=(width + 3) height="20" rx="3" fill="#2450c8" {}
            g fill="#fff" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11" text-anchor="middle" {
                text x="26" y="14" { "energy" }
                text x=(52 + width / 2 - 1) y="14" { (text) }
            }
        }
    };
    let mut response = svg.into_string().into_response();
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("image/svg+xml"));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("public, max-age=300"));
    response.extensions_mut().insert(Embeddable);
    Ok(response)
}

/// `GET /share/{secret}/card`.
pub async fn card(
    State(site): State<Arc<Site>>,
    Path(secret): Path<String>,
) -> Result<Response, WebError> {
    let (link, run) = site.shared_run(&secret).await?;
    let titles = RunTitles::read(&site, link.project).await?;
    let assets = WebAssets::get();
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                title { "Energy" }
                link rel="stylesheet" href=(WebAssets::style());
                link rel="stylesheet" href=(assets.address("card.css"));
            }
            body {
                main.card {
                    a href={ (site.settings.public_url) "/share/" (secret) } target="_blank" rel="noopener" {
                        p.soft.s { (titles.title(&run)) }
                        p.big { (figure(&run)) }
                        @if let Some(energy) = run.energy() { p.soft.s { (energy.interval.low) " – " (energy.interval.high) ", 90 % interval" } }
                        p.soft.s { (run.facts.device.title.as_deref().unwrap_or("unknown device")) " · Wattle" }
                    }
                }
            }
        }
    };
    let mut response = Html(page.into_string()).into_response();
    response.extensions_mut().insert(Embeddable);
    Ok(response)
}
