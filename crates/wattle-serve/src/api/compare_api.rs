//! Comparisons of two runs.

use std::sync::Arc;

use axum::extract::{Path, Query, State};
use axum::http::HeaderMap;
use axum::response::Response;
use serde::Deserialize;
use utoipa::IntoParams;
use wattle_jobs::{ProjectId, Role};
use wattle_store::{KeptRun, RunId};

use super::run_api::view_response;
use crate::http::{WebError, WebErrorKind};
use crate::ledger_views::{self, Side};
use crate::rendered_views::RenderedView;
use crate::run_titles::RunTitles;
use crate::site::{ApiCaller, Site};

/// The two runs of a comparison, and the app that it is about.
#[derive(Clone, Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct CompareQuery {
    /// Number of the run before.
    pub a: i64,
    /// Number of the run after.
    pub b: i64,
    /// Package name of the app; by default that of both runs, if it is one and the same.
    pub app: Option<String>,
    /// If it is there, with any value: the whole device.
    pub whole: Option<String>,
}

impl CompareQuery {
    /// The numbers of both runs.
    pub const fn runs(&self) -> [i64; 2] {
        [self.a, self.b]
    }

    /// The energy that is asked for.
    pub fn focus(&self) -> ComparisonFocus {
        ComparisonFocus { app: self.app.clone(), whole: self.whole.clone() }
    }
}

/// The energy that a comparison is about.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct ComparisonFocus {
    /// Package name of the app; by default that of both runs, if it is one and the same.
    pub app: Option<String>,
    /// If it is there, with any value: the whole device.
    pub whole: Option<String>,
}

impl ComparisonFocus {
    /// The app of the comparison of two runs; `None` for the whole device.
    pub fn app_of(&self, [before, after]: [&KeptRun; 2]) -> Option<String> {
        if self.whole.is_some() {
            return None;
        }
        let own = &before.facts.app.package;
        let common = Some(own).filter(|own| !own.is_empty() && **own == after.facts.app.package);
        self.app.as_ref().filter(|app| !app.is_empty()).or(common).cloned()
    }
}

/// Whether a run has an energy figure that can be compared.
pub fn has_figure(run: &KeptRun) -> bool {
    run.total.is_some() || run.app.is_some()
}

impl Site {
    /// Both runs of a comparison.
    pub async fn compared(
        &self,
        project: ProjectId,
        runs: [i64; 2],
    ) -> Result<[KeptRun; 2], WebError> {
        let history = self.histories.of(project);
        let found = [history.run(RunId(runs[0])).await?, history.run(RunId(runs[1])).await?];
        if let Some(run) = found.iter().find(|run| !has_figure(run)) {
            let text = format!("{} has no energy figure to compare", run.id);
            return Err(WebError::new(WebErrorKind::Conflict, text));
        }
        Ok(found)
    }

    /// A comparison of two runs of a project: data of its page, or JSON for scripts.
    pub async fn comparison(
        &self,
        project: ProjectId,
        runs: [KeptRun; 2],
        (focus, is_page): (&ComparisonFocus, bool),
    ) -> Result<RenderedView, WebError> {
        let [before, after] = &runs;
        let titles = RunTitles::read(self, project).await?;
        let names = [titles.beside_others(before), titles.beside_others(after)];
        let app = focus.app_of([before, after]);
        let history = self.histories.of(project);
        let [first, second] = [before.id, after.id];
        let load = async move {
            let before = history.ledger(first).await?;
            Ok([before, history.ledger(second).await?])
        };
        let kind = if is_page { "comparison page" } else { "comparison" };
        let shown = app.as_deref().unwrap_or_default();
        let key = [kind, &before.ledger.sha256, &after.ledger.sha256, &names[0], &names[1], shown];
        let (of, apps) = (names.clone(), Vec::from_iter(app.clone()));
        let make = move |ledgers: [Vec<u8>; 2]| {
            let ([before, after], [first, second]) = (ledgers, of);
            let sides =
                [Side { name: first, ledger: before }, Side { name: second, ledger: after }];
            if is_page {
                ledger_views::comparison_data(&sides, &apps)
            } else {
                ledger_views::comparison_json(&sides, &apps)
            }
        };
        self.views.get(&key, load, make).await
    }
}

/// Compare two runs: the JSON of `wattle diff`, of the app that both have.
#[utoipa::path(get, path = "/projects/{project}/compare", tag = "runs",
    params(("project" = String, Path, description = "Name of the project"), CompareQuery),
    responses((status = 200, description = "The comparison, schema wattle-diff", content_type = "application/json"), (status = 304),
        (status = "4XX", body = WebError)))]
pub async fn compare(
    State(site): State<Arc<Site>>,
    ApiCaller(identity): ApiCaller,
    Path(project): Path<String>,
    Query(query): Query<CompareQuery>,
    headers: HeaderMap,
) -> Result<Response, WebError> {
    let project = site.project(&identity, &project, Role::Reader).await?;
    let runs = site.compared(project.id, query.runs()).await?;
    let view = site.comparison(project.id, runs, (&query.focus(), false)).await?;
    Ok(view_response(&view, "application/json", &headers))
}
