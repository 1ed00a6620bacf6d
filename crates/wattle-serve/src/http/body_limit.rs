//! Bodies of requests that are small: read whole, within bytes and time.

use std::time::Duration;

use axum::body::{Body, Bytes};

use super::{WebError, WebErrorKind};

/// The largest body of a request that is no upload, in bytes.
/// A comment of the most characters is within it in a form, where a character has up to twelve.
pub const SMALL_BODY: usize = 256 << 10;

/// The time for such a body.
const TIME: Duration = Duration::from_secs(20);

/// Reads a small body. The limit binds whatever the request claims of its length.
pub async fn read_small(body: Body) -> Result<Bytes, WebError> {
    let read = tokio::time::timeout(TIME, axum::body::to_bytes(body, SMALL_BODY)).await;
    match read {
        Ok(Ok(bytes)) => Ok(bytes),
        Ok(Err(error)) => {
            let is_limit = std::error::Error::source(&error)
                .is_some_and(|source| source.to_string().contains("length limit"));
            if is_limit || error.to_string().contains("length limit") {
                let text = format!("the request has more than {SMALL_BODY} bytes");
                Err(WebError::new(WebErrorKind::TooLarge, text))
            } else {
                Err(WebError::new(WebErrorKind::Invalid, "the request's body broke off"))
            }
        }
        Err(_) => Err(WebError::new(WebErrorKind::TooSlow, "the request's body took too long")),
    }
}
