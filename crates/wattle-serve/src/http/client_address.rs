//! The client's address: of the connection, or what a trusted proxy says.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};

use axum::extract::ConnectInfo;
use axum::http::{Extensions, HeaderMap};

/// The address of the client of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ClientAddress(pub IpAddr);

/// The address of a request's client. A proxy appends the address it saw to `X-Forwarded-For`, so that the last one is the only one that
/// no client can make up.
pub fn client_address(
    headers: &HeaderMap,
    extensions: &Extensions,
    is_behind_proxy: bool,
) -> ClientAddress {
    let peer = extensions.get::<ConnectInfo<SocketAddr>>().map(|info| info.0.ip());
    let forwarded = || {
        let last = headers.get_all("x-forwarded-for").iter().next_back()?.to_str().ok()?;
        last.rsplit(',').next()?.trim().parse().ok()
    };
    let told = if is_behind_proxy { forwarded() } else { None };
    ClientAddress(told.or(peer).unwrap_or(IpAddr::V4(Ipv4Addr::UNSPECIFIED)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_trusted_proxy_is_believed() {
        let mut headers = HeaderMap::new();
        headers.insert("x-forwarded-for", "1.1.1.1, 9.9.9.9".parse().expect("a value"));
        let mut extensions = Extensions::new();
        extensions.insert(ConnectInfo(SocketAddr::from(([10, 0, 0, 1], 5))));
        let of = |trusts| client_address(&headers, &extensions, trusts).0.to_string();
        assert_eq!(of(false), "10.0.0.1");
        assert_eq!(of(true), "9.9.9.9");
    }
}
