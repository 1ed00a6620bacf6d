//! Headers of every response: what a page may load, who may embed it, who may keep it.

use axum::extract::Request;
use axum::http::{HeaderName, HeaderValue, header};
use axum::middleware::Next;
use axum::response::Response;

/// Pages load scripts, styles, font and data of this server alone, and run nothing that is written into them. Pictures and workers are
/// made by scripts (`blob:`).
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self'; img-src 'self' data: blob:; connect-src 'self'; worker-src blob:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

/// The card loads nothing but its style, and any site may embed it.
const POLICY_OF_CARDS: &str = "default-src 'none'; style-src 'self'; font-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors *";

/// Marks a response that other sites may embed.
#[derive(Clone, Copy, Debug)]
pub struct Embeddable;

/// Adds the headers.
pub async fn add_headers(request: Request, next: Next) -> Response {
    let mut response = next.run(request).await;
    let is_embeddable = response.extensions_mut().remove::<Embeddable>().is_some();
    let headers = response.headers_mut();
    let mut set = |name: HeaderName, value: &'static str| {
        headers.insert(name, HeaderValue::from_static(value));
    };
    set(header::X_CONTENT_TYPE_OPTIONS, "nosniff");
    // With `no-referrer`, browsers would not say of forms which site they are of.
    set(header::REFERRER_POLICY, "same-origin");
    set(header::CONTENT_SECURITY_POLICY, if is_embeddable { POLICY_OF_CARDS } else { POLICY });
    set(
        HeaderName::from_static("cross-origin-resource-policy"),
        if is_embeddable { "cross-origin" } else { "same-origin" },
    );
    set(HeaderName::from_static("cross-origin-opener-policy"), "same-origin");
    set(
        HeaderName::from_static("permissions-policy"),
        "camera=(), microphone=(), geolocation=(), usb=(), payment=()",
    );
    if !is_embeddable {
        set(header::X_FRAME_OPTIONS, "DENY");
    }
    // What is not said to be kept is not kept: pages hold what only this user may see.
    headers.entry(header::CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
    response
}
