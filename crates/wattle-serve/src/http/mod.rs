//! HTTP below the pages: connections with limits, guards of requests, headers of responses, rates, metrics, logs.

mod body_limit;
mod client_address;
mod client_places;
mod connection_loop;
mod plain_reason;
mod proxy_trust;
mod request_journal;
mod request_origin;
mod request_rates;
mod response_headers;
mod served_metrics;
mod stalled_stream;
mod web_error;

pub use self::body_limit::read_small;
pub use self::client_address::{ClientAddress, PeerTrust, client_address};
pub use self::client_places::ClientPlaces;
pub use self::connection_loop::{ConnectionLimits, serve_connections};
pub use self::plain_reason::plain_reason;
pub use self::proxy_trust::{ProxyTrust, TrustedNetwork};
pub use self::request_journal::{RequestId, journal};
pub use self::request_origin::{OriginPolicy, check_origin};
pub use self::request_rates::{RequestRates, limit_rates};
pub use self::response_headers::{Embeddable, add_headers};
pub use self::served_metrics::ServedMetrics;
pub use self::web_error::{WebError, WebErrorKind, show_errors};
