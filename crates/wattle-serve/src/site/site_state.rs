//! The state that all handlers share.

use std::sync::Arc;

use tokio::sync::watch;
use wattle_jobs::{ErrorKind, ServerData, ServerError};
use wattle_store::StoreError;

use super::Histories;
use crate::http::{ServedMetrics, WebError, WebErrorKind};
use crate::rendered_views::RenderedViews;

/// Settings that answers depend on.
#[derive(Clone, Debug)]
pub struct SiteSettings {
    /// Whether users log in. Without users, the one who reaches the server from its own machine may do everything.
    pub has_users: bool,
    /// The address under which the server is reached, without a slash at the end.
    pub public_url: String,
    /// Whether that address is encrypted, so that cookies are for encrypted connections alone.
    pub is_encrypted: bool,
    /// Whether a proxy says which client it forwards.
    pub is_behind_proxy: bool,
}

/// The state that all handlers share.
pub struct Site {
    /// Accounts, projects, uploads, jobs.
    pub data: ServerData,
    /// Histories of projects, kept open.
    pub histories: Histories,
    /// Views that were made.
    pub views: RenderedViews,
    /// Counters.
    pub metrics: Arc<ServedMetrics>,
    /// Settings.
    pub settings: SiteSettings,
    /// True once the server ends.
    pub ending: watch::Receiver<bool>,
}

impl From<ServerError> for WebError {
    fn from(error: ServerError) -> Self {
        // Errors of histories name places of this machine.
        if let ServerError::History(history) = &error {
            match history {
                StoreError::NoSuchRun { run, .. } => {
                    return Self::new(WebErrorKind::NotFound, format!("there is no {run} here"));
                }
                _ if error.kind() == ErrorKind::NoRoom => {
                    return Self::new(WebErrorKind::NoRoom, "the server's disk is full");
                }
                _ => {}
            }
        }
        let kind = match error.kind() {
            ErrorKind::NotFound => WebErrorKind::NotFound,
            ErrorKind::Forbidden => WebErrorKind::Forbidden,
            ErrorKind::Conflict => WebErrorKind::Conflict,
            ErrorKind::Invalid => WebErrorKind::Invalid,
            ErrorKind::TooLarge => WebErrorKind::TooLarge,
            ErrorKind::TooMany => WebErrorKind::TooMany,
            ErrorKind::NoRoom => WebErrorKind::NoRoom,
            // Its text may name paths.
            ErrorKind::Internal => return Self::internal(&error),
        };
        Self::new(kind, error.to_string())
    }
}

impl From<StoreError> for WebError {
    fn from(error: StoreError) -> Self {
        Self::from(ServerError::from(error))
    }
}
