//! JSON bodies of requests.

use axum::extract::{FromRequest, Request};
use axum::http::header;
use serde::de::DeserializeOwned;

use crate::http::{WebError, WebErrorKind, plain_reason, read_small};

/// A small JSON body. Its content type has to say that it is one, which no form of another site can.
pub struct SmallJson<T>(pub T);

impl<S: Send + Sync, T: DeserializeOwned> FromRequest<S> for SmallJson<T> {
    type Rejection = WebError;

    async fn from_request(request: Request, _: &S) -> Result<Self, WebError> {
        let kind = request.headers().get(header::CONTENT_TYPE);
        let kind = kind.and_then(|value| value.to_str().ok()).unwrap_or_default();
        let kind = kind.split(';').next().unwrap_or_default().trim();
        if !kind.eq_ignore_ascii_case("application/json") {
            let text = "expected the content type application/json";
            return Err(WebError::new(WebErrorKind::UnsupportedMedia, text));
        }
        let body = read_small(request.into_body()).await?;
        let read =
            serde_path_to_error::deserialize(&mut serde_json::Deserializer::from_slice(&body));
        read.map(Self).map_err(|error| {
            let field = match error.path().to_string() {
                // What is not read as JSON at all has no field.
                path if path == "." || path == "?" => "the body".to_owned(),
                path => path,
            };
            WebError::new(
                WebErrorKind::Invalid,
                format!("{field}: {}", plain_reason(&error.inner().to_string())),
            )
        })
    }
}
