//! Tests of the public interface.

#![allow(clippy::expect_used, reason = "a test that cannot go on has failed")]

use wattle_mcp::{ListenError, ServerSetup, serve_http};

/// Nobody but users of this machine is served.
#[test]
fn other_machines_are_not_served() {
    for address in ["0.0.0.0:0", "192.0.2.1:80", "[::]:0"] {
        let address = address.parse().expect("an address");
        let served = serve_http(ServerSetup::default(), address, |_| {}, || true);
        assert!(matches!(served, Err(ListenError::NotLoopback(_))), "{address}");
    }
}

#[test]
fn a_server_ends_when_it_is_told() {
    let address = "127.0.0.1:0".parse().expect("an address");
    let mut ready = None;
    serve_http(ServerSetup::default(), address, |address| ready = Some(address), || true)
        .expect("served");
    assert!(ready.is_some_and(|address| address.port() != 0));
}
