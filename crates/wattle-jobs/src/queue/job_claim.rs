//! A job that a worker has.

use super::{Job, JobOutput, LentDevice};
use crate::base::FileId;
use wattle_store::RunId;

/// A job that a worker has, as long as its number is the job's latest claim.
#[derive(Clone, Debug, PartialEq)]
pub struct JobClaim {
    /// The job.
    pub job: Job,
    /// The number of the claim. Each claim of a job has a greater one.
    pub number: i64,
    /// The files, in their order.
    pub inputs: Vec<JobInput>,
    /// The device, if it needs one.
    pub device: Option<LentDevice>,
    /// The key under which its runs are kept in the project's history, whichever worker keeps them.
    pub key: String,
}

/// A file of a job.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct JobInput {
    /// The file.
    pub file: FileId,
    /// Its name, to be shown.
    pub name: String,
    /// SHA-256, in hexadecimal digits; `None` if the file was deleted since.
    pub sha256: Option<String>,
}

/// The answer to a sign of life.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Beat {
    /// Go on.
    GoOn,
    /// Somebody cancelled the job: stop, and end it as cancelled.
    Cancel,
}

/// The end of a job, or of a worker's part in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum JobEnd {
    /// Done.
    Done {
        /// Its runs in the project's history.
        runs: Vec<RunId>,
        /// Its files.
        outputs: Vec<JobOutput>,
    },
    /// It cannot be done.
    Failed {
        /// The reason, to be shown.
        reason: String,
        /// Files that it made nevertheless.
        outputs: Vec<JobOutput>,
    },
    /// It was cancelled.
    Cancelled,
    /// This worker cannot do it, and another one, or another time, may: it goes back to the queue, unless it has used up its attempts.
    Returned {
        /// The reason, to be shown.
        reason: String,
        /// Whether this attempt counts; one that a worker gives back because it ends does not.
        counts: bool,
    },
}
