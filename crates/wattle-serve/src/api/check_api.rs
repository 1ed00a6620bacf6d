//! Runs as `wattle check --server` judges them: those of the latest commit, and those before.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Path, State};
use serde::Serialize;
use wattle_gate::{EarlierRuns, GateRun, JudgedRuns, LatestRuns};
use wattle_jobs::Role;
use wattle_store::RunId;

use super::small_json::SmallJson;
use crate::http::WebError;
use crate::project_budgets::of_history;
use crate::site::{ApiCaller, Site};

/// The latest runs, and all apps that the project has runs of.
#[derive(Debug, Serialize)]
pub struct LatestAnswer {
    apps: Vec<String>,
    groups: Vec<JudgedRuns>,
}

/// The runs of the latest commit of an app, each scenario for itself, with their figures: what `wattle check --server` judges.
/// The body has `app`, `commit` and `methods` (patterns whose sums are wanted), all optional.
#[utoipa::path(post, path = "/projects/{project}/check/latest", tag = "check", request_body = serde_json::Value,
    params(("project" = String, Path, description = "Name of the project")),
    responses((status = 200, description = "`apps`, and `groups` of runs that are judged together", content_type = "application/json"), (status = "4XX", body = WebError)))]
pub async fn latest(
    State(site): State<Arc<Site>>,
    ApiCaller(identity): ApiCaller,
    Path(project): Path<String>,
    SmallJson(wanted): SmallJson<LatestRuns>,
) -> Result<Json<LatestAnswer>, WebError> {
    let project = site.project(&identity, &project, Role::Reader).await?;
    let history = site.histories.of(project.id);
    let answer = history.blocking(move |store| {
        let apps = store.apps()?.into_iter().map(|(name, _)| name).collect();
        let groups = wattle_gate::latest_runs(store, &wanted).map_err(of_history)?;
        Ok(LatestAnswer { apps, groups })
    });
    Ok(Json(answer.await?))
}

/// The runs before those that are judged, of the same app, scenario and device, with their figures. The body has `facts` of a judged
/// run, `names` of all of them, `until_ms`, `branch` and `methods`.
#[utoipa::path(post, path = "/projects/{project}/check/earlier", tag = "check", request_body = serde_json::Value,
    params(("project" = String, Path, description = "Name of the project")),
    responses((status = 200, description = "Runs with their figures, oldest first", content_type = "application/json"), (status = "4XX", body = WebError)))]
pub async fn earlier(
    State(site): State<Arc<Site>>,
    ApiCaller(identity): ApiCaller,
    Path(project): Path<String>,
    SmallJson(wanted): SmallJson<EarlierRuns>,
) -> Result<Json<Vec<GateRun>>, WebError> {
    let project = site.project(&identity, &project, Role::Reader).await?;
    let history = site.histories.of(project.id);
    let runs = history
        .blocking(move |store| wattle_gate::earlier_runs(store, &wanted).map_err(of_history));
    Ok(Json(runs.await?))
}

/// One run with all its figures, as a rule of `wattle check` sees it.
#[utoipa::path(get, path = "/projects/{project}/check/runs/{run}", tag = "check",
    params(("project" = String, Path, description = "Name of the project"), ("run" = i64, Path, description = "Number of the run")),
    responses((status = 200, description = "The run with its figures", content_type = "application/json"), (status = "4XX", body = WebError)))]
pub async fn run(
    State(site): State<Arc<Site>>,
    ApiCaller(identity): ApiCaller,
    Path((project, run)): Path<(String, i64)>,
) -> Result<Json<GateRun>, WebError> {
    let project = site.project(&identity, &project, Role::Reader).await?;
    let history = site.histories.of(project.id);
    let found = history
        .blocking(move |store| wattle_gate::kept_run(store, RunId(run)).map_err(of_history))
        .await?;
    found.map(Json).ok_or_else(WebError::not_found)
}
