//! Accepting connections: as many as are allowed, none that stalls, and an orderly end.

use std::io::Write as _;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::ConnectInfo;
use hyper::body::Incoming;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Semaphore, watch};
use tower::ServiceExt as _;

use super::stalled_stream::StalledStream;
use super::{ClientPlaces, ProxyTrust, ServedMetrics};

/// Limits of connections.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct ConnectionLimits {
    /// Open connections in all; others wait in the kernel's queue. Default is 1024.
    pub open: usize,
    /// Open connections of one client, which is an IPv4 address or a /64 of IPv6; further ones are refused. Those of trusted proxies are not
    /// counted. Default is 200.
    pub of_client: usize,
    /// Time for a request's head, and for the next request of an open connection. Default is 15 s.
    pub head: Duration,
    /// Time within which a client must take something of a response that waits for it. Default is 30 s.
    pub stall: Duration,
    /// Bytes of a request's head. Default is 16 KiB.
    pub head_bytes: usize,
    /// Time for open requests when the server ends. Default is 10 s.
    pub farewell: Duration,
}

impl Default for ConnectionLimits {
    fn default() -> Self {
        Self {
            open: 1024,
            of_client: 200,
            head: Duration::from_secs(15),
            stall: Duration::from_secs(30),
            head_bytes: 16 << 10,
            farewell: Duration::from_secs(10),
        }
    }
}

/// Serves connections until `ending` becomes true, then lets open requests finish.
///
/// # Errors
/// None after it has begun: failures to accept are waited out.
pub async fn serve_connections(
    listener: TcpListener,
    router: Router,
    (limits, trust): (ConnectionLimits, Arc<ProxyTrust>),
    (metrics, mut ending): (Arc<ServedMetrics>, watch::Receiver<bool>),
) {
    let places = Arc::new(Semaphore::new(limits.open));
    let of_clients = ClientPlaces::new(limits.of_client);
    let graceful = GracefulShutdown::new();
    let mut http = hyper::server::conn::http1::Builder::new();
    http.timer(TokioTimer::new())
        .header_read_timeout(limits.head)
        .max_headers(64)
        .max_header_size(limits.head_bytes)
        .max_buf_size(limits.head_bytes.max(64 << 10))
        .half_close(false);
    loop {
        let accepted = async {
            let place = Arc::clone(&places).acquire_owned().await;
            (place, listener.accept().await)
        };
        let (place, accepted) = tokio::select! {
            accepted = accepted => accepted,
            _ = ending.wait_for(|is| *is) => break,
        };
        let (stream, peer) = match accepted {
            Ok(accepted) => accepted,
            Err(error) => {
                // No descriptors are left, or a client was gone again: the next one may be accepted.
                tracing::warn!(%error, "accept");
                tokio::time::sleep(Duration::from_millis(50)).await;
                continue;
            }
        };
        let mut own = None;
        if !trust.believes(peer.ip()) {
            own = of_clients.take(peer.ip());
            if own.is_none() {
                metrics.limited();
                refuse(stream);
                continue;
            }
        }
        // Small answers do not wait for others to go along.
        let _ = stream.set_nodelay(true);
        let io = TokioIo::new(StalledStream::new(stream, limits.stall));
        let service = hyper::service::service_fn({
            let router = router.clone();
            move |request| answer(router.clone(), peer, request)
        });
        let connection = graceful.watch(http.serve_connection(io, service));
        let metrics = Arc::clone(&metrics);
        tokio::spawn(async move {
            metrics.connection_opened();
            // How a connection ends is the client's business.
            let _ = connection.await;
            metrics.connection_closed();
            drop((place, own));
        });
    }
    drop(listener);
    tokio::select! {
        () = graceful.shutdown() => {}
        () = tokio::time::sleep(limits.farewell) => {
            tracing::warn!("connections were cut that had not finished in time");
        }
    }
}

/// Tells a client that has all of its connections so, if it listens, and waits for nothing.
fn refuse(stream: TcpStream) {
    const REFUSAL: &[u8] = b"HTTP/1.1 429 Too Many Requests\r\nContent-Type: text/plain; charset=utf-8\r\n\
        Content-Length: 45\r\nRetry-After: 1\r\nConnection: close\r\n\r\ntoo many open connections from this address\r\n";
    if let Ok(mut stream) = stream.into_std() {
        // The socket does not block.
        let _ = stream.write(REFUSAL);
    }
}

async fn answer(
    router: Router,
    peer: SocketAddr,
    request: hyper::Request<Incoming>,
) -> Result<axum::response::Response, std::convert::Infallible> {
    let mut request = request.map(axum::body::Body::new);
    request.extensions_mut().insert(ConnectInfo(peer));
    router.oneshot(request).await
}
