//! A server for a command line: from its options to its end, without a runtime of the caller's own.

use std::net::SocketAddr;
use std::path::Path;

use tokio::runtime::{Builder, Runtime};
use wattle_jobs::{
    NewAuditEntry, NewUser, Password, Role, Secret, SecretKind, UserAccount, restore_backup,
};

use crate::serve_error::ServeError;
use crate::server_options::ServerOptions;
use crate::web_server::{FIRST_PROJECT, Server, location, open_data};

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

/// Adds a user. The first one manages the server, and is an admin of the first project; others are members of it.
///
/// # Errors
/// If the name is taken or cannot be one, the password is too short, or the data cannot be opened.
pub fn add_user(
    options: &ServerOptions,
    name: &str,
    password: &FirstPassword,
    manages: bool,
) -> Result<UserAccount, ServeError> {
    runtime()?.block_on(async {
        let data = open_data(options).await?;
        let is_first = data.accounts().count().await? == 0;
        let new = NewUser {
            name: name.to_owned(),
            title: String::new(),
            password: Some(Password::new(password.reveal())?),
            is_admin: manages || is_first,
        };
        let user = data.accounts().create(&new).await?;
        let project = data.projects().named(FIRST_PROJECT).await?;
        let role = if user.is_admin { Role::Admin } else { Role::Member };
        data.projects().set_role(project.id, user.id, Some(role)).await?;
        let entry = NewAuditEntry {
            actor: "command line",
            action: "user.create",
            project: None,
            subject: &user.name,
            origin: "",
        };
        data.audit().add(&entry).await?;
        data.close().await;
        Ok(user)
    })
}

/// All users, by name.
///
/// # Errors
/// If the data cannot be opened.
pub fn users(options: &ServerOptions) -> Result<Vec<UserAccount>, ServeError> {
    runtime()?.block_on(async {
        let data = open_data(options).await?;
        let users = data.accounts().all().await?;
        data.close().await;
        Ok(users)
    })
}

/// Gives a user another password, and ends their sessions.
///
/// # Errors
/// If there is no such user, or the data cannot be opened.
pub fn set_password(
    options: &ServerOptions,
    name: &str,
    password: &FirstPassword,
) -> Result<(), ServeError> {
    runtime()?.block_on(async {
        let data = open_data(options).await?;
        let user = data.accounts().named(name).await?;
        data.accounts().set_password(user.id, &Password::new(password.reveal())?).await?;
        data.close().await;
        Ok(())
    })
}

/// Locks a user out, or lets them in again.
///
/// # Errors
/// If there is no such user, if it is the last one who manages the server, or the data cannot be opened.
pub fn set_disabled(
    options: &ServerOptions,
    name: &str,
    is_disabled: bool,
) -> Result<(), ServeError> {
    runtime()?.block_on(async {
        let data = open_data(options).await?;
        let user = data.accounts().named(name).await?;
        data.accounts().set_disabled(user.id, is_disabled).await?;
        data.close().await;
        Ok(())
    })
}

/// Copies the data of a server, running or not, into a new or empty folder.
///
/// # Errors
/// If the folder is not empty or cannot be written, or the data are in PostgreSQL.
pub fn back_up(options: &ServerOptions, folder: &Path) -> Result<(), ServeError> {
    if options.database.is_none() && !options.data.join("server.db").is_file() {
        return Err(ServeError::NoServer(options.data.clone()));
    }
    runtime()?.block_on(async {
        let data = open_data(options).await?;
        data.back_up(folder).await?;
        data.close().await;
        Ok(())
    })
}

/// Makes the data of a server out of a backup.
///
/// # Errors
/// If the backup is damaged, or there are data already.
pub fn restore(options: &ServerOptions, backup: &Path) -> Result<(), ServeError> {
    restore_backup(backup, &location(options))?;
    Ok(())
}
