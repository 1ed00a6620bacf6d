//! The runs of a project, and its apps.

use std::sync::Arc;

use axum::extract::{Path, Query, State};
use axum::response::Html;
use maud::{Markup, html};
use wattle_jobs::Role;
use wattle_store::{KeptRun, RunFilter, RunId};
use wattle_units::Estimate;

use super::{PageFrame, Section, moment, table_links};
use crate::api::RunQuery;
use crate::http::WebError;
use crate::path_segment::segment;
use crate::run_titles::RunTitles;
use crate::site::{PageCaller, Site};

/// Runs of one page.
const MOST: usize = 200;

/// An energy with its interval.
pub fn energy_text(energy: Option<&Estimate>) -> String {
    energy.map_or_else(
        || "–".to_owned(),
        |of| format!("{} ({} – {})", of.joules, of.interval.low, of.interval.high),
    )
}

/// The two runs that one would compare first: the newest, and the newest before it of the same app on the same device.
fn comparable_pair(runs: &[KeptRun]) -> Option<[RunId; 2]> {
    let (after, earlier) = runs.split_last()?;
    let is_like = |run: &&KeptRun| {
        run.facts.app.package == after.facts.app.package
            && run.facts.device.title == after.facts.device.title
    };
    let before = earlier.iter().rev().find(is_like)?;
    Some([before.id, after.id])
}

/// A table of runs, newest first, in which two can be chosen for a comparison.
pub fn run_table(path: &str, runs: &[KeptRun], titles: &RunTitles) -> Markup {
    let [before, after] = comparable_pair(runs).map_or([None, None], |pair| pair.map(Some));
    html! {
        form method="get" action={ (path) "/compare" } {
            div.wide-table tabindex="0" role="region" aria-label="Runs" {
                table.t.cards id="runs-list" {
                    thead { tr {
                        th scope="col" { "A" } th scope="col" { "B" }
                        th scope="col" { "Run" } th.num scope="col" { "Energy, 90 % interval" }
                        th scope="col" { "Device" } th scope="col" { "Commit" } th scope="col" { "Time" }
                    } }
                    tbody {
                        @for run in runs.iter().rev() {
                            @let title = titles.title(run);
                            tr {
                                td.side data-label="A" { input type="radio" name="a" value=(run.id.0) aria-label={ "Before: run " (run.id.0) } checked[before == Some(run.id)] required; }
                                td.side data-label="B" { input type="radio" name="b" value=(run.id.0) aria-label={ "After: run " (run.id.0) } checked[after == Some(run.id)] required; }
                                td { a href={ (path) "/runs/" (run.id.0) } { (title) } " " span.soft { (run.id.0) } }
                                td.num data-label="Energy" { (energy_text(run.energy().as_ref())) @if run.energy().is_some() { " " span.soft { (if run.facts.app.package.is_empty() { "device" } else { "app" }) } } }
                                td data-label="Device" { (run.facts.device.title.as_deref().unwrap_or("–")) }
                                td.keep data-label="Commit" { (run.facts.code.commit.as_deref().map_or("–".to_owned(), |it| it.chars().take(8).collect())) }
                                td.keep data-label="Time" { (moment(run.time_ms())) }
                            }
                        }
                    }
                }
            }
            @if runs.len() > 1 {
                div.body.row {
                    button.button type="submit" { "Compare A with B" }
                    a href={ (path) "/compare/several" } { "Compare more than two" }
                }
            }
        }
    }
}

/// The query of a table with the same rows.
fn table_query(filter: &RunFilter) -> String {
    let conditions = [("app", &filter.app), ("device", &filter.device)].into_iter();
    let conditions =
        conditions.filter_map(|(name, value)| Some(format!("{name}={}", segment(value.as_ref()?))));
    let all: Vec<String> = std::iter::once(format!("?last={MOST}")).chain(conditions).collect();
    all.join("&")
}

/// `GET /p/{project}/runs`.
pub async fn show(
    State(site): State<Arc<Site>>,
    PageCaller(identity): PageCaller,
    Path(name): Path<String>,
    Query(query): Query<RunQuery>,
) -> Result<Html<String>, WebError> {
    let project = site.project(&identity, &name, Role::Reader).await?;
    let history = site.histories.of(project.id);
    let apps = history.apps().await?;
    let filter = RunFilter { last: Some(MOST), ..RunFilter::from(query) };
    let runs = history.runs(filter.clone()).await?;
    let titles = RunTitles::read(&site, project.id).await?;
    let path = format!("/p/{}", segment(&project.name));
    let frame = PageFrame {
        title: "Runs",
        section: Section::Runs,
        project: Some(&project.name),
        login: identity.login(),
        scripts: &[],
    };
    let main = html! {
        h1 { "Runs" }
        section.panel aria-labelledby="apps" {
            div.head { h2 id="apps" { "Apps" } }
            @if apps.is_empty() { p.empty { b { "No run yet" } a href=(path) { "Upload a recording" } } }
            @for (app, count) in &apps {
                div.body.row {
                    @if app.is_empty() {
                        a href={ (path) "/runs?app=" } { "whole device" }
                    } @else {
                        a href={ (path) "/apps/" (segment(app)) } { (app) }
                    }
                    span.soft { (count) (if *count == 1 { " run" } else { " runs" }) }
                }
            }
        }
        @if !apps.is_empty() {
            section.panel aria-labelledby="runs" {
                div.head {
                    h2 id="runs" { "Runs" }
                    @if runs.len() == MOST { span.soft.s { "the latest " (MOST) } }
                    span.space {}
                    (table_links(&project.name, "runs", &table_query(&filter)))
                    form.inline method="get" action={ (path) "/runs" } {
                        label.hidden-text for="device" { "Device" }
                        input id="device" name="device" placeholder="Device" value=[filter.device.as_deref()];
                        button.button type="submit" { "Filter" }
                    }
                }
                @if runs.is_empty() {
                    p.empty { b { "No run is like that" } a href={ (path) "/runs" } { "All runs" } }
                } @else {
                    (run_table(&path, &runs, &titles))
                }
            }
        }
    };
    Ok(Html(frame.page(&main)))
}
