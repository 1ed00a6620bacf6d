//! The time for which projects keep their runs and files.

use std::fmt;

use sqlx::Row as _;

use crate::base::{ProjectId, ServerCore, ServerError};

/// The time for which a project keeps its runs and files. Without a rule they stay for ever.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct RetentionRules {
    /// Runs older than so many days are deleted.
    pub run_days: Option<u32>,
    /// Of each app, device, scenario and branch the latest so many runs are kept.
    pub series_runs: Option<u32>,
    /// Uploaded files are deleted after so many days. Runs that were made of them stay.
    pub file_days: Option<u32>,
}

impl fmt::Display for RetentionRules {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let days = |days: Option<u32>| match days {
            None => "forever".to_owned(),
            Some(1) => "1 day".to_owned(),
            Some(days) => format!("{days} days"),
        };
        write!(f, "runs: {}", days(self.run_days))?;
        if let Some(runs) = self.series_runs {
            write!(f, ", the latest {runs} of a series")?;
        }
        write!(f, "; uploads: {}", days(self.file_days))
    }
}

/// The retention rules of projects.
#[derive(Clone, Debug)]
pub struct RetentionBook {
    core: ServerCore,
}

impl RetentionBook {
    pub(crate) fn new(core: ServerCore) -> Self {
        Self { core }
    }

    /// The rules of a project.
    pub async fn rules(&self, project: ProjectId) -> Result<RetentionRules, ServerError> {
        let text = "SELECT run_days, series_runs, file_days FROM retention WHERE project = $1";
        let row = sqlx::query(text).bind(project.0).fetch_optional(self.core.reader()).await?;
        let Some(row) = row else { return Ok(RetentionRules::default()) };
        let number = |at: usize| -> sqlx::Result<Option<u32>> {
            Ok(row.try_get::<Option<i64>, _>(at)?.and_then(|it| u32::try_from(it).ok()))
        };
        Ok(RetentionRules { run_days: number(0)?, series_runs: number(1)?, file_days: number(2)? })
    }

    /// Gives a project other rules.
    pub async fn set(&self, project: ProjectId, rules: RetentionRules) -> Result<(), ServerError> {
        let mut write = self.core.write().await?;
        let delete = sqlx::query("DELETE FROM retention WHERE project = $1").bind(project.0);
        delete.execute(&mut *write).await?;
        let text = "INSERT INTO retention (project, run_days, series_runs, file_days) VALUES ($1, $2, $3, $4)";
        let insert = sqlx::query(text)
            .bind(project.0)
            .bind(rules.run_days.map(i64::from))
            .bind(rules.series_runs.map(i64::from))
            .bind(rules.file_days.map(i64::from));
        insert.execute(&mut *write).await?;
        write.commit().await
    }
}
