//! The limits of a server.

use std::time::Duration;

/// The limits of a server. Quotas of users and projects override some of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServerLimits {
    /// Bytes of one upload.
    pub upload_bytes: u64,
    /// Bytes of a user's files, files that jobs made, and open uploads.
    pub user_bytes: u64,
    /// Bytes of a project's files, files that jobs made, and open uploads.
    pub project_bytes: u64,
    /// Bytes of all files, files that jobs made, and open uploads.
    pub server_bytes: u64,
    /// Bytes of the disk that uploads leave free.
    pub reserve_bytes: u64,
    /// Bytes of a file that is deleted when the disk is full, so that deleting and logging in still work then.
    pub spare_bytes: u64,
    /// Open uploads of a user.
    pub open_uploads: u64,
    /// Jobs of a user that have not ended.
    pub queued_jobs: u64,
    /// Runs in a project's history.
    pub project_runs: u64,
    /// Files of one job.
    pub job_files: u64,
    /// The age from which an upload that nothing is added to is deleted.
    pub upload_expiry: Duration,
    /// The life of a session.
    pub session_life: Duration,
    /// Failed logins of one name within [`login_window`](Self::login_window), from which on all are refused; of one address it
    /// is ten times as many.
    pub failed_logins: u64,
    /// The time for which failed logins count.
    pub login_window: Duration,
    /// Days of a share link's life; `None` for any.
    pub link_days: Option<u32>,
    /// The times that a job is begun at most.
    pub attempts: u32,
    /// The time without a sign of life after which a worker's job is given to another.
    pub lease: Duration,
    /// Events of one job that are stored.
    pub job_events: u64,
}

impl Default for ServerLimits {
    fn default() -> Self {
        const GIB: u64 = 1 << 30;
        Self {
            upload_bytes: 4 * GIB,
            user_bytes: 100 * GIB,
            project_bytes: 500 * GIB,
            server_bytes: 1000 * GIB,
            reserve_bytes: 2 * GIB,
            spare_bytes: 16 << 20,
            open_uploads: 500,
            queued_jobs: 1000,
            project_runs: 1_000_000,
            job_files: 200,
            upload_expiry: Duration::from_hours(24),
            session_life: Duration::from_hours(14 * 24),
            failed_logins: 10,
            login_window: Duration::from_mins(15),
            link_days: None,
            attempts: 3,
            lease: Duration::from_mins(1),
            job_events: 10_000,
        }
    }
}
