//! The state that all handlers share.

use std::sync::Arc;

use axum::http::HeaderName;
use tokio::sync::watch;
use wattle_jobs::{ErrorKind, ServerData, ServerError};
use wattle_store::StoreError;

use super::{Histories, Readiness};
use crate::http::{ProxyTrust, ServedMetrics, WebError, WebErrorKind};
use crate::kept_tracks::KeptTracks;
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
    /// The peers that say which client they forward.
    pub trust: Arc<ProxyTrust>,
    /// The header in which they name the user, if users log in there.
    pub login_header: Option<HeaderName>,
}

/// The state that all handlers share.
pub struct Site {
    /// Accounts, projects, uploads, jobs.
    pub data: ServerData,
    /// Histories of projects, kept open.
    pub histories: Histories,
    /// Views that were made.
    pub views: RenderedViews,
    /// Tracks of runs that were asked for lately.
    pub tracks: KeptTracks,
    /// Counters.
    pub metrics: Arc<ServedMetrics>,
    /// Settings.
    pub settings: SiteSettings,
    /// True once the server ends.
    pub ending: watch::Receiver<bool>,
    /// The last answer about readiness.
    pub readiness: Readiness,
}

impl From<ServerError> for WebError {
    fn from(error: ServerError) -> Self {
        // Errors of histories name places of this machine.
        if let ServerError::History(StoreError::NoSuchRun { run, .. }) = &error {
            return Self::new(WebErrorKind::NotFound, format!("there is no {run} here"));
        }
        // Their texts name places of this machine, too.
        if error.kind() == ErrorKind::NoRoom && !matches!(error, ServerError::Limit(_)) {
            tracing::error!(%error, "no room");
            let text = "the server's disk is full: nothing was stored; delete files or runs, or tell whoever manages the server";
            return Self::new(WebErrorKind::NoRoom, text);
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
