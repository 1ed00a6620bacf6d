//! Logging in by a header that a reverse proxy sets.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderName};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};
use wattle_jobs::NewSession;

use super::Site;
use crate::http::{PeerTrust, WebError, WebErrorKind};

/// The user that the proxy names in a request, if it does.
pub fn named_user<'h>(headers: &'h HeaderMap, name: &HeaderName) -> Option<&'h str> {
    let value = headers.get(name)?.to_str().ok()?.trim();
    (!value.is_empty()).then_some(value)
}

/// Refuses a request that names a user and does not come from a trusted proxy, or names several.
pub async fn check_login_header(
    State(site): State<Arc<Site>>,
    request: Request,
    next: Next,
) -> Response {
    let Some(name) = &site.settings.login_header else { return next.run(request).await };
    let named = request.headers().get_all(name).iter().count();
    let is_trusted = request.extensions().get::<PeerTrust>().is_some_and(|trust| trust.0);
    let text = match named {
        0 => return next.run(request).await,
        _ if !is_trusted => "the login header is accepted from the trusted proxy only",
        1 => return next.run(request).await,
        _ => "expected one login header",
    };
    tracing::warn!(named, "refused a login header");
    WebError::new(WebErrorKind::Forbidden, text).into_response()
}

impl Site {
    /// Begins a session of the user that the proxy names. A user who is new is created, and has a role in no project.
    pub async fn log_in_by_header(
        &self,
        headers: &HeaderMap,
        name: &HeaderName,
        origin: &str,
    ) -> Result<NewSession, WebError> {
        let Some(user) = named_user(headers, name) else {
            let text = "users of this server log in at its proxy, which named nobody";
            return Err(WebError::new(WebErrorKind::Forbidden, text));
        };
        Ok(self.data.accounts().log_in_trusted(user, origin, true).await?)
    }
}
