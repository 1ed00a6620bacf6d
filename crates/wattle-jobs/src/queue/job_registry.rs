//! The jobs of a server, for those who submit them.

use std::time::{Duration, Instant};

use sqlx::{AssertSqlSafe, Row as _};
use wattle_store::RunId;

use super::job_event::{self, job_event};
use super::job_record::{JOB_COLUMNS, job};
use super::{Job, JobEvent, JobEventKind, JobFilter, JobInput, JobOutput, JobState, NewJob};
use crate::accounts::check_queued_jobs;
use crate::base::{
    Connected, FileId, JobId, LimitKind, LimitReached, ProjectId, ServerCore, ServerError,
};

/// The pause between two looks for new events.
const PAUSE: Duration = Duration::from_millis(200);
/// Events of one answer.
const MOST_EVENTS: i64 = 1000;

/// The jobs of a server, for those who submit them.
#[derive(Clone, Debug)]
pub struct JobQueue {
    core: ServerCore,
}

impl JobQueue {
    pub(crate) fn new(core: ServerCore) -> Self {
        Self { core }
    }

    /// Submits a job. When this returns, it is on the disk.
    pub async fn submit(&self, new: &NewJob) -> Result<Job, ServerError> {
        let limits = self.core.limits();
        let count = new.files.len();
        LimitReached::check(LimitKind::JobFiles, count as u64, limits.job_files)?;
        if count == 0 {
            return Err(ServerError::invalid("job", "expected at least one file"));
        }
        new.kind.check(count)?;
        let kind = serde_json::to_string(&new.kind).unwrap_or_default();
        let mut write = self.core.write().await?;
        self.core.take_turn(&mut write).await?;
        check_queued_jobs(&mut write, limits, new.owner).await?;
        let mut names = Vec::new();
        for file in &new.files {
            let name = "SELECT name FROM stored_file WHERE id = $1 AND project = $2";
            let name = sqlx::query(name).bind(file.0).bind(new.project.0);
            let row = name.fetch_optional(&mut *write).await?;
            names.push(row.ok_or(ServerError::NotFound("file"))?.try_get::<String, _>(0)?);
        }
        let title = match new.title.trim() {
            "" => names.first().cloned().unwrap_or_default(),
            title => title.chars().filter(|it| !it.is_control()).take(200).collect(),
        };
        let text = "INSERT INTO job (project, owner, title, kind, state, needs_device, device_filter, claim, beat, attempts, \
            wants_cancel, events, created_ms, of_run) VALUES ($1, $2, $3, $4, 0, $5, $6, 0, 0, 0, 0, 0, $7, $8) RETURNING id";
        let needs_device = new.kind.needs_device();
        let device = new.device.as_ref().filter(|_| needs_device);
        let now = self.core.now_ms();
        let query = sqlx::query(text)
            .bind(new.project.0)
            .bind(new.owner.map(|owner| owner.0))
            .bind(title)
            .bind(kind)
            .bind(i64::from(needs_device))
            .bind(device.map(super::DeviceNeed::filter))
            .bind(now)
            .bind(new.kind.of_run().map(|run| run.0));
        let id = JobId(query.fetch_one(&mut *write).await?.try_get(0)?);
        for (at, (file, name)) in new.files.iter().zip(names).enumerate() {
            let insert = "INSERT INTO job_input (job, ordinal, file, name) VALUES ($1, $2, $3, $4)";
            let insert = sqlx::query(insert).bind(id.0).bind(at as i64).bind(file.0).bind(name);
            insert.execute(&mut *write).await?;
        }
        job_event::add(&mut write, id, now, (JobEventKind::Queued, "waiting for a worker", None))
            .await?;
        write.commit().await?;
        self.job(new.project, id).await
    }

    /// A job of a project.
    pub async fn job(&self, project: ProjectId, id: JobId) -> Result<Job, ServerError> {
        let text = format!("SELECT {JOB_COLUMNS} FROM job j WHERE j.id = $1 AND j.project = $2");
        let query = sqlx::query(AssertSqlSafe(text)).bind(id.0).bind(project.0);
        let row = query.fetch_optional(self.core.reader()).await?;
        Ok(job(&row.ok_or(ServerError::NotFound("job"))?)?)
    }

    /// Jobs of a project, newest first.
    pub async fn jobs(
        &self,
        project: ProjectId,
        filter: JobFilter,
    ) -> Result<Vec<Job>, ServerError> {
        let text = format!(
            "SELECT {JOB_COLUMNS} FROM job j WHERE j.project = $1 AND j.id < $2 AND ($3 < 0 OR j.state = $3) \
             ORDER BY j.id DESC LIMIT $4"
        );
        let query = sqlx::query(AssertSqlSafe(text))
            .bind(project.0)
            .bind(filter.before.map_or(i64::MAX, |before| before.0))
            .bind(filter.state.map_or(-1, JobState::number))
            .bind(i64::from(filter.most));
        let rows = query.fetch_all(self.core.reader()).await?;
        Ok(rows.iter().map(job).collect::<sqlx::Result<_>>()?)
    }

    /// All jobs of the server that have not ended, in the order in which they were submitted: for those who manage the server.
    pub async fn unfinished(&self) -> Result<Vec<Job>, ServerError> {
        let text = format!("SELECT {JOB_COLUMNS} FROM job j WHERE j.state < 2 ORDER BY j.id");
        let rows = sqlx::query(AssertSqlSafe(text)).fetch_all(self.core.reader()).await?;
        Ok(rows.iter().map(job).collect::<sqlx::Result<_>>()?)
    }

    /// The number of jobs in a state on the whole server, for metrics.
    pub async fn count(&self, state: JobState) -> Result<u64, ServerError> {
        let count = sqlx::query("SELECT COUNT(*) FROM job WHERE state = $1").bind(state.number());
        let row = count.fetch_one(self.core.reader()).await?;
        Ok(row.try_get::<i64, _>(0)?.max(0) as u64)
    }

    /// The files of a job.
    pub async fn inputs(
        &self,
        project: ProjectId,
        id: JobId,
    ) -> Result<Vec<JobInput>, ServerError> {
        self.job(project, id).await?;
        let mut connection = self.core.reader().acquire().await?;
        inputs(&mut connection, id).await
    }

    /// The runs of a job in its project's history.
    pub async fn runs(&self, project: ProjectId, id: JobId) -> Result<Vec<RunId>, ServerError> {
        self.job(project, id).await?;
        let query =
            sqlx::query("SELECT run FROM job_run WHERE job = $1 ORDER BY ordinal").bind(id.0);
        let rows = query.fetch_all(self.core.reader()).await?;
        let run = |row| -> sqlx::Result<RunId> { Ok(RunId(sqlx::Row::try_get(row, 0)?)) };
        Ok(rows.iter().map(run).collect::<sqlx::Result<_>>()?)
    }

    /// The job that made a run of a project's history.
    pub async fn of_run(&self, project: ProjectId, run: RunId) -> Result<Job, ServerError> {
        let text = format!(
            "SELECT {JOB_COLUMNS} FROM job j JOIN job_run r ON r.job = j.id WHERE j.project = $1 AND r.run = $2 ORDER BY j.id LIMIT 1"
        );
        let query = sqlx::query(AssertSqlSafe(text)).bind(project.0).bind(run.0);
        let row = query.fetch_optional(self.core.reader()).await?;
        Ok(job(&row.ok_or(ServerError::NotFound("job"))?)?)
    }

    /// The files that a job made.
    pub async fn outputs(
        &self,
        project: ProjectId,
        id: JobId,
    ) -> Result<Vec<JobOutput>, ServerError> {
        self.job(project, id).await?;
        let text = "SELECT name, sha256, bytes FROM job_output WHERE job = $1 ORDER BY name";
        let rows = sqlx::query(text).bind(id.0).fetch_all(self.core.reader()).await?;
        let output = |row: &sqlx::any::AnyRow| -> sqlx::Result<JobOutput> {
            let bytes = row.try_get::<i64, _>(2)?.max(0) as u64;
            Ok(JobOutput { name: row.try_get(0)?, sha256: row.try_get(1)?, bytes })
        };
        Ok(rows.iter().map(output).collect::<sqlx::Result<_>>()?)
    }

    /// The content of a file that a job made, to be opened for reading.
    pub fn output_path(&self, project: ProjectId, output: &JobOutput) -> std::path::PathBuf {
        self.core.location().content_file(project, &output.sha256)
    }

    /// Cancels a job. One that is running is stopped by its worker soon. One that has ended stays as it is.
    pub async fn cancel(&self, project: ProjectId, id: JobId) -> Result<Job, ServerError> {
        self.job(project, id).await?;
        let now = self.core.now_ms();
        let mut write = self.core.write_from_reserve().await?;
        let queued = "UPDATE job SET state = $1, wants_cancel = 1, ended_ms = $2 WHERE id = $3 AND state = 0";
        let queued = sqlx::query(queued).bind(JobState::Cancelled.number()).bind(now).bind(id.0);
        if queued.execute(&mut *write).await?.rows_affected() > 0 {
            let event = (JobEventKind::Cancelled, "cancelled before it began", None);
            job_event::add(&mut write, id, now, event).await?;
        } else {
            let running =
                sqlx::query("UPDATE job SET wants_cancel = 1 WHERE id = $1 AND state = 1");
            running.bind(id.0).execute(&mut *write).await?;
        }
        write.commit().await?;
        self.job(project, id).await
    }

    /// Deletes the files that jobs made of runs which are deleted, unless another run of the job is left, and what was read again of them. Their
    /// contents are swept later.
    pub async fn forget_runs(&self, project: ProjectId, runs: &[RunId]) -> Result<(), ServerError> {
        let mut write = self.core.write_from_reserve().await?;
        for run in runs {
            let text = "SELECT r.job FROM job_run r JOIN job j ON j.id = r.job WHERE j.project = $1 AND r.run = $2";
            let jobs = sqlx::query(text).bind(project.0).bind(run.0).fetch_all(&mut *write).await?;
            for row in jobs {
                let job: i64 = row.try_get(0)?;
                let gone = sqlx::query("DELETE FROM job_run WHERE job = $1 AND run = $2");
                gone.bind(job).bind(run.0).execute(&mut *write).await?;
                let outputs = "DELETE FROM job_output WHERE job = $1 AND NOT EXISTS (SELECT 1 FROM job_run WHERE job = $1)";
                sqlx::query(outputs).bind(job).execute(&mut *write).await?;
            }
            let ranges = "DELETE FROM job_output WHERE job IN (SELECT id FROM job WHERE project = $1 AND of_run = $2)";
            sqlx::query(ranges).bind(project.0).bind(run.0).execute(&mut *write).await?;
        }
        write.commit().await
    }

    /// Events of a job after a number, in their order; 1000 at most.
    pub async fn events(
        &self,
        project: ProjectId,
        id: JobId,
        after: i64,
    ) -> Result<Vec<JobEvent>, ServerError> {
        let text = "SELECT e.number, e.at_ms, e.kind, e.detail, e.fraction FROM job_event e JOIN job j ON j.id = e.job \
            WHERE e.job = $1 AND j.project = $2 AND e.number > $3 ORDER BY e.number LIMIT $4";
        let query = sqlx::query(text).bind(id.0).bind(project.0).bind(after).bind(MOST_EVENTS);
        let rows = query.fetch_all(self.core.reader()).await?;
        Ok(rows.iter().map(job_event).collect::<sqlx::Result<_>>()?)
    }

    /// The same, and waits for them if there are none yet. After the time it is none.
    pub async fn wait_for_events(
        &self,
        project: ProjectId,
        id: JobId,
        after: i64,
        longest: Duration,
    ) -> Result<Vec<JobEvent>, ServerError> {
        let began = Instant::now();
        loop {
            let events = self.events(project, id, after).await?;
            if !events.is_empty() || began.elapsed() >= longest {
                return Ok(events);
            }
            tokio::time::sleep(PAUSE.min(longest)).await;
        }
    }
}

/// The files of a job.
pub(crate) async fn inputs(
    connection: &mut Connected,
    job: JobId,
) -> Result<Vec<JobInput>, ServerError> {
    let text = "SELECT i.file, i.name, f.sha256 FROM job_input i LEFT JOIN stored_file f ON f.id = i.file \
        WHERE i.job = $1 ORDER BY i.ordinal";
    let rows = sqlx::query(text).bind(job.0).fetch_all(connection).await?;
    let input = |row: &sqlx::any::AnyRow| -> sqlx::Result<JobInput> {
        Ok(JobInput {
            file: FileId(row.try_get(0)?),
            name: row.try_get(1)?,
            sha256: row.try_get(2)?,
        })
    };
    Ok(rows.iter().map(input).collect::<sqlx::Result<_>>()?)
}
