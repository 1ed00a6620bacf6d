//! The data of a server.

use wattle_store::{AsyncStore, StoreLocation};

use crate::accounts::{Accounts, AuditLog, Projects, Quotas, RetentionBook, ShareLinks};
use crate::base::{ProjectId, ServerCore, ServerError, ServerLimits, ServerLocation, WallClock};
use crate::notes::{RunComments, RunNames};
use crate::queue::{JobClaims, JobQueue};
use crate::uploads::{StoredFiles, Uploads};

/// The data of a server. Copies are the same.
#[derive(Clone, Debug)]
pub struct ServerData {
    core: ServerCore,
    uploads: Uploads,
}

impl ServerData {
    /// Opens a server's data, and creates them if there are none. Several programs may have the same open.
    pub async fn open(
        location: &ServerLocation,
        limits: ServerLimits,
    ) -> Result<Self, ServerError> {
        Self::open_with_clock(location, limits, WallClock::System).await
    }

    /// The same with another clock.
    pub async fn open_with_clock(
        location: &ServerLocation,
        limits: ServerLimits,
        clock: WallClock,
    ) -> Result<Self, ServerError> {
        let core = ServerCore::open(location, limits, clock).await?;
        Ok(Self { uploads: Uploads::new(core.clone()), core })
    }

    /// Ends all connections, and brings the database's journal into its file.
    pub async fn close(self) {
        self.core.close().await;
    }

    /// Their place.
    pub fn location(&self) -> &ServerLocation {
        self.core.location()
    }

    /// The server's limits.
    pub fn limits(&self) -> &ServerLimits {
        self.core.limits()
    }

    /// The time, Unix milliseconds.
    pub fn now_ms(&self) -> i64 {
        self.core.now_ms()
    }

    /// Whether the database answers, and database and folder can be written to, for readiness checks: it writes something small.
    pub async fn check(&self) -> Result<(), ServerError> {
        self.core.server_name().await?;
        self.core.check_writes().await
    }

    /// Makes room for deleting something where the disk is full: gives away the bytes that were kept for it.
    pub fn give_reserve(&self) {
        self.core.reserve().give();
    }

    /// Keeps bytes for deleting on a full disk, once there is room for them again.
    pub(crate) fn fill_reserve(&self) {
        self.core.reserve().fill();
    }

    /// Copies the database, as it is at one moment, to a file that does not exist.
    pub(crate) async fn vacuum_into(&self, file: &std::path::Path) -> Result<(), ServerError> {
        let copy = sqlx::query("VACUUM INTO $1").bind(file.to_string_lossy().into_owned());
        copy.execute(self.core.reader()).await?;
        Ok(())
    }

    /// Users, sessions and tokens.
    pub fn accounts(&self) -> Accounts {
        Accounts::new(self.core.clone())
    }

    /// Projects, members, roles.
    pub fn projects(&self) -> Projects {
        Projects::new(self.core.clone())
    }

    /// Share links.
    pub fn links(&self) -> ShareLinks {
        ShareLinks::new(self.core.clone())
    }

    /// Quotas, and what is used of them.
    pub fn quotas(&self) -> Quotas {
        Quotas::new(self.core.clone())
    }

    /// The time for which projects keep runs and files.
    pub fn retention(&self) -> RetentionBook {
        RetentionBook::new(self.core.clone())
    }

    /// The audit log.
    pub fn audit(&self) -> AuditLog {
        AuditLog::new(self.core.clone())
    }

    /// Open uploads.
    pub fn uploads(&self) -> Uploads {
        self.uploads.clone()
    }

    /// Files of projects.
    pub fn files(&self) -> StoredFiles {
        StoredFiles::new(self.core.clone())
    }

    /// Jobs, for those who submit them.
    pub fn jobs(&self) -> JobQueue {
        JobQueue::new(self.core.clone())
    }

    /// Jobs, for workers.
    pub fn claims(&self) -> JobClaims {
        JobClaims::new(self.core.clone())
    }

    /// Names of runs.
    pub fn run_names(&self) -> RunNames {
        RunNames::new(self.core.clone())
    }

    /// Comments on runs.
    pub fn comments(&self) -> RunComments {
        RunComments::new(self.core.clone())
    }

    /// The place of a project's history of runs.
    pub fn history_location(&self, project: ProjectId) -> StoreLocation {
        self.core.location().history(project)
    }

    /// Opens a project's history of runs.
    pub async fn history(&self, project: ProjectId) -> Result<AsyncStore, ServerError> {
        self.projects().project(project).await?;
        let location = self.history_location(project);
        if let Ok(store) = AsyncStore::open(&location).await {
            return Ok(store);
        }
        // Even who only reads needs some bytes for SQLite's index of its journal.
        self.give_reserve();
        Ok(AsyncStore::open(&location).await?)
    }
}
