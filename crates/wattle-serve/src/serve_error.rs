//! Reasons not to start a server.

use std::net::SocketAddr;
use std::path::PathBuf;

use wattle_jobs::ServerError;

/// A reason not to start a server.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ServeError {
    /// Others could reach it, and nobody would have to log in.
    #[error(
        "{0} can be reached from other machines, and this server has no users yet; add one with: wattle serve user add NAME"
    )]
    NoUsers(SocketAddr),
    /// The public address is none.
    #[error("--public-url {0:?}: expected http:// or https:// and a host, without a path")]
    PublicUrl(String),
    /// A name for others means others, and nobody would have to log in.
    #[error(
        "--public-url, --behind-proxy, --trust-proxy and --login-header are for others than this machine's user, and this server has no users yet; add one with: wattle serve user add NAME"
    )]
    PublicWithoutUsers,
    /// Everybody could say who they are.
    #[error(
        "--login-header needs --trust-proxy ADDRESS: the addresses that the header is accepted from"
    )]
    HeaderWithoutProxy,
    /// The name cannot be that of a header.
    #[error("--login-header {0:?}: expected the name of a header, such as X-Remote-User")]
    LoginHeader(String),
    /// The address cannot be listened on.
    #[error("listening on {address}: {source}")]
    Listen {
        /// The address.
        address: SocketAddr,
        /// The reason.
        source: std::io::Error,
    },
    /// There is no server.
    #[error("{}: there is no server's data (server.db); name its folder with --data", .0.display())]
    NoServer(PathBuf),
    /// The machine has no threads or signals for it.
    #[error("starting the server: {0}")]
    Runtime(std::io::Error),
    /// Its data.
    #[error(transparent)]
    Data(#[from] ServerError),
}

impl ServeError {
    /// Whether the command line is to blame: exit code 2.
    pub fn is_usage(&self) -> bool {
        use wattle_jobs::ErrorKind as Kind;
        match self {
            Self::NoUsers(_)
            | Self::PublicUrl(_)
            | Self::PublicWithoutUsers
            | Self::HeaderWithoutProxy
            | Self::LoginHeader(_)
            | Self::NoServer(_) => true,
            Self::Data(error) => {
                matches!(error.kind(), Kind::Invalid | Kind::NotFound | Kind::Conflict)
            }
            Self::Listen { .. } | Self::Runtime(_) => false,
        }
    }

    /// Whether the data are to blame, not the machine that they are on: exit code 3.
    pub fn is_unreadable(&self) -> bool {
        matches!(self, Self::Data(error) if error.is_unreadable())
    }
}
