//! A project.

use sqlx::Row as _;
use sqlx::any::AnyRow;

use crate::base::ProjectId;

/// A project: files, jobs and a history of runs that only its members see.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Project {
    /// The number.
    pub id: ProjectId,
    /// The name in URLs.
    pub name: String,
    /// The name that people see.
    pub title: String,
    /// The time of creation, Unix milliseconds.
    pub created_ms: i64,
}

/// Columns of [`project`].
pub(crate) const PROJECT_COLUMNS: &str = "p.id, p.name, p.title, p.created_ms";

/// From the columns [`PROJECT_COLUMNS`].
pub(crate) fn project(row: &AnyRow) -> sqlx::Result<Project> {
    Ok(Project {
        id: ProjectId(row.try_get(0)?),
        name: row.try_get(1)?,
        title: row.try_get(2)?,
        created_ms: row.try_get(3)?,
    })
}
