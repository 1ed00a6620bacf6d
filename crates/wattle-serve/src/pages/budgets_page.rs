//! Budgets: the rules of a project's `wattle.toml`, and how the latest runs keep them.

use std::sync::Arc;

use axum::extract::{Path, State};
use axum::response::{Html, IntoResponse as _, Redirect, Response};
use maud::{Markup, html};
use wattle_gate::{CheckRow, CheckVerdict, GateReport};
use wattle_jobs::{Project, Role};
use wattle_units::Si;

use super::{PageFrame, Section, table_links};
use crate::http::{WebError, WebErrorKind};
use crate::path_segment::segment;
use crate::project_budgets::JudgedApp;
use crate::site::{CheckedForm, Identity, PageCaller, Site};

/// The beginning of a new policy.
const EXAMPLE: &str = "[[check.rule]]\nsubject = \"app\"\nat-most = \"2 J\"\ngrow-at-most = \"5%\"";

fn energy(joules: f64) -> String {
    Si { value: joules, unit: "J" }.to_string()
}

/// A verdict by sign, word and colour.
fn verdict_mark(verdict: CheckVerdict) -> Markup {
    let (sign, class) = match verdict {
        CheckVerdict::Passed => ("✓", "verdict passed"),
        CheckVerdict::Failed => ("✗", "verdict failed"),
        CheckVerdict::Flaky => ("~", "verdict open"),
        CheckVerdict::Inconclusive | CheckVerdict::NotMeasured => ("?", "verdict open"),
    };
    html! { span class=(class) { span aria-hidden="true" { (sign) } " " (verdict.name()) } }
}

fn row(row: &CheckRow) -> Markup {
    let limit = [
        row.rule.at_most.map(|limit| format!("at most {}", energy(limit.0.value()))),
        row.rule.grow_at_most.map(|growth| {
            let share = (growth.share > 0.0).then(|| format!("{} %", growth.share * 100.0));
            let joules = (growth.joules.value() > 0.0).then(|| energy(growth.joules.value()));
            let parts: Vec<String> = share.into_iter().chain(joules).collect();
            format!("growth at most {}", parts.join(", "))
        }),
    ];
    html! {
        tr {
            td.keep { (verdict_mark(row.verdict)) }
            td data-label="Energy of" { (row.title()) }
            td data-label="Budget" { (limit.into_iter().flatten().collect::<Vec<_>>().join("; ")) }
            td.num data-label="Measured" { @match row.measured { Some(of) => { (energy(of.energy.joules)) " (" (energy(of.energy.low)) " – " (energy(of.energy.high)) ")" } None => "–" } }
            td.num data-label="Growth" { (row.share().map_or_else(|| "–".to_owned(), |share| format!("{}{:.1} %", if share < 0.0 { "−" } else { "+" }, share.abs() * 100.0))) }
            td data-label="Why" { (row.text) }
        }
    }
}

fn report(path: &str, of: &GateReport) -> Markup {
    html! {
        p.body { b { (of.headline()) } }
        div.wide-table tabindex="0" role="region" aria-label={ "Rules for " (of.app) } {
            table.t.cards {
                thead { tr {
                    th scope="col" { "Verdict" } th scope="col" { "Energy of" } th scope="col" { "Budget" }
                    th.num scope="col" { "Measured, 90 % interval" } th.num scope="col" { "Growth" } th scope="col" { "Why" }
                } }
                tbody { @for one in &of.rows { (row(one)) } }
            }
        }
        p.body.soft.s {
            "Judged: "
            @for (at, name) in of.runs.iter().enumerate() {
                @if at > 0 { ", " }
                a href={ (path) "/runs/" (name.trim_start_matches("run:")) } { (name) }
            }
            @if !of.baseline.runs.is_empty() { "; against " (of.baseline.described) }
            @for (run, reason) in &of.baseline.refused { "; left out of the baseline: " (run) ", " (reason) }
        }
    }
}

fn judged(path: &str, apps: &[JudgedApp]) -> Markup {
    html! {
        @for (at, of) in apps.iter().enumerate() {
            section.panel aria-labelledby={ "app-" (at) } {
                div.head {
                    h2 id={ "app-" (at) } { (if of.app.is_empty() { "Whole device" } else { &of.app }) }
                    span.space {}
                    @if !of.app.is_empty() { a href={ (path) "/apps/" (segment(&of.app)) } { "History" } }
                }
                @match &of.report {
                    Ok(of) => (report(path, of)),
                    Err(reason) => p.note { (reason) },
                }
            }
        }
        @if apps.is_empty() {
            section.panel aria-label="Checks" { p.empty { b { "No run to check" } "Runs of an app that passed are checked once they are there." } }
        }
    }
}

/// A text that was not taken as rules, and why.
struct Rejected<'a> {
    text: &'a str,
    reason: &'a str,
}

/// `GET /p/{project}/budgets`.
pub async fn show(
    State(site): State<Arc<Site>>,
    PageCaller(identity): PageCaller,
    Path(name): Path<String>,
) -> Result<Html<String>, WebError> {
    let project = site.project(&identity, &name, Role::Reader).await?;
    page(&site, &identity, &project, None).await
}

/// The page. A rejected text stays in the form, so that its author can correct it.
async fn page(
    site: &Site,
    identity: &Identity,
    project: &Project,
    rejected: Option<Rejected<'_>>,
) -> Result<Html<String>, WebError> {
    let role = site.data.projects().role(&identity.caller, project.id).await?;
    let policy = site.policy(project.id).await?;
    let apps = match &policy {
        Some(policy) => site.judged_apps(project.id, &policy.policy).await?,
        None => Vec::new(),
    };
    let path = format!("/p/{}", segment(&project.name));
    let frame = PageFrame {
        title: "Budgets",
        section: Section::Budgets,
        project: Some(&project.name),
        login: identity.login(),
        scripts: &[],
    };
    let kept = policy.as_ref().map_or("", |policy| &policy.text);
    let text = rejected.as_ref().map_or(kept, |rejected| rejected.text);
    let lines = text.lines().count().clamp(6, 30);
    let main = html! {
        h1 { "Budgets" }
        @if policy.is_some() { (judged(&path, &apps)) }
        section.panel aria-labelledby="rules" {
            div.head { h2 id="rules" { "Rules" } span.space {} (table_links(&project.name, "budgets", "")) }
            @if let Some(rejected) = &rejected {
                p.note role="alert" { "Not saved. " (rejected.reason) }
            } @else if policy.is_none() {
                p.empty { b { "No budgets" } "Rules say what an app may cost and by how much it may grow. They are the part [check] of a wattle.toml." }
            }
            @if role >= Role::Admin {
                form.body method="post" action={ (path) "/budgets" } {
                    input type="hidden" name="csrf" value=(identity.csrf());
                    div.field {
                        label for="budgets" { "wattle.toml" }
                        textarea.code id="budgets" name="toml" rows=(lines) maxlength="60000" spellcheck="false" placeholder=(EXAMPLE) { (text) }
                    }
                    button.button type="submit" { "Save" }
                }
            } @else if policy.is_some() {
                pre.body.code tabindex="0" { (text) }
            }
            p.body.soft.s { "The same rules judge a build in continuous integration: " code { "wattle check --server URL" } " takes them from the repository's own wattle.toml." }
        }
    };
    Ok(Html(frame.page(&main)))
}

/// `POST /p/{project}/budgets`.
pub async fn set(
    State(site): State<Arc<Site>>,
    Path(name): Path<String>,
    form: CheckedForm,
) -> Result<Response, WebError> {
    let project = site.project(&form.identity, &name, Role::Admin).await?;
    let text = form.raw("toml");
    match site.set_policy(project.id, text).await {
        Ok(()) => {}
        Err(error) if error.kind == WebErrorKind::Invalid => {
            let rejected = Rejected { text, reason: &error.message };
            let page = page(&site, &form.identity, &project, Some(rejected)).await?;
            return Ok((error.kind.status(), page).into_response());
        }
        Err(error) => return Err(error),
    }
    site.audit(&form.identity, ("budgets.set", "wattle.toml"), Some(project.id)).await?;
    Ok(Redirect::to(&format!("/p/{}/budgets", segment(&project.name))).into_response())
}
