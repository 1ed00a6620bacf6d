//! The caller of a request: a cookie, a token, or the machine's own user.

use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use axum::http::{HeaderMap, header};
use wattle_jobs::{Caller, CallerProof, Project, Role, Secret, SecretKind};

use super::{Site, named_user};
use crate::http::{ClientAddress, PeerTrust, WebError, WebErrorKind};

/// The header by which scripts prove that they are the site's own.
const CSRF_HEADER: &str = "x-wattle-csrf";

/// The caller of a request, and their address.
#[derive(Clone, Debug)]
pub struct Identity {
    /// The caller.
    pub caller: Caller,
    /// The client's address, for the audit log.
    pub origin: String,
}

impl Identity {
    /// The token against forged requests that forms and scripts of a session send back; empty where none is needed.
    pub fn csrf(&self) -> &str {
        match &self.caller.proof {
            CallerProof::Session(session) => &session.csrf,
            _ => "",
        }
    }

    /// Whether a request of this caller carries the right token. Without a cookie no other site can make requests in somebody's name.
    pub fn is_csrf(&self, sent: &str) -> bool {
        match &self.caller.proof {
            CallerProof::Session(session) => is_same(&session.csrf, sent),
            _ => true,
        }
    }

    /// The name and the token for the bar of pages.
    pub fn login(&self) -> Option<(&str, &str)> {
        let user = self.caller.user.as_ref()?;
        Some((&user.title, self.csrf()))
    }

    async fn of_parts(parts: &Parts, site: &Site) -> Result<Self, WebError> {
        let origin = parts.extensions.get::<ClientAddress>();
        let origin = origin.map(|address| address.0.to_string()).unwrap_or_default();
        let by_header = site.settings.login_header.as_ref();
        let is_trusted = parts.extensions.get::<PeerTrust>().is_some_and(|trust| trust.0);
        let named = by_header.and_then(|name| named_user(&parts.headers, name));
        let named = named.filter(|_| is_trusted);
        // A proxy may pass on what it asked the browser for.
        let is_proxys = named.is_some() && bearer(&parts.headers).is_none();
        let caller = if parts.headers.contains_key(header::AUTHORIZATION) && !is_proxys {
            let secret = bearer(&parts.headers);
            match secret {
                Some(secret) => site.data.accounts().token(&secret).await?,
                None => None,
            }
        } else if site.settings.has_users {
            match SessionCookie::of_headers(&parts.headers, site.settings.is_encrypted) {
                Some(secret) => {
                    let session = site.data.accounts().session(&secret).await?;
                    session.filter(|caller| by_header.is_none() || is_named(caller, named))
                }
                None => None,
            }
        } else {
            Some(Caller::local())
        };
        let unknown =
            || WebError::new(WebErrorKind::Unauthenticated, "log in, or send a valid token");
        Ok(Self { caller: caller.ok_or_else(unknown)?, origin })
    }
}

/// Whether a caller is the user that the proxy names now.
fn is_named(caller: &Caller, named: Option<&str>) -> bool {
    named.is_some_and(|user| user.eq_ignore_ascii_case(caller.name()))
}

/// Compares without saying by its time how much was right.
fn is_same(a: &str, b: &str) -> bool {
    let differences = a.bytes().zip(b.bytes()).fold(0, |sum, (a, b)| sum | (a ^ b));
    a.len() == b.len() && differences == 0
}

fn bearer(headers: &HeaderMap) -> Option<Secret> {
    let text = headers.get(header::AUTHORIZATION)?.to_str().ok()?;
    let (scheme, secret) = text.split_once(' ')?;
    let is_bearer = scheme.eq_ignore_ascii_case("bearer");
    Secret::from_text(secret.trim(), SecretKind::Token).filter(|_| is_bearer)
}

/// The cookie of a session.
#[derive(Clone, Copy, Debug)]
pub struct SessionCookie;

impl SessionCookie {
    /// Over encrypted connections the browser itself binds it to this host.
    const fn name(is_encrypted: bool) -> &'static str {
        if is_encrypted { "__Host-wattle" } else { "wattle" }
    }

    /// The secret that a request carries.
    pub fn of_headers(headers: &HeaderMap, is_encrypted: bool) -> Option<Secret> {
        let name = Self::name(is_encrypted);
        let all = headers.get_all(header::COOKIE).iter();
        let pairs = all.filter_map(|value| value.to_str().ok()).flat_map(|value| value.split(';'));
        let mut secrets = pairs.filter_map(|pair| {
            let (key, value) = pair.trim().split_once('=')?;
            (key == name).then(|| Secret::from_text(value, SecretKind::Session)).flatten()
        });
        secrets.next()
    }

    /// The header that sets it, or takes it away.
    pub fn header(secret: Option<(&Secret, u64)>, is_encrypted: bool) -> String {
        let name = Self::name(is_encrypted);
        let secure = if is_encrypted { "; Secure" } else { "" };
        let (value, age) = secret.map_or(("", 0), |(secret, age)| (secret.reveal(), age));
        format!("{name}={value}; Path=/; HttpOnly; SameSite=Strict; Max-Age={age}{secure}")
    }
}

/// The caller of a page that is only shown.
#[derive(Clone, Debug)]
pub struct PageCaller(pub Identity);

impl FromRequestParts<Arc<Site>> for PageCaller {
    type Rejection = WebError;

    async fn from_request_parts(parts: &mut Parts, site: &Arc<Site>) -> Result<Self, WebError> {
        // What changes something goes through a form, which is checked.
        if !parts.method.is_safe() {
            return Err(WebError::new(WebErrorKind::MethodNotAllowed, "expected GET"));
        }
        Identity::of_parts(parts, site).await.map(Self)
    }
}

/// A reader of a project whose answer goes on for long. The right to it is looked at again and again, because logging out, a deleted
/// token or a lost role ends it.
#[derive(Clone, Debug)]
pub struct LastingReader {
    parts: Parts,
    checked: Instant,
}

impl LastingReader {
    /// The time after which the right is looked at again.
    const AGAIN: Duration = Duration::from_secs(5);

    /// The project, if the caller may read it.
    pub async fn project(&self, site: &Site, name: &str) -> Result<Project, WebError> {
        let identity = Identity::of_parts(&self.parts, site).await?;
        site.project(&identity, name, Role::Reader).await
    }

    /// Whether the caller may still read the project.
    pub async fn may_go_on(&mut self, site: &Site, project: &str) -> bool {
        if self.checked.elapsed() < Self::AGAIN {
            return true;
        }
        self.checked = Instant::now();
        self.project(site, project).await.is_ok()
    }
}

impl FromRequestParts<Arc<Site>> for LastingReader {
    type Rejection = WebError;

    async fn from_request_parts(parts: &mut Parts, _: &Arc<Site>) -> Result<Self, WebError> {
        Ok(Self { parts: parts.clone(), checked: Instant::now() })
    }
}

/// The caller of the HTTP API.
#[derive(Clone, Debug)]
pub struct ApiCaller(pub Identity);

impl FromRequestParts<Arc<Site>> for ApiCaller {
    type Rejection = WebError;

    async fn from_request_parts(parts: &mut Parts, site: &Arc<Site>) -> Result<Self, WebError> {
        let identity = Identity::of_parts(parts, site).await?;
        let sent = parts.headers.get(CSRF_HEADER).and_then(|value| value.to_str().ok());
        if !parts.method.is_safe() && !identity.is_csrf(sent.unwrap_or_default()) {
            let text = "with a cookie, changes need the header x-wattle-csrf of the page";
            return Err(WebError::new(WebErrorKind::Forbidden, text));
        }
        Ok(Self(identity))
    }
}

impl Identity {
    /// The caller of a form, whose token its fields have.
    pub(super) async fn of_form(parts: &Parts, site: &Site) -> Result<Self, WebError> {
        Self::of_parts(parts, site).await
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cookies_are_bound_and_read() {
        let secret = Secret::random(SecretKind::Session).expect("a secret");
        let set = SessionCookie::header(Some((&secret, 60)), true);
        for part in ["__Host-wattle=wattle_s_", "HttpOnly", "SameSite=Strict", "Secure", "Path=/"] {
            assert!(set.contains(part), "{set}");
        }
        assert!(SessionCookie::header(None, false).starts_with("wattle=; "));
        let mut headers = HeaderMap::new();
        let value = format!("other=1; wattle={}; x", secret.reveal());
        headers.insert(header::COOKIE, value.parse().expect("a value"));
        assert_eq!(SessionCookie::of_headers(&headers, false), Some(secret));
        assert_eq!(SessionCookie::of_headers(&headers, true), None);
    }

    #[test]
    fn comparisons_take_all_bytes() {
        assert!(is_same("abc", "abc"));
        assert!(!is_same("abc", "abd") && !is_same("abc", "ab") && !is_same("", "a"));
    }
}
