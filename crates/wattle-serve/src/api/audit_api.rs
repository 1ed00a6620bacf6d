//! The audit log, for those who manage the server.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Query, State};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};
use wattle_jobs::{AuditEntry, AuditScope, Role};

use crate::http::{WebError, WebErrorKind};
use crate::site::{ApiCaller, Site};

/// Entries of one answer.
const MOST: u32 = 500;

/// An entry of the audit log.
#[derive(Debug, Serialize, ToSchema)]
pub struct AuditInfo {
    /// Its number; later entries have greater ones.
    pub number: i64,
    /// The time, Unix milliseconds.
    pub at_ms: i64,
    /// The user.
    pub actor: String,
    /// The action, such as `login` or `run.delete`.
    pub action: String,
    /// The number of the project; null for the server as a whole.
    pub project: Option<i64>,
    /// The thing it was done to.
    pub subject: String,
    /// The client's address.
    pub origin: String,
}

impl From<AuditEntry> for AuditInfo {
    fn from(entry: AuditEntry) -> Self {
        Self {
            number: entry.number,
            at_ms: entry.at_ms,
            actor: entry.actor,
            action: entry.action,
            project: entry.project.map(|project| project.0),
            subject: entry.subject,
            origin: entry.origin,
        }
    }
}

/// Conditions on listed entries.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct AuditQuery {
    /// Those before this number.
    pub before: Option<i64>,
    /// Those of this project alone. Without it, those of the whole server, for users who manage it.
    pub project: Option<String>,
}

/// List the audit log, newest first; 500 entries at most.
#[utoipa::path(get, path = "/audit", tag = "accounts", params(AuditQuery),
    responses((status = 200, body = Vec<AuditInfo>), (status = "4XX", body = WebError)))]
pub async fn list(
    State(site): State<Arc<Site>>,
    ApiCaller(identity): ApiCaller,
    Query(query): Query<AuditQuery>,
) -> Result<Json<Vec<AuditInfo>>, WebError> {
    let scope = match query.project.as_deref() {
        Some(name) => AuditScope::Project(site.project(&identity, name, Role::Admin).await?.id),
        None if identity.caller.is_server_admin() => AuditScope::All,
        None => {
            let text = "the log of the whole server is for users who manage it; name a project that you are an admin of";
            return Err(WebError::new(WebErrorKind::Forbidden, text));
        }
    };
    let entries = site.data.audit().newest(scope, query.before, MOST).await?;
    Ok(Json(entries.into_iter().map(Into::into).collect()))
}
