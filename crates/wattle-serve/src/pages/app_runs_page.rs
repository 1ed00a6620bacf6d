//! An app over its runs.

use std::sync::Arc;

use axum::extract::{Path, State};
use axum::response::Html;
use maud::{Markup, html};
use wattle_jobs::Role;
use wattle_store::{KeptRun, RunFilter};

use super::runs_page::run_table;
use super::{PageFrame, Section};
use crate::http::{WebError, WebErrorKind};
use crate::path_segment::segment;
use crate::site::{PageCaller, Site};

/// Runs of the picture and the table.
const MOST: usize = 200;

/// Energies of runs as a picture: points with intervals, in the order of time. The table beside it has the same.
fn picture(runs: &[KeptRun]) -> Markup {
    let known: Vec<_> = runs.iter().filter_map(|run| Some((run.id, run.energy()?))).collect();
    let highest = known.iter().map(|(_, of)| of.interval.high.value()).fold(0.0, f64::max);
    let (width, height, left) = (1000.0, 180.0, 8.0);
    let x = |at: usize| left + (width - 2.0 * left) * (at as f64 + 0.5) / known.len().max(1) as f64;
    let y = |joules: f64| height - 14.0 - (height - 24.0) * joules / highest.max(1e-12);
    html! {
        svg viewBox={ "0 0 " (width) " " (height) } width="100%" height=(height) preserveAspectRatio="none" role="img" aria-label={ "Energy of " (known.len()) " runs, at most " (wattle_units::Joules::new(highest)) } {
            line x1="0" x2=(width) y1=(y(0.0)) y2=(y(0.0)) stroke="var(--line2)" {}
            @for (at, (_, of)) in known.iter().enumerate() {
                line x1=(x(at)) x2=(x(at)) y1=(format!("{:.1}", y(of.interval.low.value()))) y2=(format!("{:.1}", y(of.interval.high.value()))) stroke="var(--text3)" vector-effect="non-scaling-stroke" {}
                rect x=(format!("{:.1}", x(at) - 3.0)) y=(format!("{:.1}", y(of.joules.value()) - 2.0)) width="6" height="4" fill="var(--accent)" {}
            }
        }
    }
}

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
        return Err(WebError::new(WebErrorKind::NotFound, "no run of such an app"));
    }
    let names = site.data.run_names().all(project.id).await?;
    let path = format!("/p/{}", segment(&project.name));
    let frame = PageFrame {
        title: &app,
        section: Section::Runs,
        project: Some(&project.name),
        login: identity.login(),
        scripts: &[],
    };
    let main = html! {
        h1 { (app) }
        section.panel aria-labelledby="over-time" {
            div.head { h2 id="over-time" { "Energy by run" } span.soft.s { "from 0 J; lines are 90 % intervals" } }
            div.body { (picture(&runs)) }
        }
        section.panel aria-labelledby="runs" {
            div.head { h2 id="runs" { "Runs" } span.space {} a href={ "/api/v1/projects/" (segment(&project.name)) "/runs?app=" (segment(&app)) } { "JSON" } }
            (run_table(&path, &runs, &names))
        }
    };
    Ok(Html(frame.page(&main)))
}
