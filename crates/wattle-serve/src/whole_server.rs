//! A server for a command line: from its options to its end, without a runtime of the caller's own.

use std::net::SocketAddr;
use std::path::Path;

use tokio::runtime::{Builder, Runtime};
use wattle_jobs::{Secret, SecretKind, ServerData, ServerError, restore_backup};

use crate::serve_error::ServeError;
use crate::server_options::ServerOptions;
use crate::web_server::{Server, location, open_data};

/// A server that has begun to listen, as its owner is told of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listening {
    /// The address that it listens on.
    pub address: SocketAddr,
    /// The address for browsers.
    pub url: String,
    /// Whether users log in.
    pub has_users: bool,
}

fn runtime() -> Result<Runtime, ServeError> {
    Builder::new_multi_thread().enable_all().build().map_err(ServeError::Runtime)
}

/// Whether there is a server already in the folder or the database of the options.
pub fn exists(options: &ServerOptions) -> bool {
    options.database.is_some() || options.data.join("server.db").is_file()
}

/// Runs something on the data of a server, whether a server runs on them or not.
///
/// # Errors
/// If there is no server, or its data cannot be opened.
pub fn on_data<T>(
    options: &ServerOptions,
    work: impl AsyncFnOnce(&ServerData) -> Result<T, ServerError>,
) -> Result<T, ServeError> {
    if !exists(options) {
        return Err(ServeError::NoServer(options.data.clone()));
    }
    on_old_or_new_data(options, work)
}

/// The same, and makes the data if there are none.
pub fn on_old_or_new_data<T>(
    options: &ServerOptions,
    work: impl AsyncFnOnce(&ServerData) -> Result<T, ServerError>,
) -> Result<T, ServeError> {
    runtime()?.block_on(async {
        let data = open_data(options).await?;
        let result = work(&data).await;
        data.close().await;
        Ok(result?)
    })
}

/// Runs a server until the process is asked to end (Ctrl-C, `SIGTERM`). `ready` is called once it listens.
///
/// # Errors
/// If it cannot start.
pub fn run_server(
    options: ServerOptions,
    ready: impl FnOnce(&Listening),
) -> Result<(), ServeError> {
    let runtime = runtime()?;
    runtime.block_on(async {
        let server = Server::open(options).await?;
        // Before anybody is told that it listens, who may end it the next moment.
        let end = end_signal().map_err(ServeError::Runtime)?;
        ready(&Listening {
            address: server.address(),
            url: server.url().to_owned(),
            has_users: server.has_users(),
        });
        server.run(end).await;
        Ok(())
    })
}

#[cfg(unix)]
fn end_signal() -> std::io::Result<impl Future<Output = ()>> {
    use tokio::signal::unix::{SignalKind, signal};
    let mut interrupt = signal(SignalKind::interrupt())?;
    let mut terminate = signal(SignalKind::terminate())?;
    Ok(async move {
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
        }
    })
}

#[cfg(not(unix))]
fn end_signal() -> std::io::Result<impl Future<Output = ()>> {
    Ok(async {
        // Without a handler the process ends by itself.
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
    })
}

/// A password that somebody who has just been added logs in with; it is random unless one was chosen.
#[derive(Clone, PartialEq, Eq)]
pub struct FirstPassword(String);

impl FirstPassword {
    /// One that was chosen.
    pub fn chosen(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// A random one of 96 bits.
    ///
    /// # Errors
    /// If the system has no random numbers.
    pub fn random() -> Result<Self, ServeError> {
        let secret = Secret::random(SecretKind::Csrf)?;
        let digits = secret.reveal().rsplit('_').next().unwrap_or_default();
        Ok(Self(digits.chars().take(24).collect()))
    }

    /// The text, to be shown to its owner.
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

/// Copies the data of a server, running or not, into a new or empty folder.
///
/// # Errors
/// If the folder is not empty or cannot be written, or the data are in PostgreSQL.
pub fn back_up(options: &ServerOptions, folder: &Path) -> Result<(), ServeError> {
    on_data(options, async |data| data.back_up(folder).await.map(drop))
}

/// Makes the data of a server out of a backup.
///
/// # Errors
/// If the backup is damaged, or there are data already.
pub fn restore(options: &ServerOptions, backup: &Path) -> Result<(), ServeError> {
    restore_backup(backup, &location(options))?;
    Ok(())
}
