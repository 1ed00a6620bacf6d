//! The origin of requests: against DNS rebinding and requests that other sites make a browser send.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::{HeaderMap, Method, header};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};

use super::{WebError, WebErrorKind};

/// The names that the server answers to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OriginPolicy {
    /// Names of this machine for itself only: whatever another name resolves to, it is not asked for.
    Loopback,
    /// These hosts, with ports where they are not the usual one.
    Hosts(Vec<String>),
    /// Any name. Who is not logged in sees nothing, and cookies are kept for a name.
    Any,
}

impl OriginPolicy {
    /// Whether the server answers to a `Host`.
    fn allows(&self, host: &str) -> bool {
        match self {
            Self::Loopback => {
                let name = match host.rsplit_once(':') {
                    Some((name, port)) if port.bytes().all(|b| b.is_ascii_digit()) => name,
                    _ => host,
                };
                let name = name.to_ascii_lowercase();
                name == "localhost" || name == "127.0.0.1" || name == "[::1]"
            }
            Self::Hosts(hosts) => hosts.iter().any(|known| known.eq_ignore_ascii_case(host)),
            Self::Any => true,
        }
    }
}

/// The reason to refuse a request, if there is one.
fn refusal(policy: &OriginPolicy, method: &Method, headers: &HeaderMap) -> Option<WebError> {
    let mut hosts = headers.get_all(header::HOST).iter();
    let host = hosts.next().and_then(|host| host.to_str().ok());
    let (Some(host), None) = (host, hosts.next()) else {
        return Some(WebError::new(WebErrorKind::Invalid, "expected one Host header"));
    };
    if !policy.allows(host) {
        let text =
            "this server does not answer to that name; start it with --public-url to give it one";
        return Some(WebError::new(WebErrorKind::Forbidden, text));
    }
    if method.is_safe() {
        return None;
    }
    let foreign =
        || Some(WebError::new(WebErrorKind::Forbidden, "the request was made by another site"));
    // Browsers send one of both with every request that changes something; what sends neither is no browser.
    let site = headers.get("sec-fetch-site");
    if site.is_some_and(|site| site != "same-origin") {
        return foreign();
    }
    if let Some(origin) = headers.get(header::ORIGIN) {
        let origin = origin.to_str().unwrap_or_default();
        let authority = origin.split_once("://").map_or("", |(_, authority)| authority);
        // A page may keep its origin to itself (`null`); the browser has said above whose it is.
        let is_hidden = origin == "null" && site.is_some();
        if !is_hidden && !authority.eq_ignore_ascii_case(host) {
            return foreign();
        }
    }
    None
}

/// Refuses requests to another name, and changes that another site asks for.
pub async fn check_origin(
    State(policy): State<Arc<OriginPolicy>>,
    request: Request,
    next: Next,
) -> Response {
    match refusal(&policy, request.method(), request.headers()) {
        Some(error) => error.into_response(),
        None => next.run(request).await,
    }
}

#[cfg(test)]
mod tests {
    use axum::http::{HeaderName, HeaderValue};

    use super::*;

    fn check(
        policy: &OriginPolicy,
        method: &Method,
        headers: &[(&'static str, &'static str)],
        is_allowed: bool,
    ) {
        let mut map = HeaderMap::new();
        for (name, value) in headers {
            map.append(HeaderName::from_static(name), HeaderValue::from_static(value));
        }
        let found = refusal(policy, method, &map);
        assert_eq!(found.is_none(), is_allowed, "{method} {headers:?}: {found:?}");
    }

    #[test]
    fn other_names_are_not_answered() {
        let local = OriginPolicy::Loopback;
        for host in ["127.0.0.1:7070", "localhost:1", "LOCALHOST", "[::1]:7070", "[::1]"] {
            check(&local, &Method::GET, &[("host", host)], true);
        }
        for host in [
            "evil.example:7070",
            "127.0.0.1.evil.example",
            "localhost.evil:80",
            "10.0.0.1:7070",
            "",
        ] {
            check(&local, &Method::GET, &[("host", host)], false);
        }
        check(&local, &Method::GET, &[("host", "localhost"), ("host", "evil.example")], false);
        check(&local, &Method::GET, &[], false);
        let named = OriginPolicy::Hosts(vec!["wattle.example".into()]);
        check(&named, &Method::GET, &[("host", "wattle.example")], true);
        check(&named, &Method::GET, &[("host", "other.example")], false);
    }

    #[test]
    fn other_sites_change_nothing() {
        let post = |headers: &[(&'static str, &'static str)], is_allowed| {
            check(&OriginPolicy::Loopback, &Method::POST, headers, is_allowed);
        };
        let host = ("host", "localhost:7070");
        post(&[host], true);
        post(&[host, ("origin", "http://localhost:7070")], true);
        post(&[host, ("origin", "http://localhost:7071")], false);
        post(&[host, ("origin", "https://evil.example")], false);
        post(&[host, ("origin", "null")], false);
        post(&[host, ("sec-fetch-site", "same-origin")], true);
        for site in ["cross-site", "same-site", "none"] {
            post(&[("host", "localhost:7070"), ("sec-fetch-site", site)], false);
        }
        post(&[host, ("sec-fetch-site", "same-origin"), ("origin", "http://evil.example")], false);
        post(&[host, ("sec-fetch-site", "same-origin"), ("origin", "null")], true);
    }
}
