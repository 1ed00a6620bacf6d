//! A line of the log for each request, with a number that its answer carries too. No query, no header and no body is written: all of them can
//! hold secrets. The path of a share link is one, so routes are written, not paths.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use axum::extract::{MatchedPath, Request, State};
use axum::http::HeaderValue;
use axum::middleware::Next;
use axum::response::Response;

use super::{ProxyTrust, ServedMetrics, client_address};

/// The number of a request: of this run of the server, then counted.
#[derive(Clone, Debug)]
pub struct RequestId(pub String);

static NEXT: AtomicU64 = AtomicU64::new(1);

/// Numbers a request, measures and logs it.
pub async fn journal(
    State((metrics, trust)): State<(Arc<ServedMetrics>, Arc<ProxyTrust>)>,
    mut request: Request,
    next: Next,
) -> Response {
    let start = Instant::now();
    let id = format!("{:x}-{:x}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
    let method = request.method().clone();
    let (client, peer) = client_address(request.headers(), request.extensions(), &trust);
    request.extensions_mut().insert(client);
    request.extensions_mut().insert(peer);
    request.extensions_mut().insert(RequestId(id.clone()));
    let route = request.extensions().get::<MatchedPath>().cloned();
    let mut response = next.run(request).await;
    let route = route.as_ref().map_or("", |route| route.as_str());
    let took = start.elapsed();
    let status = response.status().as_u16();
    metrics.answered(status, took);
    let ms = took.as_secs_f64() * 1e3;
    tracing::info!(target: "wattle::request", id, %method, route, status, ms, client = %client.0, "request");
    if let Ok(value) = HeaderValue::from_str(&id) {
        response.headers_mut().insert("x-request-id", value);
    }
    response
}
