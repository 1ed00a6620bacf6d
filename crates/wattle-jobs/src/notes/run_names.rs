//! Names for runs.

use std::collections::HashMap;

use sqlx::Row as _;
use wattle_store::RunId;

use crate::base::{ProjectId, ServerCore, ServerError, is_hidden};

/// Characters of a name.
const MOST: usize = 200;

/// Names that users give runs.
#[derive(Clone, Debug)]
pub struct RunNames {
    core: ServerCore,
}

impl RunNames {
    pub(crate) fn new(core: ServerCore) -> Self {
        Self { core }
    }

    /// The names of a project's runs.
    pub async fn all(&self, project: ProjectId) -> Result<HashMap<RunId, String>, ServerError> {
        let query =
            sqlx::query("SELECT run, name FROM run_name WHERE project = $1").bind(project.0);
        let rows = query.fetch_all(self.core.reader()).await?;
        let named = |row: &sqlx::any::AnyRow| -> sqlx::Result<(RunId, String)> {
            Ok((RunId(row.try_get(0)?), row.try_get(1)?))
        };
        Ok(rows.iter().map(named).collect::<sqlx::Result<_>>()?)
    }

    /// The titles of the jobs that made a project's runs: those that users typed in, else names of files.
    pub async fn of_jobs(&self, project: ProjectId) -> Result<HashMap<RunId, String>, ServerError> {
        let text =
            "SELECT r.run, j.title FROM job_run r JOIN job j ON j.id = r.job WHERE j.project = $1";
        let rows = sqlx::query(text).bind(project.0).fetch_all(self.core.reader()).await?;
        let titled = |row: &sqlx::any::AnyRow| -> sqlx::Result<(RunId, String)> {
            Ok((RunId(row.try_get(0)?), row.try_get(1)?))
        };
        Ok(rows.iter().map(titled).collect::<sqlx::Result<_>>()?)
    }

    /// Names a run; an empty name takes the name away. Whether the run exists is the caller's to check.
    pub async fn set(&self, project: ProjectId, run: RunId, name: &str) -> Result<(), ServerError> {
        let name: String = name.chars().filter(|it| !is_hidden(*it)).collect();
        if name.chars().nth(MOST).is_some() {
            let reason = format!("expected at most {MOST} characters");
            return Err(ServerError::invalid("name", reason));
        }
        let mut write = self.core.write().await?;
        let delete = sqlx::query("DELETE FROM run_name WHERE project = $1 AND run = $2");
        delete.bind(project.0).bind(run.0).execute(&mut *write).await?;
        if !name.trim().is_empty() {
            let insert = "INSERT INTO run_name (project, run, name) VALUES ($1, $2, $3)";
            let insert =
                sqlx::query(insert).bind(project.0).bind(run.0).bind(name.trim().to_owned());
            insert.execute(&mut *write).await?;
        }
        write.commit().await
    }
}
