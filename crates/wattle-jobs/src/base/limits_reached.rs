//! A limit that a request ran into.

use std::fmt;

/// The quantity that is limited.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LimitKind {
    /// Bytes of one upload.
    UploadBytes,
    /// Bytes of a user's files, files that jobs made, and open uploads.
    UserBytes,
    /// Bytes of a project's files, files that jobs made, and open uploads.
    ProjectBytes,
    /// Bytes of all files, files that jobs made, and open uploads.
    ServerBytes,
    /// Bytes that must stay free on the disk.
    FreeDisk,
    /// Open uploads of a user.
    OpenUploads,
    /// Jobs of a user that have not ended.
    QueuedJobs,
    /// Runs in a project's history.
    ProjectRuns,
    /// Files of one job.
    JobFiles,
    /// Failed logins within the window.
    FailedLogins,
}

/// A limit that a request would exceed. Nothing was changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LimitReached {
    /// The quantity.
    pub kind: LimitKind,
    /// Its limit.
    pub limit: u64,
    /// The value that it would have had.
    pub wanted: u64,
}

impl LimitReached {
    /// An error if `wanted` is more than `limit`.
    pub(crate) fn check(kind: LimitKind, wanted: u64, limit: u64) -> Result<(), Self> {
        if wanted > limit { Err(Self { kind, limit, wanted }) } else { Ok(()) }
    }
}

impl fmt::Display for LimitReached {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (limit, wanted) = (self.limit, self.wanted);
        let (of, unit) = match self.kind {
            LimitKind::UploadBytes => ("one upload", "bytes"),
            LimitKind::UserBytes => ("the files of one user", "bytes"),
            LimitKind::ProjectBytes => ("the files of one project", "bytes"),
            LimitKind::ServerBytes => ("the files of this server", "bytes"),
            LimitKind::FreeDisk => {
                return write!(
                    f,
                    "the server's disk has no room for this upload of {wanted} bytes: uploads may take {limit} more, and the rest of the disk is kept free or is for uploads under way"
                );
            }
            LimitKind::OpenUploads => ("open uploads of one user", "uploads"),
            LimitKind::QueuedJobs => ("unfinished jobs of one user", "jobs"),
            LimitKind::ProjectRuns => ("the history of one project", "runs"),
            LimitKind::JobFiles => ("one job", "files"),
            LimitKind::FailedLogins => {
                return f.write_str("too many failed logins; try again in some minutes");
            }
        };
        write!(f, "the limit for {of} is {limit} {unit}, and this would make {wanted}")
    }
}

impl std::error::Error for LimitReached {}
