//! Events of jobs.

use sqlx::Row as _;
use sqlx::any::AnyRow;

use crate::base::{Connected, JobId, ServerError};

/// The kind of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum JobEventKind {
    /// It was submitted.
    Queued,
    /// A worker began it.
    Started,
    /// It got on.
    Progress,
    /// There are figures of the beginning of its recording, for as long as the rest is read.
    Figures,
    /// Its worker died or gave it back; another one will do it.
    Returned,
    /// It is done.
    Done,
    /// It failed.
    Failed,
    /// It was cancelled.
    Cancelled,
}

impl JobEventKind {
    const ALL: [Self; 8] = [
        Self::Queued,
        Self::Started,
        Self::Progress,
        Self::Figures,
        Self::Returned,
        Self::Done,
        Self::Failed,
        Self::Cancelled,
    ];

    /// The word that names it, for server-sent events.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Queued => "queued",
            Self::Started => "started",
            Self::Progress => "progress",
            Self::Figures => "figures",
            Self::Returned => "returned",
            Self::Done => "done",
            Self::Failed => "failed",
            Self::Cancelled => "cancelled",
        }
    }

    /// Whether no event comes after it.
    pub const fn is_last(self) -> bool {
        matches!(self, Self::Done | Self::Failed | Self::Cancelled)
    }
}

/// An event of a job.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct JobEvent {
    /// The number in its job, from 1, without gaps, in the order in which events can be seen: whoever has seen one number has seen
    /// all before it.
    pub number: i64,
    /// The time, Unix milliseconds.
    pub at_ms: i64,
    /// The kind.
    pub kind: JobEventKind,
    /// One line to be shown.
    pub detail: String,
    /// The part that is done, 0 to 1.
    pub fraction: Option<f64>,
}

/// From the columns `number, at_ms, kind, detail, fraction`.
pub(crate) fn job_event(row: &AnyRow) -> sqlx::Result<JobEvent> {
    let name: String = row.try_get(2)?;
    let kind = JobEventKind::ALL.into_iter().find(|kind| kind.name() == name);
    Ok(JobEvent {
        number: row.try_get(0)?,
        at_ms: row.try_get(1)?,
        kind: kind.unwrap_or(JobEventKind::Progress),
        detail: row.try_get(3)?,
        fraction: row.try_get(4)?,
    })
}

/// Adds an event within the transaction of what happened. The job's row gives the number, so that other writers wait for this one.
pub(crate) async fn add(
    connection: &mut Connected,
    job: JobId,
    at_ms: i64,
    (kind, detail, fraction): (JobEventKind, &str, Option<f64>),
) -> Result<(), ServerError> {
    let number = "UPDATE job SET events = events + 1 WHERE id = $1 RETURNING events";
    let number = sqlx::query(number).bind(job.0).fetch_one(&mut *connection).await?;
    let number: i64 = number.try_get(0)?;
    let text = "INSERT INTO job_event (job, number, at_ms, kind, detail, fraction) VALUES ($1, $2, $3, $4, $5, $6)";
    let query = sqlx::query(text)
        .bind(job.0)
        .bind(number)
        .bind(at_ms)
        .bind(kind.name())
        .bind(detail.to_owned())
        .bind(fraction);
    query.execute(connection).await?;
    Ok(())
}
