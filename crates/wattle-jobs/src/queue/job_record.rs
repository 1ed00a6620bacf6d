//! A job.

use sqlx::Row as _;
use sqlx::any::AnyRow;

use super::{DeviceNeed, FirstFigures, JobKind};
use crate::base::{FileId, JobId, ProjectId, UserId};

/// The state of a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum JobState {
    /// No worker has it.
    Queued,
    /// A worker has it.
    Running,
    /// It is done.
    Done,
    /// It failed; the job says why.
    Failed,
    /// Somebody cancelled it.
    Cancelled,
}

impl JobState {
    pub(crate) const fn number(self) -> i64 {
        match self {
            Self::Queued => 0,
            Self::Running => 1,
            Self::Done => 2,
            Self::Failed => 3,
            Self::Cancelled => 4,
        }
    }

    pub(crate) const fn from_number(number: i64) -> Self {
        match number {
            0 => Self::Queued,
            1 => Self::Running,
            2 => Self::Done,
            4 => Self::Cancelled,
            _ => Self::Failed,
        }
    }

    /// Whether it stays so.
    pub const fn is_final(self) -> bool {
        !matches!(self, Self::Queued | Self::Running)
    }
}

/// A job to be submitted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewJob {
    /// The project.
    pub project: ProjectId,
    /// The user; `None` on a server without users.
    pub owner: Option<UserId>,
    /// A name to be shown; empty for that of its first file.
    pub title: String,
    /// The work.
    pub kind: JobKind,
    /// The files, in their order.
    pub files: Vec<FileId>,
    /// The device that it needs; `None` for any, where the work needs one.
    pub device: Option<DeviceNeed>,
}

/// A job.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct Job {
    /// The number.
    pub id: JobId,
    /// The project.
    pub project: ProjectId,
    /// The user; `None` on a server without users.
    pub owner: Option<UserId>,
    /// The name, to be shown.
    pub title: String,
    /// The work.
    pub kind: JobKind,
    /// The state.
    pub state: JobState,
    /// The times that a worker began it.
    pub attempts: u32,
    /// The device that it needs.
    pub device: Option<DeviceNeed>,
    /// The worker that has it, or had it last.
    pub worker: Option<String>,
    /// Whether somebody wants it to be cancelled, and its worker has yet to stop.
    pub is_cancelling: bool,
    /// One line about what is being done.
    pub progress: Option<String>,
    /// The part that is done, 0 to 1.
    pub fraction: Option<f64>,
    /// Figures of the beginning of its recording, while the rest is read.
    pub first_figures: Option<FirstFigures>,
    /// The number of its last event.
    pub events: i64,
    /// The reason of a failure.
    pub reason: Option<String>,
    /// The time at which it was submitted, Unix milliseconds.
    pub created_ms: i64,
    /// The time at which its last worker began, Unix milliseconds.
    pub started_ms: Option<i64>,
    /// The time at which it ended, Unix milliseconds.
    pub ended_ms: Option<i64>,
}

/// The jobs to be listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct JobFilter {
    /// In this state only.
    pub state: Option<JobState>,
    /// Those before this one only.
    pub before: Option<JobId>,
    /// At most so many.
    pub most: u32,
}

impl Default for JobFilter {
    fn default() -> Self {
        Self { state: None, before: None, most: 100 }
    }
}

/// Columns of [`job`].
pub(crate) const JOB_COLUMNS: &str = "j.id, j.project, j.owner, j.title, j.kind, j.state, j.attempts, j.device_filter, j.worker, \
    j.wants_cancel, j.progress, j.fraction, j.events, j.reason, j.created_ms, j.started_ms, j.ended_ms, j.first_figures";

/// From the columns [`JOB_COLUMNS`].
pub(crate) fn job(row: &AnyRow) -> sqlx::Result<Job> {
    let kind: String = row.try_get(4)?;
    let kind = serde_json::from_str(&kind).map_err(|error| sqlx::Error::Decode(error.into()))?;
    let state = JobState::from_number(row.try_get(5)?);
    let filter: Option<String> = row.try_get(7)?;
    let first: Option<String> = row.try_get(17)?;
    Ok(Job {
        id: JobId(row.try_get(0)?),
        project: ProjectId(row.try_get(1)?),
        owner: row.try_get::<Option<i64>, _>(2)?.map(UserId),
        title: row.try_get(3)?,
        kind,
        state,
        attempts: row.try_get::<i64, _>(6)?.max(0) as u32,
        device: filter.as_deref().and_then(DeviceNeed::from_filter),
        worker: row.try_get(8)?,
        is_cancelling: row.try_get::<i64, _>(9)? != 0 && !state.is_final(),
        progress: row.try_get(10)?,
        fraction: row.try_get(11)?,
        first_figures: first.as_deref().and_then(FirstFigures::from_words),
        events: row.try_get(12)?,
        reason: row.try_get(13)?,
        created_ms: row.try_get(14)?,
        started_ms: row.try_get(15)?,
        ended_ms: row.try_get(16)?,
    })
}
