//! Forms of pages: small, and with the token of the session they were made for.

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::extract::{FromRequest, Request};

use super::{Identity, Site};
use crate::http::{WebError, WebErrorKind, read_small};

/// The fields of a form that the caller's own page sent.
#[derive(Debug)]
pub struct CheckedForm {
    /// The sender.
    pub identity: Identity,
    fields: BTreeMap<String, String>,
}

impl FromRequest<Arc<Site>> for CheckedForm {
    type Rejection = WebError;

    async fn from_request(request: Request, site: &Arc<Site>) -> Result<Self, WebError> {
        let (parts, body) = request.into_parts();
        let identity = Identity::of_form(&parts, site).await?;
        let fields = fields_of(&read_small(body).await?);
        if !identity.is_csrf(fields.get("csrf").map_or("", String::as_str)) {
            let text = "this form is of another session; load the page again";
            return Err(WebError::new(WebErrorKind::Forbidden, text));
        }
        Ok(Self { identity, fields })
    }
}

impl CheckedForm {
    /// A field, without spaces around it; empty where it is missing.
    pub fn field(&self, name: &str) -> &str {
        self.fields.get(name).map_or("", |value| value.trim())
    }

    /// A field as it was typed.
    pub fn raw(&self, name: &str) -> &str {
        self.fields.get(name).map_or("", String::as_str)
    }

    /// A field that must be a number.
    pub fn number<N: std::str::FromStr>(&self, name: &str) -> Result<N, WebError> {
        let wrong = |_| WebError::new(WebErrorKind::Invalid, format!("{name}: expected a number"));
        self.field(name).parse().map_err(wrong)
    }
}

/// Fields of `application/x-www-form-urlencoded`; of a name that occurs twice, the last.
pub fn fields_of(body: &[u8]) -> BTreeMap<String, String> {
    form_urlencoded::parse(body).into_owned().collect()
}
