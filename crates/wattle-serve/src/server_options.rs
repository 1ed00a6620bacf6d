//! Options of a server.

use std::net::SocketAddr;
use std::path::PathBuf;

use wattle_jobs::{ChildLimits, LentDevice, ServerLimits};

use crate::http::ConnectionLimits;

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
    /// Whether a proxy in front says who the client is (`X-Forwarded-For`).
    pub is_behind_proxy: bool,
    /// Limits of users, uploads and jobs.
    pub limits: ServerLimits,
    /// Limits of connections.
    pub connections: ConnectionLimits,
    /// Limits of the processes of jobs.
    pub children: ChildLimits,
    /// Bytes of kept views.
    pub view_bytes: u64,
    /// Devices of this machine, which jobs may use.
    pub devices: Vec<LentDevice>,
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
            is_behind_proxy: false,
            limits: ServerLimits::default(),
            connections: ConnectionLimits::default(),
            children: ChildLimits::default(),
            view_bytes: 4 << 30,
            devices: Vec::new(),
        }
    }
}
