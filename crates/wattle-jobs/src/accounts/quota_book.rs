//! Quotas of users and projects.

use sqlx::Row as _;

use crate::base::{
    Connected, LimitKind, LimitReached, ProjectId, ServerCore, ServerError, ServerLimits, UserId,
};

/// Limits of one user or project that differ from the server's.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Quota {
    /// Bytes of files, files that jobs made, and open uploads.
    pub bytes: Option<u64>,
    /// Open uploads; of users only.
    pub open_uploads: Option<u64>,
    /// Jobs that have not ended; of users only.
    pub queued_jobs: Option<u64>,
    /// Runs in the history; of projects only.
    pub runs: Option<u64>,
}

/// The holder of a quota.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QuotaHolder {
    /// A user.
    User(UserId),
    /// A project.
    Project(ProjectId),
}

impl QuotaHolder {
    /// The name in the table.
    pub(crate) fn key(self) -> String {
        match self {
            Self::User(user) => format!("user:{user}"),
            Self::Project(project) => format!("project:{project}"),
        }
    }
}

/// The present use of what is limited.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct Usage {
    /// Bytes of files, files that jobs made, and open uploads.
    pub bytes: u64,
    /// Open uploads.
    pub open_uploads: u64,
    /// Jobs that have not ended.
    pub queued_jobs: u64,
}

/// Quotas of users and projects.
#[derive(Clone, Debug)]
pub struct Quotas {
    core: ServerCore,
}

impl Quotas {
    pub(crate) fn new(core: ServerCore) -> Self {
        Self { core }
    }

    /// The quota of a holder.
    pub async fn quota(&self, holder: QuotaHolder) -> Result<Quota, ServerError> {
        let mut connection = self.core.reader().acquire().await?;
        quota(&mut connection, holder).await
    }

    /// Gives a holder a quota.
    pub async fn set(&self, holder: QuotaHolder, quota: Quota) -> Result<(), ServerError> {
        let mut write = self.core.write().await?;
        let delete = sqlx::query("DELETE FROM quota WHERE holder = $1").bind(holder.key());
        delete.execute(&mut *write).await?;
        let number = |limit: Option<u64>| limit.map(|it| i64::try_from(it).unwrap_or(i64::MAX));
        let insert = "INSERT INTO quota (holder, bytes, open_uploads, queued_jobs, runs) VALUES ($1, $2, $3, $4, $5)";
        let insert = sqlx::query(insert)
            .bind(holder.key())
            .bind(number(quota.bytes))
            .bind(number(quota.open_uploads))
            .bind(number(quota.queued_jobs))
            .bind(number(quota.runs));
        insert.execute(&mut *write).await?;
        write.commit().await
    }

    /// The present use by a holder.
    pub async fn usage(&self, holder: QuotaHolder) -> Result<Usage, ServerError> {
        let mut connection = self.core.reader().acquire().await?;
        let connection = &mut *connection;
        let sums = match holder {
            QuotaHolder::User(user) => UsageSums::of_user(connection, Some(user)).await?,
            QuotaHolder::Project(project) => UsageSums::of_project(connection, project).await?,
        };
        let queued_jobs = match holder {
            QuotaHolder::User(user) => unfinished_jobs(connection, Some(user)).await?,
            QuotaHolder::Project(project) => {
                let count = "SELECT COUNT(*) FROM job WHERE state < 2 AND project = $1";
                let row = sqlx::query(count).bind(project.0).fetch_one(connection).await?;
                row.try_get::<i64, _>(0)?.max(0) as u64
            }
        };
        Ok(Usage { bytes: sums.bytes, open_uploads: sums.open_uploads, queued_jobs })
    }

    /// The limit for runs in a project's history.
    pub(crate) async fn most_runs(&self, project: ProjectId) -> Result<u64, ServerError> {
        let quota = self.quota(QuotaHolder::Project(project)).await?;
        Ok(quota.runs.unwrap_or(self.core.limits().project_runs))
    }
}

async fn quota(connection: &mut Connected, holder: QuotaHolder) -> Result<Quota, ServerError> {
    let text = "SELECT bytes, open_uploads, queued_jobs, runs FROM quota WHERE holder = $1";
    let row = sqlx::query(text).bind(holder.key()).fetch_optional(connection).await?;
    let Some(row) = row else { return Ok(Quota::default()) };
    let number = |at: usize| -> sqlx::Result<Option<u64>> {
        Ok(row.try_get::<Option<i64>, _>(at)?.map(|it| it.max(0) as u64))
    };
    Ok(Quota {
        bytes: number(0)?,
        open_uploads: number(1)?,
        queued_jobs: number(2)?,
        runs: number(3)?,
    })
}

/// Sums over files, files that jobs made, and open uploads. Open uploads count with the length that was declared.
#[derive(Clone, Copy, Debug)]
pub(crate) struct UsageSums {
    pub bytes: u64,
    pub open_uploads: u64,
}

impl UsageSums {
    /// Those of a user; of nobody on a server without users.
    pub async fn of_user(
        connection: &mut Connected,
        user: Option<UserId>,
    ) -> Result<Self, ServerError> {
        const TEXT: &str = "SELECT \
            CAST((SELECT COALESCE(SUM(bytes), 0) FROM stored_file WHERE COALESCE(owner, 0) = $1) AS BIGINT), \
            CAST((SELECT COALESCE(SUM(o.bytes), 0) FROM job_output o JOIN job j ON j.id = o.job \
                WHERE COALESCE(j.owner, 0) = $1) AS BIGINT), \
            CAST((SELECT COALESCE(SUM(bytes), 0) FROM upload WHERE COALESCE(owner, 0) = $1) AS BIGINT), \
            (SELECT COUNT(*) FROM upload WHERE COALESCE(owner, 0) = $1)";
        Self::sums(connection, TEXT, user.map_or(0, |user| user.0)).await
    }

    /// Those of a project.
    pub async fn of_project(
        connection: &mut Connected,
        project: ProjectId,
    ) -> Result<Self, ServerError> {
        const TEXT: &str = "SELECT \
            CAST((SELECT COALESCE(SUM(bytes), 0) FROM stored_file WHERE project = $1) AS BIGINT), \
            CAST((SELECT COALESCE(SUM(o.bytes), 0) FROM job_output o JOIN job j ON j.id = o.job WHERE j.project = $1) AS BIGINT), \
            CAST((SELECT COALESCE(SUM(bytes), 0) FROM upload WHERE project = $1) AS BIGINT), \
            (SELECT COUNT(*) FROM upload WHERE project = $1)";
        Self::sums(connection, TEXT, project.0).await
    }

    /// Those of the server.
    pub async fn of_server(connection: &mut Connected) -> Result<Self, ServerError> {
        const TEXT: &str = "SELECT \
            CAST((SELECT COALESCE(SUM(bytes), 0) FROM stored_file WHERE id > $1) AS BIGINT), \
            CAST((SELECT COALESCE(SUM(bytes), 0) FROM job_output) AS BIGINT), \
            CAST((SELECT COALESCE(SUM(bytes), 0) FROM upload) AS BIGINT), \
            (SELECT COUNT(*) FROM upload)";
        Self::sums(connection, TEXT, 0).await
    }

    async fn sums(
        connection: &mut Connected,
        text: &'static str,
        key: i64,
    ) -> Result<Self, ServerError> {
        let row = sqlx::query(text).bind(key).fetch_one(connection).await?;
        let number = |at| -> sqlx::Result<u64> { Ok(row.try_get::<i64, _>(at)?.max(0) as u64) };
        let bytes = number(0)?.saturating_add(number(1)?).saturating_add(number(2)?);
        Ok(Self { bytes, open_uploads: number(3)? })
    }
}

/// Refuses an upload of so many bytes that a limit forbids. The server's turn must have been taken.
pub(crate) async fn check_upload(
    connection: &mut Connected,
    limits: &ServerLimits,
    user: Option<UserId>,
    project: ProjectId,
    bytes: u64,
) -> Result<(), ServerError> {
    LimitReached::check(LimitKind::UploadBytes, bytes, limits.upload_bytes)?;
    let of_user = match user {
        Some(user) => quota(connection, QuotaHolder::User(user)).await?,
        None => Quota::default(),
    };
    let sums = UsageSums::of_user(connection, user).await?;
    let open = of_user.open_uploads.unwrap_or(limits.open_uploads);
    LimitReached::check(LimitKind::OpenUploads, sums.open_uploads.saturating_add(1), open)?;
    let most = of_user.bytes.unwrap_or(limits.user_bytes);
    LimitReached::check(LimitKind::UserBytes, sums.bytes.saturating_add(bytes), most)?;
    let of_project = quota(connection, QuotaHolder::Project(project)).await?;
    let sums = UsageSums::of_project(connection, project).await?;
    let most = of_project.bytes.unwrap_or(limits.project_bytes);
    LimitReached::check(LimitKind::ProjectBytes, sums.bytes.saturating_add(bytes), most)?;
    let sums = UsageSums::of_server(connection).await?;
    let most = limits.server_bytes;
    LimitReached::check(LimitKind::ServerBytes, sums.bytes.saturating_add(bytes), most)?;
    Ok(())
}

/// Refuses a job that a limit forbids. The server's turn must have been taken.
pub(crate) async fn check_queued_jobs(
    connection: &mut Connected,
    limits: &ServerLimits,
    user: Option<UserId>,
) -> Result<(), ServerError> {
    let of_user = match user {
        Some(user) => quota(connection, QuotaHolder::User(user)).await?,
        None => Quota::default(),
    };
    let jobs = unfinished_jobs(connection, user).await?.saturating_add(1);
    let most = of_user.queued_jobs.unwrap_or(limits.queued_jobs);
    Ok(LimitReached::check(LimitKind::QueuedJobs, jobs, most)?)
}

async fn unfinished_jobs(
    connection: &mut Connected,
    user: Option<UserId>,
) -> Result<u64, ServerError> {
    // States 0 and 1 are those of jobs that have not ended.
    let count = "SELECT COUNT(*) FROM job WHERE state < 2 AND COALESCE(owner, 0) = $1";
    let row = sqlx::query(count).bind(user.map_or(0, |user| user.0)).fetch_one(connection).await?;
    Ok(row.try_get::<i64, _>(0)?.max(0) as u64)
}
