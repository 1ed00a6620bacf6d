//! Health, readiness and metrics, for whoever looks after the machine.

use std::sync::Arc;

use axum::Extension;
use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use wattle_jobs::JobState;

use crate::http::{ClientAddress, WebError};
use crate::site::{ApiCaller, Site};

/// `GET /healthz`: the process answers.
pub async fn health() -> &'static str {
    "ok\n"
}

/// `GET /readyz`: the data can be read and written, and the server does not end.
pub async fn readiness(State(site): State<Arc<Site>>) -> (StatusCode, &'static str) {
    let reason = if *site.ending.borrow() {
        Some("not ready: the server is ending\n")
    } else {
        site.readiness.reason(&site.data).await
    };
    match reason {
        None => (StatusCode::OK, "ready\n"),
        Some(reason) => (StatusCode::SERVICE_UNAVAILABLE, reason),
    }
}

/// `GET /metrics`: for the machine itself, and for those who manage the server.
pub async fn metrics(
    State(site): State<Arc<Site>>,
    Extension(client): Extension<ClientAddress>,
    caller: Result<ApiCaller, WebError>,
) -> Result<Response, WebError> {
    let may = client.0.is_loopback() || caller?.0.caller.is_server_admin();
    if !may {
        return Err(WebError::not_found());
    }
    let jobs = site.data.jobs();
    let mut gauges = Vec::new();
    for (name, help, state) in [
        ("wattle_jobs_queued", "Jobs that wait.", JobState::Queued),
        ("wattle_jobs_running", "Jobs that run.", JobState::Running),
        ("wattle_jobs_failed", "Jobs that failed since the server was set up.", JobState::Failed),
        ("wattle_jobs_done", "Jobs that were done since the server was set up.", JobState::Done),
    ] {
        gauges.push((name, help, jobs.count(state).await?));
    }
    let workers = site.data.claims().workers().await?.len() as u64;
    gauges.push(("wattle_workers", "Workers.", workers));
    let bytes = site.data.uploads().stored_bytes().await?;
    gauges.push(("wattle_stored_bytes", "Bytes of files and open uploads.", bytes));
    let text = site.metrics.text(&gauges);
    Ok(([(header::CONTENT_TYPE, "text/plain; version=0.0.4; charset=utf-8")], text).into_response())
}
