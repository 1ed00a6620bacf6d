//! The jobs of a server, for the workers that do them.

use std::time::Instant;

use sqlx::{AssertSqlSafe, Row as _};
use wattle_store::Dialect;

use super::job_event;
use super::job_record::{JOB_COLUMNS, job};
use super::job_registry::inputs;
use super::{Beat, FirstFigures, JobClaim, JobEnd, JobEventKind, JobState, LentDevice};
use crate::base::{Connected, JobId, ServerCore, ServerError, StillnessWatch};

/// The jobs of a server, for the workers that do them.
///
/// A worker [announces](Self::announce) itself, [claims](Self::claim) a job, gives a sign of life by [`beat`](Self::beat) more often than
/// the lease is long, and [ends](Self::end) it. Whoever calls [`take_back`](Self::take_back) gives jobs of dead workers to others. Each claim
/// has a number, and whoever has not the latest one is refused, so that a worker that was only slow does no harm.
#[derive(Clone, Debug)]
pub struct JobClaims {
    core: ServerCore,
}

/// A claim that ended one way or another.
struct Ending<'a> {
    state: JobState,
    kind: JobEventKind,
    detail: &'a str,
}

impl JobClaims {
    pub(crate) fn new(core: ServerCore) -> Self {
        Self { core }
    }

    /// Says that a worker exists, and which devices it has. To be repeated when devices come and go, and before
    /// the lease is over. A device that a job has stays with it.
    pub async fn announce(
        &self,
        worker: &str,
        title: &str,
        devices: &[LentDevice],
    ) -> Result<(), ServerError> {
        let mut write = self.core.write().await?;
        let text = "INSERT INTO job_worker (id, title, beat, started_ms) VALUES ($1, $2, 0, $3) \
            ON CONFLICT (id) DO UPDATE SET beat = job_worker.beat + 1, title = excluded.title";
        let query = sqlx::query(text).bind(worker.to_owned()).bind(title.to_owned());
        query.bind(self.core.now_ms()).execute(&mut *write).await?;
        let known = "SELECT serial FROM lent_device WHERE worker = $1 AND job IS NULL";
        let known = sqlx::query(known).bind(worker.to_owned()).fetch_all(&mut *write).await?;
        for row in known {
            let serial: String = row.try_get(0)?;
            if !devices.iter().any(|device| device.serial == serial) {
                let gone = "DELETE FROM lent_device WHERE serial = $1 AND job IS NULL";
                sqlx::query(gone).bind(serial).execute(&mut *write).await?;
            }
        }
        for device in devices {
            // Whoever has the device already keeps it: one reached by two workers is one device.
            let text = "INSERT INTO lent_device (serial, model, worker) VALUES ($1, $2, $3) ON CONFLICT (serial) DO NOTHING";
            let query = sqlx::query(text).bind(device.serial.clone()).bind(device.model.clone());
            query.bind(worker.to_owned()).execute(&mut *write).await?;
        }
        write.commit().await
    }

    /// Says that a worker has ended. Its jobs must have been ended before.
    pub async fn leave(&self, worker: &str) -> Result<(), ServerError> {
        let mut write = self.core.write().await?;
        remove_worker(&mut write, worker).await?;
        write.commit().await
    }

    /// The workers that are known, by name, with their titles.
    pub async fn workers(&self) -> Result<Vec<(String, String)>, ServerError> {
        let rows = sqlx::query("SELECT id, title FROM job_worker ORDER BY id");
        let rows = rows.fetch_all(self.core.reader()).await?;
        let worker = |row: &sqlx::any::AnyRow| -> sqlx::Result<(String, String)> {
            Ok((row.try_get(0)?, row.try_get(1)?))
        };
        Ok(rows.iter().map(worker).collect::<sqlx::Result<_>>()?)
    }

    /// The devices that workers have, each with the job that it is lent to.
    pub async fn devices(&self) -> Result<Vec<(LentDevice, Option<JobId>)>, ServerError> {
        let rows = sqlx::query("SELECT serial, model, job FROM lent_device ORDER BY serial");
        let rows = rows.fetch_all(self.core.reader()).await?;
        let device = |row: &sqlx::any::AnyRow| -> sqlx::Result<(LentDevice, Option<JobId>)> {
            let device = LentDevice { serial: row.try_get(0)?, model: row.try_get(1)? };
            Ok((device, row.try_get::<Option<i64>, _>(2)?.map(JobId)))
        };
        Ok(rows.iter().map(device).collect::<sqlx::Result<_>>()?)
    }

    /// Claims a job that this worker can do: the oldest of the user with the fewest jobs under way.
    pub async fn claim(&self, worker: &str) -> Result<Option<JobClaim>, ServerError> {
        // A look without a lock: mostly nothing is to be done.
        let any = sqlx::query("SELECT 1 FROM job WHERE state = 0 LIMIT 1");
        if any.fetch_optional(self.core.reader()).await?.is_none() {
            return Ok(None);
        }
        let lock = match self.core.dialect() {
            Dialect::Sqlite => "",
            Dialect::Postgres => "FOR UPDATE OF j SKIP LOCKED",
        };
        let text = format!(
            "SELECT j.id, j.needs_device, j.device_filter FROM job j WHERE j.state = 0 AND (j.needs_device = 0 OR EXISTS \
             (SELECT 1 FROM lent_device d WHERE d.worker = $1 AND d.job IS NULL AND (j.device_filter IS NULL \
             OR j.device_filter = 'serial:' || d.serial OR j.device_filter = 'model:' || d.model))) \
             ORDER BY (SELECT COUNT(*) FROM job r WHERE r.state = 1 AND COALESCE(r.owner, 0) = COALESCE(j.owner, 0)), j.id \
             LIMIT 1 {lock}"
        );
        let now = self.core.now_ms();
        let mut write = self.core.write().await?;
        let query = sqlx::query(AssertSqlSafe(text)).bind(worker.to_owned());
        let Some(row) = query.fetch_optional(&mut *write).await? else { return Ok(None) };
        let id = JobId(row.try_get(0)?);
        let needs_device = row.try_get::<i64, _>(1)? != 0;
        let mut device = None;
        if needs_device {
            device = self.lend(&mut write, worker, id, row.try_get(2)?).await?;
            // Another job of the same worker took it just now.
            if device.is_none() {
                return Ok(None);
            }
        }
        let text = "UPDATE job SET state = 1, claim = claim + 1, beat = 0, attempts = attempts + 1, worker = $1, started_ms = $2, \
            progress = NULL, fraction = NULL WHERE id = $3 AND state = 0 RETURNING claim";
        let query = sqlx::query(text).bind(worker.to_owned()).bind(now).bind(id.0);
        let Some(row) = query.fetch_optional(&mut *write).await? else { return Ok(None) };
        let number = row.try_get(0)?;
        let text = format!("SELECT {JOB_COLUMNS} FROM job j WHERE j.id = $1");
        let row = sqlx::query(AssertSqlSafe(text)).bind(id.0).fetch_one(&mut *write).await?;
        let job = job(&row)?;
        let inputs = inputs(&mut write, id).await?;
        let event = (JobEventKind::Started, "a worker has begun", None);
        job_event::add(&mut write, id, now, event).await?;
        write.commit().await?;
        let key = format!("job:{}:{id}", self.core.server_name().await?);
        Ok(Some(JobClaim { job, number, inputs, device, key }))
    }

    async fn lend(
        &self,
        connection: &mut Connected,
        worker: &str,
        job: JobId,
        filter: Option<String>,
    ) -> Result<Option<LentDevice>, ServerError> {
        let lock = match self.core.dialect() {
            Dialect::Sqlite => "",
            Dialect::Postgres => "FOR UPDATE SKIP LOCKED",
        };
        let text = format!(
            "SELECT serial, model FROM lent_device WHERE worker = $1 AND job IS NULL AND ($2 = '' OR $2 = 'serial:' || serial \
             OR $2 = 'model:' || model) ORDER BY serial LIMIT 1 {lock}"
        );
        let query = sqlx::query(AssertSqlSafe(text)).bind(worker.to_owned());
        let row = query.bind(filter.unwrap_or_default()).fetch_optional(&mut *connection).await?;
        let Some(row) = row else { return Ok(None) };
        let device = LentDevice { serial: row.try_get(0)?, model: row.try_get(1)? };
        let lend = sqlx::query("UPDATE lent_device SET job = $1 WHERE serial = $2 AND job IS NULL");
        let lent = lend.bind(job.0).bind(device.serial.clone()).execute(connection).await?;
        Ok((lent.rows_affected() > 0).then_some(device))
    }

    /// Gives a sign of life.
    pub async fn beat(&self, claim: &JobClaim) -> Result<Beat, ServerError> {
        let mut write = self.core.write().await?;
        let text = "UPDATE job SET beat = beat + 1 WHERE id = $1 AND claim = $2 AND state = 1 RETURNING wants_cancel";
        let query = sqlx::query(text).bind(claim.job.id.0).bind(claim.number);
        let row = query.fetch_optional(&mut *write).await?.ok_or(ServerError::ClaimLost)?;
        let wants_cancel: i64 = row.try_get(0)?;
        write.commit().await?;
        Ok(if wants_cancel == 0 { Beat::GoOn } else { Beat::Cancel })
    }

    /// Says how far a job is. It is a sign of life, too. Once a job has too many events, the job alone says so.
    pub async fn progress(
        &self,
        claim: &JobClaim,
        line: &str,
        fraction: Option<f64>,
    ) -> Result<Beat, ServerError> {
        let fraction = fraction.filter(|it| it.is_finite()).map(|it| it.clamp(0.0, 1.0));
        let mut write = self.core.write().await?;
        let text = "UPDATE job SET beat = beat + 1, progress = $1, fraction = $2 WHERE id = $3 AND claim = $4 AND state = 1 \
            RETURNING wants_cancel, events";
        let query = sqlx::query(text).bind(line.to_owned()).bind(fraction);
        let query = query.bind(claim.job.id.0).bind(claim.number);
        let row = query.fetch_optional(&mut *write).await?.ok_or(ServerError::ClaimLost)?;
        let (wants_cancel, events): (i64, i64) = (row.try_get(0)?, row.try_get(1)?);
        if (events.max(0) as u64) < self.core.limits().job_events {
            let event = (JobEventKind::Progress, line, fraction);
            job_event::add(&mut write, claim.job.id, self.core.now_ms(), event).await?;
        }
        write.commit().await?;
        Ok(if wants_cancel == 0 { Beat::GoOn } else { Beat::Cancel })
    }

    /// States figures of the beginning of a recording, for as long as the rest is read. It is a sign of life, too.
    pub async fn state_first(
        &self,
        claim: &JobClaim,
        figures: &FirstFigures,
    ) -> Result<Beat, ServerError> {
        let json = serde_json::to_string(figures).unwrap_or_default();
        let mut write = self.core.write().await?;
        let text = "UPDATE job SET beat = beat + 1, first_figures = $1 WHERE id = $2 AND claim = $3 AND state = 1 \
            RETURNING wants_cancel, events";
        let query = sqlx::query(text).bind(json).bind(claim.job.id.0).bind(claim.number);
        let row = query.fetch_optional(&mut *write).await?.ok_or(ServerError::ClaimLost)?;
        let (wants_cancel, events): (i64, i64) = (row.try_get(0)?, row.try_get(1)?);
        if (events.max(0) as u64) < self.core.limits().job_events {
            let summary = figures.summary();
            let event = (JobEventKind::Figures, summary.as_str(), None);
            job_event::add(&mut write, claim.job.id, self.core.now_ms(), event).await?;
        }
        write.commit().await?;
        Ok(if wants_cancel == 0 { Beat::GoOn } else { Beat::Cancel })
    }

    /// Ends a job, or gives it back. [`ServerError::ClaimLost`] if another worker has it meanwhile; then nothing changes.
    pub async fn end(&self, claim: &JobClaim, end: &JobEnd) -> Result<JobState, ServerError> {
        let id = claim.job.id;
        let mut write = self.core.write_from_reserve().await?;
        let own = "UPDATE job SET beat = beat + 1 WHERE id = $1 AND claim = $2 AND state = 1 RETURNING attempts, wants_cancel";
        let own =
            sqlx::query(own).bind(id.0).bind(claim.number).fetch_optional(&mut *write).await?;
        let own = own.ok_or(ServerError::ClaimLost)?;
        let (attempts, wants_cancel): (i64, i64) = (own.try_get(0)?, own.try_get(1)?);
        let ending = match end {
            JobEnd::Done { runs, outputs } => {
                for (at, run) in runs.iter().enumerate() {
                    let insert = "INSERT INTO job_run (job, ordinal, run) VALUES ($1, $2, $3)";
                    let insert = sqlx::query(insert).bind(id.0).bind(at as i64).bind(run.0);
                    insert.execute(&mut *write).await?;
                }
                add_outputs(&mut write, id, outputs).await?;
                Ending { state: JobState::Done, kind: JobEventKind::Done, detail: "done" }
            }
            JobEnd::Failed { reason, outputs } => {
                add_outputs(&mut write, id, outputs).await?;
                Ending { state: JobState::Failed, kind: JobEventKind::Failed, detail: reason }
            }
            JobEnd::Cancelled => Ending {
                state: JobState::Cancelled,
                kind: JobEventKind::Cancelled,
                detail: "cancelled",
            },
            JobEnd::Returned { .. } if wants_cancel != 0 => Ending {
                state: JobState::Cancelled,
                kind: JobEventKind::Cancelled,
                detail: "cancelled",
            },
            JobEnd::Returned { reason, counts } => {
                if !counts {
                    let update =
                        sqlx::query("UPDATE job SET attempts = attempts - 1 WHERE id = $1");
                    update.bind(id.0).execute(&mut *write).await?;
                }
                self.returned(attempts, *counts, reason)
            }
        };
        self.close(&mut write, id, &ending).await?;
        write.commit().await?;
        Ok(ending.state)
    }

    fn returned<'a>(&self, attempts: i64, counts: bool, reason: &'a str) -> Ending<'a> {
        let is_last = counts && attempts >= i64::from(self.core.limits().attempts);
        let (state, kind) = if is_last {
            (JobState::Failed, JobEventKind::Failed)
        } else {
            (JobState::Queued, JobEventKind::Returned)
        };
        Ending { state, kind, detail: reason }
    }

    async fn close(
        &self,
        connection: &mut Connected,
        id: JobId,
        ending: &Ending<'_>,
    ) -> Result<(), ServerError> {
        let now = self.core.now_ms();
        let text = "UPDATE job SET state = $1, ended_ms = $2, reason = $3, first_figures = NULL WHERE id = $4";
        let query = sqlx::query(text)
            .bind(ending.state.number())
            .bind(ending.state.is_final().then_some(now))
            .bind((ending.state == JobState::Failed).then(|| ending.detail.to_owned()))
            .bind(id.0);
        query.execute(&mut *connection).await?;
        let free = sqlx::query("UPDATE lent_device SET job = NULL WHERE job = $1").bind(id.0);
        free.execute(&mut *connection).await?;
        job_event::add(connection, id, now, (ending.kind, ending.detail, None)).await
    }

    /// Takes jobs back from workers that have given no sign of life for as long as the lease, by this process's own clock. To be called every
    /// few seconds with the same watches. Returns the jobs that went back to the queue or failed.
    pub async fn take_back(
        &self,
        watch: &mut ClaimWatch,
        now: Instant,
    ) -> Result<Vec<JobId>, ServerError> {
        let lease = self.core.limits().lease;
        let rows = sqlx::query("SELECT id, claim, beat FROM job WHERE state = 1");
        let rows = rows.fetch_all(self.core.reader()).await?;
        let mut beats = Vec::new();
        for row in &rows {
            let (id, claim, beat): (i64, i64, i64) =
                (row.try_get(0)?, row.try_get(1)?, row.try_get(2)?);
            beats.push((JobId(id), (claim, beat)));
        }
        let still = watch.jobs.still(beats.iter().copied(), now, lease);
        let mut taken = Vec::new();
        for (id, (claim, beat)) in beats.into_iter().filter(|(id, _)| still.contains(id)) {
            if self.take_back_one(id, claim, beat).await? {
                taken.push(id);
            }
        }
        let rows =
            sqlx::query("SELECT id, beat FROM job_worker").fetch_all(self.core.reader()).await?;
        let mut beats = Vec::new();
        for row in &rows {
            beats.push((row.try_get::<String, _>(0)?, row.try_get::<i64, _>(1)?));
        }
        let still = watch.workers.still(beats.iter().cloned(), now, lease.saturating_mul(3));
        for (worker, beat) in beats.into_iter().filter(|(worker, _)| still.contains(worker)) {
            let mut write = self.core.write().await?;
            let same = sqlx::query("UPDATE job_worker SET beat = beat WHERE id = $1 AND beat = $2");
            let same = same.bind(worker.clone()).bind(beat).execute(&mut *write).await?;
            if same.rows_affected() > 0 {
                remove_worker(&mut write, &worker).await?;
                write.commit().await?;
            }
        }
        Ok(taken)
    }

    async fn take_back_one(&self, id: JobId, claim: i64, beat: i64) -> Result<bool, ServerError> {
        let mut write = self.core.write_from_reserve().await?;
        // The claim's number grows here, too: from now on the worker is refused, even if it lives.
        let text = "UPDATE job SET claim = claim + 1 WHERE id = $1 AND claim = $2 AND beat = $3 AND state = 1 \
            RETURNING attempts, wants_cancel";
        let query = sqlx::query(text).bind(id.0).bind(claim).bind(beat);
        let Some(row) = query.fetch_optional(&mut *write).await? else { return Ok(false) };
        let (attempts, wants_cancel): (i64, i64) = (row.try_get(0)?, row.try_get(1)?);
        let times = if attempts == 1 { "once".to_owned() } else { format!("{attempts} times") };
        let reason = format!("its worker gave no sign of life, {times} so far");
        let ending = match wants_cancel {
            0 if attempts < i64::from(self.core.limits().attempts) => {
                Ending { state: JobState::Queued, kind: JobEventKind::Returned, detail: &reason }
            }
            0 => Ending { state: JobState::Failed, kind: JobEventKind::Failed, detail: &reason },
            _ => Ending {
                state: JobState::Cancelled,
                kind: JobEventKind::Cancelled,
                detail: "cancelled",
            },
        };
        self.close(&mut write, id, &ending).await?;
        write.commit().await?;
        Ok(true)
    }

    /// Whether a claim is the latest one of a running job.
    pub(crate) async fn is_current(&self, job: JobId, claim: i64) -> Result<bool, ServerError> {
        let query = sqlx::query("SELECT 1 FROM job WHERE id = $1 AND claim = $2 AND state = 1");
        let row = query.bind(job.0).bind(claim).fetch_optional(self.core.reader()).await?;
        Ok(row.is_some())
    }
}

/// Signs of life, as one process has seen them.
#[derive(Debug, Default)]
pub struct ClaimWatch {
    jobs: StillnessWatch<JobId, (i64, i64)>,
    workers: StillnessWatch<String, i64>,
}

async fn remove_worker(connection: &mut Connected, worker: &str) -> Result<(), ServerError> {
    for text in
        ["DELETE FROM lent_device WHERE worker = $1", "DELETE FROM job_worker WHERE id = $1"]
    {
        sqlx::query(text).bind(worker.to_owned()).execute(&mut *connection).await?;
    }
    Ok(())
}

async fn add_outputs(
    connection: &mut Connected,
    job: JobId,
    outputs: &[super::JobOutput],
) -> Result<(), ServerError> {
    for output in outputs {
        let insert = "INSERT INTO job_output (job, name, sha256, bytes) VALUES ($1, $2, $3, $4)";
        let insert = sqlx::query(insert)
            .bind(job.0)
            .bind(output.name.clone())
            .bind(output.sha256.clone())
            .bind(output.bytes as i64);
        insert.execute(&mut *connection).await?;
    }
    Ok(())
}
