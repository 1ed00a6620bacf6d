//! Logging in and out.

use std::sync::Arc;

use axum::body::Body;
use axum::extract::{Query, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{Html, IntoResponse as _, Redirect, Response};
use maud::{Markup, html};
use serde::Deserialize;
use wattle_jobs::{NewSession, Password, ServerError};

use super::{PageFrame, Section};
use crate::http::{ClientAddress, WebError, WebErrorKind, read_small};
use crate::site::{CheckedForm, SessionCookie, Site, fields_of};

/// Seconds after which failed attempts are forgotten.
const LOCKOUT_SECONDS: &str = "900";

/// The page that comes afterwards.
#[derive(Debug, Default, Deserialize)]
pub struct LoginQuery {
    #[serde(default)]
    to: String,
}

/// A path of this site; anything else would send the user to another one.
fn own_path(to: &str) -> &str {
    let is_path = to.starts_with('/') && !to.starts_with("//") && !to.contains(['\\', '\r', '\n']);
    if is_path { to } else { "/" }
}

fn page(to: &str, failure: Option<&str>) -> String {
    let frame = PageFrame {
        title: "Log in",
        section: Section::None,
        project: None,
        login: None,
        scripts: &[],
    };
    let form: Markup = html! {
        h1 { "Log in" }
        section.panel aria-label="Log in" {
            form.body method="post" action="/login" {
                @if let Some(failure) = failure { p.note role="alert" { (failure) } }
                input type="hidden" name="to" value=(own_path(to));
                div.field {
                    label for="name" { "User name" }
                    input id="name" name="name" autocomplete="username" autocapitalize="none" required autofocus;
                }
                div.field {
                    label for="password" { "Password" }
                    input id="password" name="password" type="password" autocomplete="current-password" required;
                }
                button.button.first type="submit" { "Log in" }
            }
        }
    };
    frame.page(&form)
}

/// `GET /login`.
pub async fn show(
    State(site): State<Arc<Site>>,
    client: Option<axum::Extension<ClientAddress>>,
    headers: HeaderMap,
    Query(query): Query<LoginQuery>,
) -> Result<Response, WebError> {
    if !site.settings.has_users {
        return Ok(Redirect::to("/").into_response());
    }
    if let Some(name) = &site.settings.login_header {
        let origin = client.map(|client| client.0.0.to_string()).unwrap_or_default();
        let session = site.log_in_by_header(&headers, name, &origin).await?;
        return begun(&site, &session, &query.to);
    }
    Ok(Html(page(&query.to, None)).into_response())
}

/// The answer to a login: the cookie, and the way to the page that was wanted.
fn begun(site: &Site, session: &NewSession, to: &str) -> Result<Response, WebError> {
    let age = session.session.expires_ms.saturating_sub(site.data.now_ms()).max(0) as u64 / 1000;
    let cookie = SessionCookie::header(Some((&session.secret, age)), site.settings.is_encrypted);
    let mut response = Redirect::to(own_path(to)).into_response();
    let value = HeaderValue::from_str(&cookie).map_err(|error| WebError::internal(&error))?;
    response.headers_mut().insert(header::SET_COOKIE, value);
    Ok(response)
}

/// `POST /login`.
pub async fn log_in(
    State(site): State<Arc<Site>>,
    client: Option<axum::Extension<ClientAddress>>,
    body: Body,
) -> Result<Response, WebError> {
    if site.settings.login_header.is_some() {
        let text = "users of this server log in at its proxy, not with a password";
        return Err(WebError::new(WebErrorKind::Forbidden, text));
    }
    let fields = fields_of(&read_small(body).await?);
    let field = |name: &str| fields.get(name).map_or("", String::as_str);
    let origin = client.map(|client| client.0.0.to_string()).unwrap_or_default();
    let password = Password::attempt(field("password"));
    let session = site.data.accounts().log_in(field("name"), &password, &origin).await;
    let session = match session {
        Ok(session) => session,
        Err(error @ (ServerError::Forbidden(_) | ServerError::Limit(_))) => {
            let status = WebError::from(error).kind.status();
            let text = if status == StatusCode::TOO_MANY_REQUESTS {
                "Too many failed attempts; wait a quarter of an hour."
            } else {
                "User name or password is wrong."
            };
            let mut response = (status, Html(page(field("to"), Some(text)))).into_response();
            if status == StatusCode::TOO_MANY_REQUESTS {
                let pause = HeaderValue::from_static(LOCKOUT_SECONDS);
                response.headers_mut().insert(header::RETRY_AFTER, pause);
            }
            return Ok(response);
        }
        Err(error) => return Err(error.into()),
    };
    begun(&site, &session, field("to"))
}

/// `POST /logout`.
pub async fn log_out(
    State(site): State<Arc<Site>>,
    headers: HeaderMap,
    form: CheckedForm,
) -> Result<Response, WebError> {
    if let Some(secret) = SessionCookie::of_headers(&headers, site.settings.is_encrypted) {
        site.data.accounts().log_out(&secret).await?;
    }
    site.audit(&form.identity, ("logout", ""), None).await?;
    let mut response = Redirect::to("/login").into_response();
    let cookie = SessionCookie::header(None, site.settings.is_encrypted);
    if let Ok(value) = HeaderValue::from_str(&cookie) {
        response.headers_mut().insert(header::SET_COOKIE, value);
    }
    Ok(response)
}

#[cfg(test)]
mod tests {
    use super::own_path;

    #[test]
    fn nobody_is_sent_to_another_site() {
        for to in ["//evil.example", "https://evil.example", "/\\evil.example", "evil", "/a\r\nb"] {
            assert_eq!(own_path(to), "/", "{to}");
        }
        assert_eq!(own_path("/p/default/runs?app=a"), "/p/default/runs?app=a");
    }
}
