//! A comparison of several runs, and the choice of them.

use std::sync::Arc;

use axum::extract::{Path, RawQuery, State};
use axum::response::Html;
use maud::{Markup, html};
use wattle_jobs::Role;
use wattle_power::Component;
use wattle_store::RunFilter;
use wattle_units::Estimate;

use super::runs_page::energy_text;
use super::{PageFrame, Section, moment, table_links};
use crate::api::has_figure;
use crate::http::WebError;
use crate::path_segment::segment;
use crate::run_titles::RunTitles;
use crate::runs_beside::{EnergyKind, EnergyRow, Relation, SeveralRuns, run_numbers};
use crate::site::{PageCaller, Site};

/// Runs that one can choose from.
const MOST: usize = 100;

fn percent(share: f64) -> String {
    let percent = share * 100.0;
    if percent < 10.0 { format!("{percent:.1} %") } else { format!("{percent:.0} %") }
}

/// A difference to the first run, by sign and word.
fn relation(of: Option<Relation>) -> Markup {
    html! {
        @match of {
            Some(Relation::Lower(share)) => span.verdict.passed { "▼ " (percent(share)) " lower" },
            Some(Relation::Higher(share)) => span.verdict.failed { "▲ " (percent(share)) " higher" },
            Some(Relation::Near) => span.soft { "intervals overlap" },
            None => {}
        }
    }
}

fn cell(row: &EnergyRow, at: usize, label: &str) -> Markup {
    let energy: Option<&Estimate> = row.energies.get(at).and_then(Option::as_ref);
    html! {
        td.num data-label=(label) {
            (energy_text(energy))
            @if at > 0 && energy.is_some() { br; (relation(row.relation(at))) }
        }
    }
}

/// The columns of the tables: the runs, each with its title and its page.
struct Columns<'a> {
    of: &'a SeveralRuns,
    titles: Vec<String>,
    path: &'a str,
}

/// The app stands in its row: columns of runs of one app need not repeat it.
fn column_titles(of: &SeveralRuns, titles: &RunTitles) -> Vec<String> {
    let title = |run| match of.app {
        Some(_) => titles.beside_others(run),
        None => titles.title(run),
    };
    of.runs.iter().map(title).collect()
}

fn table(columns: &Columns<'_>, kinds: &[EnergyKind], (id, title): (&str, &str)) -> Markup {
    let Columns { of, titles, path } = columns;
    let rows: Vec<&EnergyRow> = of.rows.iter().filter(|row| kinds.contains(&row.kind)).collect();
    html! {
        @if !rows.is_empty() {
            section.panel aria-labelledby=(id) {
                div.head { h2 id=(id) { (title) } }
                div.wide-table tabindex="0" role="region" aria-labelledby=(id) {
                    table.t.cards {
                        thead { tr {
                            th scope="col" { "Energy of" }
                            @for (at, (run, title)) in of.runs.iter().zip(titles).enumerate() {
                                th.num scope="col" { a href={ (path) "/runs/" (run.id.0) } { (title) } @if at == 0 { " " span.soft { "first" } } }
                            }
                        } }
                        tbody {
                            @for row in rows {
                                tr {
                                    th scope="row" {
                                        @match row.kind {
                                            EnergyKind::Device => "whole device",
                                            EnergyKind::App => (of.app.as_deref().unwrap_or("app")),
                                            EnergyKind::Component => (Component::from(row.name.as_str()).title()),
                                            _ => (row.name),
                                        }
                                    }
                                    @for (at, run) in of.runs.iter().enumerate() { (cell(row, at, &format!("Run {}", run.id.0))) }
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}

/// The runs that are asked for, of the query's `run`.
fn asked(query: Option<&str>) -> Vec<String> {
    let pairs = form_urlencoded::parse(query.unwrap_or_default().as_bytes());
    pairs.filter(|(key, _)| key == "run").map(|(_, value)| value.into_owned()).collect()
}

/// `GET /p/{project}/compare/several?run=…&run=…`.
pub async fn show(
    State(site): State<Arc<Site>>,
    PageCaller(identity): PageCaller,
    Path(name): Path<String>,
    RawQuery(query): RawQuery,
) -> Result<Html<String>, WebError> {
    let project = site.project(&identity, &name, Role::Reader).await?;
    let asked = asked(query.as_deref());
    let compared = if asked.is_empty() {
        None
    } else {
        Some(site.several_runs(project.id, &run_numbers(&asked)?).await?)
    };
    let latest = RunFilter { last: Some(MOST), ..RunFilter::default() };
    let runs = site.histories.of(project.id).runs(latest).await?;
    let titles = RunTitles::read(&site, project.id).await?;
    let path = format!("/p/{}", segment(&project.name));
    let chosen: Vec<i64> = compared.iter().flat_map(|of| &of.runs).map(|run| run.id.0).collect();
    // Those with a figure: a comparison of two needs both.
    let comparable: Vec<i64> = compared
        .iter()
        .flat_map(|of| &of.runs)
        .filter(|run| has_figure(run))
        .map(|run| run.id.0)
        .collect();
    let list = chosen.iter().map(i64::to_string).collect::<Vec<_>>().join(",");
    let frame = PageFrame {
        title: "Compare runs",
        section: Section::Runs,
        project: Some(&project.name),
        login: identity.login(),
        scripts: &[],
    };
    let main = html! {
        h1 { "Compare runs" }
        @if let Some(of) = &compared {
            @let columns = Columns { of, titles: column_titles(of, &titles), path: &path };
            @for doubt in &of.doubts { p.note { (doubt) } }
            (table(&columns, &[EnergyKind::App, EnergyKind::Device], ("h-whole", "Energy of the runs")))
            p.soft.s {
                "With 90 % intervals. Lower and higher are said against the first run where the intervals do not overlap. "
                @if let [first, others @ ..] = comparable.as_slice() {
                    @if !others.is_empty() {
                        "Errors that all runs of one device model share make no difference between two of them, so a comparison of two says more: "
                        @for (at, run) in others.iter().enumerate() {
                            @if at > 0 { ", " }
                            a href={ (path) "/compare?a=" (first) "&b=" (run) } { (first) " with " (run) }
                        }
                        ". "
                    }
                }
                (table_links(&project.name, "energies", &format!("?runs={list}")))
            }
            (table(&columns, &[EnergyKind::Component], ("h-components", "By component")))
            (table(&columns, &[EnergyKind::Method], ("h-methods", "By method, without what it called")))
            @if of.methods_left_out > 0 { p.soft.s { (of.methods_left_out) " methods with less energy are not shown." } }
        }
        section.panel aria-labelledby="h-choice" {
            div.head { h2 id="h-choice" { "Runs to compare" } }
            @if runs.len() < 2 {
                p.empty { b { "Two runs are needed" } a href=(path) { "Upload a recording" } }
            } @else {
                form.body method="get" action={ (path) "/compare/several" } {
                    ul.checks {
                        @for run in runs.iter().rev() {
                            li {
                                label {
                                    input type="checkbox" name="run" value=(run.id.0) checked[chosen.contains(&run.id.0)];
                                    " " (titles.title(run)) " "
                                    span.soft { (run.id.0) " · " (energy_text(run.energy().as_ref())) " · " (moment(run.time_ms())) }
                                }
                            }
                        }
                    }
                    button.button type="submit" { "Compare" }
                }
            }
        }
    };
    Ok(Html(frame.page(&main)))
}
