//! The data of a server, and the workers that do its work: everything of a server that is neither HTTP nor analysis.
//!
//! [`ServerData`] is the way in. It is cheap to copy, and every part of it can be used from many tasks at once:
//!
//! - [`Accounts`], [`Projects`], [`ShareLinks`], [`Quotas`], [`AuditLog`]: who may do what, and who did what. A [`Caller`] is who makes a
//!   request; [`Projects::demand`] is the question that every request on a project asks first.
//! - [`Uploads`] and [`StoredFiles`]: files that arrive in pieces, and what they become.
//! - [`JobQueue`]: jobs, their progress and their events, for those who submit them; [`JobClaims`] is the side of the workers.
//! - [`RunNames`] and [`RunComments`]: words of users about runs.
//! - [`Worker`]: takes jobs and runs each as a confined process of the `wattle` program; [`Housekeeping`] is what is left to do.
//! - [`ServerData::back_up`] and [`restore_backup`].
//!
//! Everything of a project is asked for by its number, so that what belongs to another one is never found, and each project has its own
//! history of runs (`wattle-store`).

mod accounts;
mod base;
mod notes;
mod project_tidying;
mod queue;
mod server_backup;
mod server_data;
mod uploads;
mod worker;

pub use accounts::{
    Accounts, ApiToken, AuditEntry, AuditLog, AuditScope, Caller, CallerProof, LoginSession,
    Member, NewAuditEntry, NewLink, NewSession, NewToken, NewUser, Password, Project, Projects,
    Quota, QuotaHolder, Quotas, RetentionBook, RetentionRules, Role, ShareLink, ShareLinks,
    ShareSubject, TokenScope, Usage, UserAccount, network_of,
};
pub use base::{
    CommentId, ErrorKind, FileId, JobId, LimitKind, LimitReached, LinkId, ProjectId,
    SERVER_SCHEMA_VERSION, Secret, SecretHash, SecretKind, ServerError, ServerLimits,
    ServerLocation, StillnessWatch, TokenId, UploadId, UserId, WallClock, private_folder,
};
pub use notes::{NewComment, RunComment, RunComments, RunNames};
pub use project_tidying::Tidied;
pub use queue::{
    AnalysisOptions, Beat, ClaimWatch, DeviceNeed, FirstConsumer, FirstFigures, Job, JobClaim,
    JobClaims, JobEnd, JobEvent, JobEventKind, JobFilter, JobInput, JobKind, JobOutput, JobQueue,
    JobState, LentDevice, NewJob, RangeOptions, RunOptions, RunScenario,
};
pub use server_backup::{BackupList, restore_backup};
pub use server_data::ServerData;
pub use uploads::{NewUpload, StoredFile, StoredFiles, Upload, UploadWriter, Uploads};
pub use worker::{
    ChildLimits, DeviceShelf, Housekeeping, StopSignal, Worker, WorkerSettings, confined_child,
    kernel_confines,
};
