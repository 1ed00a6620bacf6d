//! Rates of requests by client: buckets of tokens that fill again.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use axum::extract::{Request, State};
use axum::http::HeaderValue;
use axum::http::header::RETRY_AFTER;
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};
use wattle_jobs::network_of;

use super::{ClientAddress, ServedMetrics, WebError, WebErrorKind};

/// A kind of request with a rate of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RateClass {
    /// Attempts to log in: 10 at once, then one every 6 s.
    Login,
    /// Everything else: 2000 at once, then 400 a second.
    Requests,
}

impl RateClass {
    /// Size of the bucket, and tokens a second.
    const fn bucket(self) -> (f64, f64) {
        match self {
            Self::Login => (10.0, 1.0 / 6.0),
            Self::Requests => (2000.0, 400.0),
        }
    }
}

/// Clients that are remembered at most; the fullest buckets are forgotten first, which loses nothing.
const CLIENTS: usize = 20_000;

/// The rates of all clients.
#[derive(Debug, Default)]
pub struct RequestRates {
    buckets: Mutex<HashMap<(RateClass, IpAddr), (f64, Instant)>>,
}

impl RequestRates {
    /// Takes a token; else returns the seconds until there is one.
    pub fn take(&self, class: RateClass, client: IpAddr, now: Instant) -> Result<(), f64> {
        let (size, rate) = class.bucket();
        let mut buckets = self.buckets.lock().unwrap_or_else(PoisonError::into_inner);
        if buckets.len() >= CLIENTS {
            buckets.retain(|(class, _), (left, at)| {
                let (size, rate) = class.bucket();
                *left + now.saturating_duration_since(*at).as_secs_f64() * rate < size
            });
            if buckets.len() >= CLIENTS {
                // So many clients at once are an attack, which no table of clients stops.
                buckets.clear();
            }
        }
        let (left, at) = buckets.entry((class, network_of(client))).or_insert((size, now));
        let filled = *left + now.saturating_duration_since(*at).as_secs_f64() * rate;
        (*left, *at) = (filled.min(size), now);
        if *left < 1.0 {
            return Err((1.0 - *left) / rate);
        }
        *left -= 1.0;
        Ok(())
    }
}

/// Refuses requests that come too fast.
pub async fn limit_rates(
    State((rates, metrics)): State<(Arc<RequestRates>, Arc<ServedMetrics>)>,
    request: Request,
    next: Next,
) -> Response {
    let is_login = request.uri().path() == "/login" && request.method() != axum::http::Method::GET;
    let class = if is_login { RateClass::Login } else { RateClass::Requests };
    let client = request.extensions().get::<ClientAddress>().copied();
    let taken = client.map_or(Ok(()), |client| rates.take(class, client.0, Instant::now()));
    let Err(seconds) = taken else { return next.run(request).await };
    metrics.limited();
    let seconds = seconds.ceil().max(1.0) as u64;
    let text = format!("too many requests; try again in {seconds} s");
    let mut response = WebError::new(WebErrorKind::TooMany, text).into_response();
    response.headers_mut().insert(RETRY_AFTER, HeaderValue::from(seconds));
    response
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn a_bucket_runs_dry_and_fills_again() {
        let rates = RequestRates::default();
        let (now, client) = (Instant::now(), IpAddr::from([10, 0, 0, 1]));
        let take = |client, at| rates.take(RateClass::Login, client, at);
        assert!((0..10).all(|_| take(client, now).is_ok()));
        assert!(take(client, now).is_err_and(|wait| (5.9..6.1).contains(&wait)));
        assert!(take(IpAddr::from([10, 0, 0, 2]), now).is_ok());
        assert!(take(client, now + Duration::from_millis(6100)).is_ok());
    }

    #[test]
    fn clients_are_not_remembered_without_bound() {
        let rates = RequestRates::default();
        let now = Instant::now();
        for at in 0..3 * CLIENTS as u32 {
            let _ = rates.take(RateClass::Login, IpAddr::from(at.to_be_bytes()), now);
        }
        assert!(rates.buckets.lock().expect("a lock").len() <= CLIENTS);
    }
}
