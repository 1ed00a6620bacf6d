//! The share links of projects.

use sqlx::{AssertSqlSafe, Row as _};

use super::share_link::{LINK_COLUMNS, share_link};
use super::{Caller, CallerProof, NewLink, ShareLink, ShareSubject};
use crate::base::{LinkId, ProjectId, Secret, SecretKind, ServerCore, ServerError};

/// Runs of one comparison.
const MOST_RUNS: usize = 64;

/// The share links of projects.
#[derive(Clone, Debug)]
pub struct ShareLinks {
    core: ServerCore,
}

impl ShareLinks {
    pub(crate) fn new(core: ServerCore) -> Self {
        Self { core }
    }

    /// Creates a link. The secret is shown this once. Whether the runs exist is the caller's to check.
    pub async fn create(&self, new: &NewLink) -> Result<(Secret, ShareLink), ServerError> {
        if let ShareSubject::Comparison { runs } = &new.subject
            && !(1..=MOST_RUNS).contains(&runs.len())
        {
            let reason = format!("expected 1 to {MOST_RUNS} runs, found {}", runs.len());
            return Err(ServerError::invalid("share link", reason));
        }
        let secret = Secret::random(SecretKind::Link)?;
        let subject = serde_json::to_string(&new.subject).unwrap_or_default();
        let text = "INSERT INTO share_link (secret, project, author, subject, created_ms, expires_ms) \
            VALUES ($1, $2, $3, $4, $5, $6) RETURNING id";
        let created_ms = self.core.now_ms();
        let query = sqlx::query(text)
            .bind(secret.hash().as_str().to_owned())
            .bind(new.project.0)
            .bind(new.author.map(|author| author.0))
            .bind(subject)
            .bind(created_ms)
            .bind(new.expires_ms);
        let mut write = self.core.write().await?;
        let id = LinkId(query.fetch_one(&mut *write).await?.try_get(0)?);
        write.commit().await?;
        let NewLink { project, author, subject, expires_ms } = new.clone();
        Ok((secret, ShareLink { id, project, author, subject, created_ms, expires_ms }))
    }

    /// The links of a project.
    pub async fn all(&self, project: ProjectId) -> Result<Vec<ShareLink>, ServerError> {
        let text = format!("SELECT {LINK_COLUMNS} FROM share_link WHERE project = $1 ORDER BY id");
        let rows = sqlx::query(AssertSqlSafe(text)).bind(project.0);
        let rows = rows.fetch_all(self.core.reader()).await?;
        Ok(rows.iter().map(share_link).collect::<sqlx::Result<_>>()?)
    }

    /// Deletes a link of a project.
    pub async fn delete(&self, project: ProjectId, link: LinkId) -> Result<(), ServerError> {
        let mut write = self.core.write_from_reserve().await?;
        let delete = sqlx::query("DELETE FROM share_link WHERE id = $1 AND project = $2");
        let deleted = delete.bind(link.0).bind(project.0).execute(&mut *write).await?;
        if deleted.rows_affected() == 0 {
            return Err(ServerError::NotFound("share link"));
        }
        write.commit().await
    }

    /// Who comes by a link; `None` if there is none, or no longer.
    pub async fn caller(&self, secret: &Secret) -> Result<Option<Caller>, ServerError> {
        let text = format!(
            "SELECT {LINK_COLUMNS} FROM share_link WHERE secret = $1 AND (expires_ms IS NULL OR expires_ms > $2)"
        );
        let query = sqlx::query(AssertSqlSafe(text)).bind(secret.hash().as_str().to_owned());
        let row = query.bind(self.core.now_ms()).fetch_optional(self.core.reader()).await?;
        let Some(row) = row else { return Ok(None) };
        Ok(Some(Caller { user: None, proof: CallerProof::Link(share_link(&row)?) }))
    }
}
