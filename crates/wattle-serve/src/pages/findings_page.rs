//! Findings over the runs of a project: what diagnoses found, and in how many runs.

use std::sync::Arc;

use axum::extract::{Path, Query, State};
use axum::response::Html;
use maud::{Markup, html};
use serde::Deserialize;
use wattle_jobs::Role;
use wattle_units::Si;

use super::{PageFrame, Section, moment, table_links};
use crate::http::WebError;
use crate::path_segment::segment;
use crate::run_findings::{FoundInRuns, MOST_RUNS, RunFinding};
use crate::site::{PageCaller, Site};

/// Runs that a page looks through unless it is asked for others.
const USUAL: u32 = 20;
/// Runs of one finding that are linked.
const LINKED: usize = 8;

/// Conditions on findings.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FindingQuery {
    app: Option<String>,
    last: Option<u32>,
}

/// One defect over several runs: the findings of one rule about one process, the newest first.
struct Defect<'f> {
    newest: &'f RunFinding,
    all: Vec<&'f RunFinding>,
}

impl<'f> Defect<'f> {
    /// Those of runs: what is in the newest run first, then by energy.
    fn of_runs(found: &'f FoundInRuns) -> Vec<Self> {
        let mut defects: Vec<Self> = Vec::new();
        for finding in &found.findings {
            let is_same = |other: &&mut Self| {
                let other = other.newest;
                (&other.rule, &other.who, &other.thread)
                    == (&finding.rule, &finding.who, &finding.thread)
            };
            match defects.iter_mut().find(is_same) {
                Some(defect) => defect.all.push(finding),
                None => defects.push(Self { newest: finding, all: vec![finding] }),
            }
        }
        let joules = |defect: &Self| defect.newest.up_to_joules.unwrap_or(-1.0);
        defects.sort_by(|a, b| {
            let newest_first = b.newest.run.cmp(&a.newest.run);
            newest_first.then_with(|| joules(b).total_cmp(&joules(a)))
        });
        defects
    }

    /// One link for each run, to its largest finding.
    fn runs(&self) -> Vec<&'f RunFinding> {
        let mut runs: Vec<&RunFinding> = Vec::new();
        for finding in &self.all {
            if !runs.iter().any(|other| other.run == finding.run) {
                runs.push(finding);
            }
        }
        runs
    }
}

fn row(defect: &Defect<'_>, count: usize) -> Markup {
    let newest = defect.newest;
    let runs = defect.runs();
    html! {
        tr {
            td {
                a href=(newest.url) { (newest.title) }
                p.soft.s { (newest.remedy) }
            }
            td.keep data-label="Rule" { code { (newest.rule) } }
            td.num data-label="Saves up to" { (newest.up_to_joules.map_or_else(|| "–".to_owned(), |joules| Si { value: joules, unit: "J" }.to_string())) }
            td.num data-label="Found in" { (runs.len()) " of " (count) }
            td data-label="Runs" {
                @for (at, finding) in runs.iter().take(LINKED).enumerate() {
                    @if at > 0 { " " }
                    a.short href=(finding.url) { (finding.run) }
                }
                @if runs.len() > LINKED { span.soft { " and " (runs.len() - LINKED) " more" } }
            }
            td.keep data-label="Newest" { (moment(newest.time_ms)) }
        }
    }
}

/// `GET /p/{project}/findings`.
pub async fn show(
    State(site): State<Arc<Site>>,
    PageCaller(identity): PageCaller,
    Path(name): Path<String>,
    Query(query): Query<FindingQuery>,
) -> Result<Html<String>, WebError> {
    let project = site.project(&identity, &name, Role::Reader).await?;
    let apps = site.histories.of(project.id).apps().await?;
    let last = query.last.unwrap_or(USUAL).clamp(1, MOST_RUNS as u32);
    let app = query.app.filter(|app| !app.is_empty());
    let found = site.findings((project.id, &project.name), app.clone(), last as usize).await?;
    let defects = Defect::of_runs(&found);
    let path = format!("/p/{}", segment(&project.name));
    let of_app = app.as_ref().map_or_else(String::new, |app| format!("&app={}", segment(app)));
    let frame = PageFrame {
        title: &app
            .as_ref()
            .map_or_else(|| "Findings".to_owned(), |app| format!("Findings · {app}")),
        section: Section::Findings,
        project: Some(&project.name),
        login: identity.login(),
        scripts: &[],
    };
    let main = html! {
        h1 { "Findings" @if let Some(app) = &app { " " span.soft { (app) } } }
        section.panel aria-labelledby="findings" {
            div.head {
                h2 id="findings" { "What diagnoses found" }
                span.soft.s { "in the latest " (found.runs.len()) (if found.runs.len() == 1 { " run" } else { " runs" }) }
                span.space {}
                (table_links(&project.name, "findings", &format!("?last={last}{of_app}")))
            }
            form.body.inline method="get" action={ (path) "/findings" } {
                label for="finding-app" { "App" }
                select id="finding-app" name="app" {
                    option value="" { "all" }
                    @for (name, _) in apps.iter().filter(|(name, _)| !name.is_empty()) {
                        option value=(name) selected[app.as_ref() == Some(name)] { (name) }
                    }
                }
                label for="finding-last" { "Latest runs" }
                input id="finding-last" name="last" type="number" min="1" max=(MOST_RUNS) value=(last);
                button.button type="submit" { "Show" }
            }
            @if defects.is_empty() {
                p.empty {
                    @if let Some(app) = app.as_ref().filter(|app| !apps.iter().any(|(name, _)| name == *app)) {
                        b { "No run of " (app) } "This project has no run of an app of this name. "
                        a href={ (path) "/findings" } { "Findings of all apps" }
                    } @else if found.runs.is_empty() {
                        b { "No run with a diagnosis" } "Recordings that are uploaded get one; saved ledgers have none. "
                        a href=(path) { "Upload a recording" }
                    } @else {
                        b { "Nothing found" } "The diagnoses of these runs have no finding."
                    }
                }
            } @else {
                div.wide-table tabindex="0" role="region" aria-label="Findings" {
                    table.t.cards {
                        thead { tr {
                            th scope="col" { "Finding, in its newest run" } th scope="col" { "Rule" } th.num scope="col" { "Saves up to" }
                            th.num scope="col" { "Found in" } th scope="col" { "Runs" } th scope="col" { "Newest" }
                        } }
                        tbody { @for defect in &defects { (row(defect, found.runs.len())) } }
                    }
                }
                p.body.soft.s { "Savings can be of the same energy, so that they do not add up." @if found.without > 0 { " " (found.without) (if found.without == 1 { " run was" } else { " runs were" }) " kept without a diagnosis." } }
            }
        }
    };
    Ok(Html(frame.page(&main)))
}
