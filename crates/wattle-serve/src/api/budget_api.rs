//! Budgets of a project.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;
use wattle_jobs::Role;

use super::small_json::SmallJson;
use crate::http::WebError;
use crate::site::{ApiCaller, Site};

/// The budgets of a project.
#[derive(Debug, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct BudgetText {
    /// A `wattle.toml`, of which `[check]` counts; empty for none.
    pub toml: String,
}

/// Budgets with what the latest runs say of them.
#[derive(Debug, Serialize, ToSchema)]
pub struct BudgetState {
    /// The `wattle.toml`; empty where none was given.
    pub toml: String,
    /// A check of each app, as `wattle check --json` writes it.
    #[schema(value_type = Vec<Object>)]
    pub checks: Vec<Value>,
}

/// Show the budgets of a project, and how the latest runs keep them.
#[utoipa::path(get, path = "/projects/{project}/budgets", tag = "check",
    params(("project" = String, Path, description = "Name of the project")),
    responses((status = 200, body = BudgetState), (status = "4XX", body = WebError)))]
pub async fn show(
    State(site): State<Arc<Site>>,
    ApiCaller(identity): ApiCaller,
    Path(project): Path<String>,
) -> Result<Json<BudgetState>, WebError> {
    let project = site.project(&identity, &project, Role::Reader).await?;
    let Some(policy) = site.policy(project.id).await? else {
        return Ok(Json(BudgetState { toml: String::new(), checks: Vec::new() }));
    };
    let judged = site.judged_apps(project.id, &policy.policy).await?;
    let reports = judged.into_iter().filter_map(|judged| judged.report.ok());
    let json = |report| serde_json::from_str(&wattle_gate::format::json(&report, false));
    let checks = reports.map(json).collect::<Result<_, _>>();
    let checks = checks.map_err(|error| WebError::internal(&error))?;
    Ok(Json(BudgetState { toml: policy.text, checks }))
}

/// Set the budgets of a project: the text of a `wattle.toml`, or an empty one to take them away.
#[utoipa::path(put, path = "/projects/{project}/budgets", tag = "check", request_body = BudgetText,
    params(("project" = String, Path, description = "Name of the project")),
    responses((status = 204), (status = "4XX", body = WebError)))]
pub async fn set(
    State(site): State<Arc<Site>>,
    ApiCaller(identity): ApiCaller,
    Path(project): Path<String>,
    SmallJson(budgets): SmallJson<BudgetText>,
) -> Result<StatusCode, WebError> {
    let project = site.project(&identity, &project, Role::Admin).await?;
    site.set_policy(project.id, &budgets.toml).await?;
    site.audit(&identity, ("budgets.set", "wattle.toml"), Some(project.id)).await?;
    Ok(StatusCode::NO_CONTENT)
}
