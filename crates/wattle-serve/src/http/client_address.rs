//! The client's address: of the connection, or what a trusted proxy says.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};

use axum::extract::ConnectInfo;
use axum::http::{Extensions, HeaderMap};

use super::ProxyTrust;

/// Whether the other end of the connection is a trusted proxy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PeerTrust(pub bool);

/// The address of the client of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ClientAddress(pub IpAddr);

/// The address of a request's client. A proxy appends the address it saw to `X-Forwarded-For`, so that the last one is the only one that
/// no client can make up.
pub fn client_address(
    headers: &HeaderMap,
    extensions: &Extensions,
    trust: &ProxyTrust,
) -> (ClientAddress, PeerTrust) {
    let peer = extensions.get::<ConnectInfo<SocketAddr>>().map(|info| info.0.ip());
    let forwarded = || {
        let last = headers.get_all("x-forwarded-for").iter().next_back()?.to_str().ok()?;
        last.rsplit(',').next()?.trim().parse().ok()
    };
    let is_trusted = peer.is_some_and(|peer| trust.believes(peer));
    let stated = if is_trusted { forwarded() } else { None };
    let address = stated.or(peer).unwrap_or(IpAddr::V4(Ipv4Addr::UNSPECIFIED));
    // A socket for both has addresses of IPv4 in those of IPv6.
    (ClientAddress(address.to_canonical()), PeerTrust(is_trusted))
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
        let of = |trust| client_address(&headers, &extensions, &trust).0.0.to_string();
        let these = |network: &str| ProxyTrust::These(vec![network.parse().expect("a network")]);
        assert_eq!(of(ProxyTrust::Nobody), "10.0.0.1");
        assert_eq!(of(ProxyTrust::Everybody), "9.9.9.9");
        assert_eq!(of(these("10.0.0.1")), "9.9.9.9");
        assert_eq!(of(these("10.0.0.2")), "10.0.0.1");
        headers.insert("x-forwarded-for", "::ffff:203.0.113.9".parse().expect("a value"));
        let mapped = client_address(&headers, &extensions, &ProxyTrust::Everybody).0;
        assert_eq!(mapped.0.to_string(), "203.0.113.9");
    }
}
