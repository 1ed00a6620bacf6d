//! The audit log.

use sqlx::Row as _;
use sqlx::any::AnyRow;

use super::Caller;
use crate::base::{Connected, ProjectId, ServerCore, ServerError};

/// An entry of the audit log: who did what, when, and from where. It has no secrets.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct AuditEntry {
    /// The number; later ones are greater.
    pub number: i64,
    /// The time, Unix milliseconds.
    pub at_ms: i64,
    /// The user's name.
    pub actor: String,
    /// The action, such as `run.delete`.
    pub action: String,
    /// The project; `None` for the server as a whole.
    pub project: Option<ProjectId>,
    /// The thing it was done to.
    pub subject: String,
    /// The address.
    pub origin: String,
}

/// An entry to be added.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewAuditEntry<'a> {
    /// The user's name: [`Caller::name`].
    pub actor: &'a str,
    /// The action, such as `run.delete`.
    pub action: &'a str,
    /// The project; `None` for the server as a whole.
    pub project: Option<ProjectId>,
    /// The thing it was done to.
    pub subject: &'a str,
    /// The address.
    pub origin: &'a str,
}

impl<'a> NewAuditEntry<'a> {
    /// An action of a caller.
    pub fn new(caller: &'a Caller, action: &'a str, subject: &'a str, origin: &'a str) -> Self {
        Self { actor: caller.name(), action, project: None, subject, origin }
    }

    /// The same in a project.
    #[must_use]
    pub const fn in_project(self, project: ProjectId) -> Self {
        Self { project: Some(project), ..self }
    }
}

/// The entries that are asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AuditScope {
    /// All entries.
    All,
    /// Those of one project.
    Project(ProjectId),
    /// Those of one project, and those of no project: logins, users, tokens.
    ProjectAndServer(ProjectId),
}

/// The audit log of a server.
#[derive(Clone, Debug)]
pub struct AuditLog {
    core: ServerCore,
}

impl AuditLog {
    pub(crate) fn new(core: ServerCore) -> Self {
        Self { core }
    }

    /// Adds an entry. When this returns, it is on the disk.
    pub async fn add(&self, entry: &NewAuditEntry<'_>) -> Result<(), ServerError> {
        let mut write = self.core.write_from_reserve().await?;
        add(&mut write, self.core.now_ms(), entry).await?;
        write.commit().await
    }

    /// The newest entries before a number, newest first.
    pub async fn newest(
        &self,
        scope: AuditScope,
        before: Option<i64>,
        most: u32,
    ) -> Result<Vec<AuditEntry>, ServerError> {
        let text = "SELECT id, at_ms, actor, action, project, subject, origin FROM audit_entry \
            WHERE id < $1 AND ($2 = 0 OR project = $3 OR ($2 = 2 AND project IS NULL)) ORDER BY id DESC LIMIT $4";
        let (kind, project): (i64, i64) = match scope {
            AuditScope::All => (0, 0),
            AuditScope::Project(project) => (1, project.0),
            AuditScope::ProjectAndServer(project) => (2, project.0),
        };
        let query = sqlx::query(text)
            .bind(before.unwrap_or(i64::MAX))
            .bind(kind)
            .bind(project)
            .bind(i64::from(most));
        let rows = query.fetch_all(self.core.reader()).await?;
        Ok(rows.iter().map(entry_of_row).collect::<sqlx::Result<_>>()?)
    }

    /// Deletes entries from before a time, Unix milliseconds. Returns their number.
    pub async fn delete_before(&self, time_ms: i64) -> Result<u64, ServerError> {
        let mut write = self.core.write().await?;
        let delete = sqlx::query("DELETE FROM audit_entry WHERE at_ms < $1").bind(time_ms);
        let deleted = delete.execute(&mut *write).await?.rows_affected();
        write.commit().await?;
        Ok(deleted)
    }
}

/// Adds an entry within a transaction of what it is about.
pub(crate) async fn add(
    connection: &mut Connected,
    at_ms: i64,
    entry: &NewAuditEntry<'_>,
) -> Result<(), ServerError> {
    let text = "INSERT INTO audit_entry (at_ms, actor, action, project, subject, origin) VALUES ($1, $2, $3, $4, $5, $6)";
    let query = sqlx::query(text)
        .bind(at_ms)
        .bind(line(entry.actor))
        .bind(line(entry.action))
        .bind(entry.project.map(|project| project.0))
        .bind(line(entry.subject))
        .bind(line(entry.origin));
    query.execute(connection).await?;
    Ok(())
}

fn entry_of_row(row: &AnyRow) -> sqlx::Result<AuditEntry> {
    Ok(AuditEntry {
        number: row.try_get(0)?,
        at_ms: row.try_get(1)?,
        actor: row.try_get(2)?,
        action: row.try_get(3)?,
        project: row.try_get::<Option<i64>, _>(4)?.map(ProjectId),
        subject: row.try_get(5)?,
        origin: row.try_get(6)?,
    })
}

/// One short line: whoever writes into a log does not write further lines of it.
fn line(text: &str) -> String {
    text.chars().map(|it| if it.is_control() { ' ' } else { it }).take(300).collect()
}
