//! Options of a server.

use std::net::SocketAddr;
use std::path::PathBuf;

use wattle_jobs::{ChildLimits, ServerLimits};

use crate::device_watch::DeviceSource;
use crate::http::{ConnectionLimits, ProxyTrust};

/// Options of a server.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ServerOptions {
    /// The address to listen on. Any but a loopback address needs users.
    pub bind: SocketAddr,
    /// The folder of its data.
    pub data: PathBuf,
    /// The URL of a PostgreSQL database for everything but files; `None` for SQLite in the folder.
    pub database: Option<String>,
    /// Jobs at once in this process; 0 leaves them to workers elsewhere.
    pub workers: usize,
    /// The `wattle` program, which jobs run.
    pub program: PathBuf,
    /// The address under which browsers reach the server, if that is another one: behind a proxy.
    pub public_url: Option<String>,
    /// The peers that say who the client is (`X-Forwarded-For`): a proxy in front.
    pub trust: ProxyTrust,
    /// The header in which a trusted proxy names the user, instead of passwords. It needs [`ProxyTrust::These`].
    pub login_header: Option<String>,
    /// Limits of users, uploads and jobs.
    pub limits: ServerLimits,
    /// Limits of connections.
    pub connections: ConnectionLimits,
    /// Limits of the processes of jobs.
    pub children: ChildLimits,
    /// Bytes of kept views.
    pub view_bytes: u64,
    /// Devices of this machine, which jobs may use; `None` for none.
    pub devices: Option<DeviceSource>,
}

impl ServerOptions {
    /// A server with a folder, reached from its own machine only, whose jobs run a program.
    pub fn new(data: impl Into<PathBuf>, program: impl Into<PathBuf>) -> Self {
        Self {
            bind: SocketAddr::from(([127, 0, 0, 1], 7070)),
            data: data.into(),
            database: None,
            workers: 2,
            program: program.into(),
            public_url: None,
            trust: ProxyTrust::Nobody,
            login_header: None,
            limits: ServerLimits::default(),
            connections: ConnectionLimits::default(),
            children: ChildLimits::default(),
            view_bytes: 4 << 30,
            devices: None,
        }
    }
}
