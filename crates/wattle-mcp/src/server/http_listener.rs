//! The server over HTTP, for clients on this machine.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};
use tokio::net::TcpListener;
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

use super::energy_server::EnergyServer;
use crate::mcp_setup::ServerSetup;

/// The most connections at a time.
const MOST_CONNECTIONS: usize = 64;
/// The largest request.
const LARGEST_REQUEST: usize = 1 << 20;
/// The time in which a request must have sent its head.
const LONGEST_HEAD: Duration = Duration::from_secs(30);

/// An address that cannot be listened on.
#[derive(Debug, thiserror::Error)]
pub enum ListenError {
    /// It can be reached from other machines.
    #[error(
        "{0}: expected an address of this machine alone (127.0.0.1 or [::1]): whoever reaches the server reads this user's files"
    )]
    NotLoopback(SocketAddr),
    /// The system refused it.
    #[error("{0}: {1}")]
    Refused(SocketAddr, std::io::Error),
}

/// Serves clients of this machine at `http://ADDRESS/`, until `is_over` says so. `is_ready` is given the address once clients can connect.
///
/// Requests must name a host of this machine, and come from no page of another origin.
///
/// # Errors
/// [`ListenError`] if the address cannot be listened on.
pub fn serve_http(
    setup: ServerSetup,
    address: SocketAddr,
    is_ready: impl FnOnce(SocketAddr),
    is_over: impl Fn() -> bool + Send + 'static,
) -> Result<(), ListenError> {
    if !address.ip().is_loopback() {
        return Err(ListenError::NotLoopback(address));
    }
    let refused = |error| ListenError::Refused(address, error);
    let runtime =
        tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(refused)?;
    let server = EnergyServer::new(Arc::new(setup));
    let jobs = server.jobs();
    let listened = runtime.block_on(async move {
        let listener = TcpListener::bind(address).await.map_err(refused)?;
        let address = listener.local_addr().map_err(refused)?;
        is_ready(address);
        listen(listener, server, address, is_over).await;
        Ok(())
    });
    jobs.cancel_all();
    runtime.shutdown_timeout(Duration::from_secs(5));
    listened
}

async fn listen(
    listener: TcpListener,
    server: EnergyServer,
    address: SocketAddr,
    is_over: impl Fn() -> bool,
) {
    let token = CancellationToken::new();
    let port = address.port();
    let hosts = ["localhost", "127.0.0.1", "[::1]"].map(|host| format!("{host}:{port}"));
    let origins = hosts.clone().map(|host| format!("http://{host}"));
    let config = StreamableHttpServerConfig::default()
        .with_allowed_hosts(hosts)
        .with_allowed_origins(origins)
        .with_max_request_body_bytes(LARGEST_REQUEST)
        .with_cancellation_token(token.clone());
    let sessions = Arc::new(LocalSessionManager::default());
    let service = StreamableHttpService::new(move || Ok(server.clone()), sessions, config);
    let slots = Arc::new(Semaphore::new(MOST_CONNECTIONS));
    let mut look = tokio::time::interval(Duration::from_millis(100));
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            _ = look.tick() => if is_over() { break } else { continue },
        };
        let Ok((stream, _)) = accepted else {
            // Out of files, most likely: others may close.
            tokio::time::sleep(Duration::from_millis(50)).await;
            continue;
        };
        let Ok(slot) = Arc::clone(&slots).try_acquire_owned() else { continue };
        let service = TowerToHyperService::new(service.clone());
        tokio::spawn(async move {
            let mut builder = hyper::server::conn::http1::Builder::new();
            builder.timer(TokioTimer::new()).header_read_timeout(LONGEST_HEAD);
            // A connection that breaks concerns only its client.
            let _ = builder.serve_connection(TokioIo::new(stream), service).await;
            drop(slot);
        });
    }
    token.cancel();
}
