//! Answers that say why there is no other.

use axum::body::Body;
use axum::extract::{MatchedPath, Request};
use axum::http::{HeaderValue, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Redirect, Response};
use serde::Serialize;
use utoipa::ToSchema;

use super::{RequestId, plain_reason};

/// The kind of an error, which decides the status.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum WebErrorKind {
    /// The request makes no sense (400).
    Invalid,
    /// Nobody is logged in, or the token is not valid (401).
    Unauthenticated,
    /// The user or the token may not do that (403).
    Forbidden,
    /// It does not exist, or not for this user (404).
    NotFound,
    /// The path has no such method (405).
    MethodNotAllowed,
    /// The body took too long (408).
    TooSlow,
    /// The state is another than the request expects (409).
    Conflict,
    /// It existed, and was deleted (410).
    Gone,
    /// The body or file is too large (413).
    TooLarge,
    /// The body is in a form that is not read (415).
    UnsupportedMedia,
    /// The data have nothing that the request could be met with (422).
    Unprocessable,
    /// Too many requests (429).
    TooMany,
    /// A defect of the server (500).
    Internal,
    /// The server is too busy or ending (503).
    Unavailable,
    /// The disk or a quota of the server is full (507).
    NoRoom,
}

impl WebErrorKind {
    /// The status.
    pub const fn status(self) -> StatusCode {
        match self {
            Self::Invalid => StatusCode::BAD_REQUEST,
            Self::Unauthenticated => StatusCode::UNAUTHORIZED,
            Self::Forbidden => StatusCode::FORBIDDEN,
            Self::NotFound => StatusCode::NOT_FOUND,
            Self::MethodNotAllowed => StatusCode::METHOD_NOT_ALLOWED,
            Self::TooSlow => StatusCode::REQUEST_TIMEOUT,
            Self::Conflict => StatusCode::CONFLICT,
            Self::Gone => StatusCode::GONE,
            Self::TooLarge => StatusCode::PAYLOAD_TOO_LARGE,
            Self::UnsupportedMedia => StatusCode::UNSUPPORTED_MEDIA_TYPE,
            Self::Unprocessable => StatusCode::UNPROCESSABLE_ENTITY,
            Self::TooMany => StatusCode::TOO_MANY_REQUESTS,
            Self::Internal => StatusCode::INTERNAL_SERVER_ERROR,
            Self::Unavailable => StatusCode::SERVICE_UNAVAILABLE,
            Self::NoRoom => StatusCode::INSUFFICIENT_STORAGE,
        }
    }
}

/// An error as the client sees it. Nothing in it may be a secret or a path of the server.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct WebError {
    /// The kind.
    #[serde(rename = "error")]
    pub kind: WebErrorKind,
    /// A sentence for people.
    pub message: String,
}

impl WebError {
    /// An error of a kind, with a sentence.
    pub fn new(kind: WebErrorKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into() }
    }

    /// Something that does not exist, or not for this user.
    pub fn not_found() -> Self {
        Self::new(WebErrorKind::NotFound, "there is nothing here that you may see")
    }

    /// Work that is not begun any more.
    pub fn ending() -> Self {
        Self::new(WebErrorKind::Unavailable, "the server is ending")
    }

    /// A defect: the log has the reason, the client does not.
    pub fn internal(error: &dyn std::fmt::Display) -> Self {
        tracing::error!(%error, "internal error");
        Self::new(WebErrorKind::Internal, "internal error; the server's log has the details")
    }
}

impl IntoResponse for WebError {
    fn into_response(self) -> Response {
        let mut response = self.kind.status().into_response();
        response.extensions_mut().insert(self);
        response
    }
}

/// The page of an error: of the error, the number of the request, and its path.
type ErrorPage = fn(&WebError, &str, &str) -> String;

/// Writes errors: as JSON below `/api`, as a page elsewhere.
pub async fn show_errors(page: ErrorPage, request: Request, next: Next) -> Response {
    let path = request.uri().path().to_owned();
    let is_api = path.starts_with("/api/");
    let to = request.uri().path_and_query().map(|it| it.as_str().to_owned()).unwrap_or_default();
    let is_shown = request.method() == axum::http::Method::GET;
    let route = request.extensions().get::<MatchedPath>().cloned();
    let id = request.extensions().get::<RequestId>().map(|id| id.0.clone()).unwrap_or_default();
    let mut response = next.run(request).await;
    let known = response.extensions_mut().remove::<WebError>();
    let Some(mut error) = known.or_else(|| of_framework(&response)) else { return response };
    if error.kind == WebErrorKind::Invalid && error.message == MALFORMED {
        let body = std::mem::take(response.body_mut());
        let route = route.as_ref().map_or("", MatchedPath::as_str);
        error.message = stated(body, route).await.unwrap_or(error.message);
    }
    if error.kind == WebErrorKind::Unauthenticated && is_shown && !is_api {
        let to: String = form_urlencoded::byte_serialize(to.as_bytes()).collect();
        return Redirect::to(&format!("/login?to={to}")).into_response();
    }
    let mut shown = if is_api {
        let json = serde_json::to_string(&error).unwrap_or_default();
        (error.kind.status(), [(header::CONTENT_TYPE, "application/json")], json).into_response()
    } else {
        let html = page(&error, &id, &path);
        let kind = [(header::CONTENT_TYPE, "text/html; charset=utf-8")];
        (error.kind.status(), kind, html).into_response()
    };
    shown.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    for name in [header::RETRY_AFTER, header::WWW_AUTHENTICATE, header::ALLOW] {
        if let Some(value) = response.headers().get(&name) {
            shown.headers_mut().insert(name, value.clone());
        }
    }
    shown
}

/// The sentence about a request that the framework refused, where it does not say why.
const MALFORMED: &str = "the request cannot be understood";
/// Bytes of the framework's own sentence.
const MOST_STATED: usize = 4096;

/// The framework's own sentence, which names the parameter; one of the address is known by its place in the route.
async fn stated(body: Body, route: &str) -> Option<String> {
    let bytes = axum::body::to_bytes(body, MOST_STATED).await.ok()?;
    let text = std::str::from_utf8(&bytes).ok()?;
    let (_, reason) = text.split_once(": ")?;
    let from = if text.starts_with("Failed to deserialize query string") {
        "query"
    } else if text.starts_with("Invalid URL") {
        "address"
    } else {
        return None;
    };
    let names = route.split('{').skip(1).filter_map(|part| part.split('}').next());
    let mut reason = reason.to_owned();
    for (at, name) in names.enumerate() {
        reason = reason.replace(&format!("value at index {at} "), &format!("`{name}` "));
    }
    Some(format!("{from}: {}", plain_reason(&reason)))
}

/// Answers of the framework itself: unknown paths, wrong methods, malformed queries.
fn of_framework(response: &Response) -> Option<WebError> {
    if response.headers().contains_key(header::CONTENT_TYPE)
        && !response.headers()[header::CONTENT_TYPE].as_bytes().starts_with(b"text/plain")
    {
        return None;
    }
    let (kind, text) = match response.status() {
        StatusCode::BAD_REQUEST => (WebErrorKind::Invalid, MALFORMED),
        StatusCode::NOT_FOUND => (WebErrorKind::NotFound, "there is nothing here"),
        StatusCode::METHOD_NOT_ALLOWED => {
            (WebErrorKind::MethodNotAllowed, "this address has no such method")
        }
        StatusCode::PAYLOAD_TOO_LARGE => (WebErrorKind::TooLarge, "the request is too large"),
        StatusCode::UNSUPPORTED_MEDIA_TYPE => {
            (WebErrorKind::UnsupportedMedia, "the request's content type is not read here")
        }
        StatusCode::UNPROCESSABLE_ENTITY => {
            (WebErrorKind::Invalid, "the request's fields are not those that are expected")
        }
        StatusCode::INTERNAL_SERVER_ERROR => (WebErrorKind::Internal, "internal error"),
        _ => return None,
    };
    Some(WebError::new(kind, text))
}
