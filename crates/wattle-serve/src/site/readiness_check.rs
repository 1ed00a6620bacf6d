//! Whether a server can do its work.

use std::time::Duration;

use tokio::sync::Mutex;
use tokio::time::Instant;
use wattle_jobs::{ErrorKind, ServerData};

/// The life of an answer: whoever asks more often gets the same one, so that asking writes little.
const LIFE: Duration = Duration::from_secs(1);
/// The longest check: a database that takes longer is not ready.
const LONGEST: Duration = Duration::from_secs(5);

/// The last answer about readiness.
#[derive(Debug, Default)]
pub struct Readiness(Mutex<Option<(Instant, Option<&'static str>)>>);

impl Readiness {
    /// The reason why a server is not ready; `None` if it is.
    pub async fn reason(&self, data: &ServerData) -> Option<&'static str> {
        let mut last = self.0.lock().await;
        if let Some((at, reason)) = *last
            && at.elapsed() < LIFE
        {
            return reason;
        }
        let reason = match tokio::time::timeout(LONGEST, data.check()).await {
            Ok(Ok(())) => None,
            Ok(Err(error)) => {
                tracing::warn!(%error, "not ready");
                match error.kind() {
                    ErrorKind::NoRoom => Some("not ready: the disk is full\n"),
                    _ => Some("not ready: the server's data cannot be read or written\n"),
                }
            }
            Err(_) => Some("not ready: the database does not answer in time\n"),
        };
        *last = Some((Instant::now(), reason));
        reason
    }
}
