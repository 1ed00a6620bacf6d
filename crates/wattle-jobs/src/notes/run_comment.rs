//! Comments on runs.

use sqlx::Row as _;
use sqlx::any::AnyRow;
use wattle_store::RunId;

use crate::base::{CommentId, ProjectId, ServerCore, ServerError, UserId, is_hidden};

/// Characters of a comment, and of its selection.
const MOST: usize = 10_000;

/// Comments on one run: all of them are on its page.
const MOST_OF_RUN: i64 = 500;

fn is_too_long(text: &str) -> bool {
    text.chars().nth(MOST).is_some()
}

/// A comment on a run, or on a selection of its report.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct RunComment {
    /// The number.
    pub id: CommentId,
    /// The run.
    pub run: i64,
    /// The user.
    pub author: Option<UserId>,
    /// The user's name, to be shown.
    pub author_title: Option<String>,
    /// The selection, as the URL of the page has it; empty for the whole run.
    pub selection: String,
    /// The text. It is no HTML.
    pub content: String,
    /// The time, Unix milliseconds.
    pub at_ms: i64,
}

/// A comment to be added.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewComment {
    /// The project.
    pub project: ProjectId,
    /// The run.
    pub run: RunId,
    /// The user.
    pub author: Option<UserId>,
    /// The selection; empty for the whole run.
    pub selection: String,
    /// The text.
    pub content: String,
}

/// Comments on the runs of projects.
#[derive(Clone, Debug)]
pub struct RunComments {
    core: ServerCore,
}

impl RunComments {
    pub(crate) fn new(core: ServerCore) -> Self {
        Self { core }
    }

    /// Adds a comment. Whether the run exists is the caller's to check.
    pub async fn add(&self, new: &NewComment) -> Result<CommentId, ServerError> {
        let content = new.content.trim();
        if content.is_empty() || is_too_long(content) || is_too_long(&new.selection) {
            let reason =
                format!("expected 1 to {MOST} characters, and as many of a selection at most");
            return Err(ServerError::invalid("comment", reason));
        }
        // Lines stay; what reorders or hides others goes, and texts of PostgreSQL have no zeros.
        let is_kept = |it: &char| matches!(it, '\n' | '\r' | '\t') || !is_hidden(*it);
        let content: String = content.chars().filter(is_kept).collect();
        let mut write = self.core.write().await?;
        let count = "SELECT COUNT(*) FROM run_comment WHERE project = $1 AND run = $2";
        let count = sqlx::query(count).bind(new.project.0).bind(new.run.0);
        if count.fetch_one(&mut *write).await?.try_get::<i64, _>(0)? >= MOST_OF_RUN {
            let reason = format!("this run has {MOST_OF_RUN} comments already, which is the most");
            return Err(ServerError::invalid("comment", reason));
        }
        let text = "INSERT INTO run_comment (project, run, author, selection, content, at_ms) VALUES ($1, $2, $3, $4, $5, $6) \
            RETURNING id";
        let query = sqlx::query(text)
            .bind(new.project.0)
            .bind(new.run.0)
            .bind(new.author.map(|author| author.0))
            .bind(new.selection.replace('\0', ""))
            .bind(content)
            .bind(self.core.now_ms());
        let id = CommentId(query.fetch_one(&mut *write).await?.try_get(0)?);
        write.commit().await?;
        Ok(id)
    }

    /// The comments on a run, oldest first.
    pub async fn of_run(
        &self,
        project: ProjectId,
        run: RunId,
    ) -> Result<Vec<RunComment>, ServerError> {
        let text = "SELECT c.id, c.run, c.author, a.title, c.selection, c.content, c.at_ms FROM run_comment c \
            LEFT JOIN user_account a ON a.id = c.author WHERE c.project = $1 AND c.run = $2 ORDER BY c.id";
        let query = sqlx::query(text).bind(project.0).bind(run.0);
        let rows = query.fetch_all(self.core.reader()).await?;
        let comment = |row: &AnyRow| -> sqlx::Result<RunComment> {
            Ok(RunComment {
                id: CommentId(row.try_get(0)?),
                run: row.try_get(1)?,
                author: row.try_get::<Option<i64>, _>(2)?.map(UserId),
                author_title: row.try_get(3)?,
                selection: row.try_get(4)?,
                content: row.try_get(5)?,
                at_ms: row.try_get(6)?,
            })
        };
        Ok(rows.iter().map(comment).collect::<sqlx::Result<_>>()?)
    }

    /// Deletes a comment; with an author only if it is theirs.
    pub async fn delete(
        &self,
        project: ProjectId,
        id: CommentId,
        author: Option<UserId>,
    ) -> Result<(), ServerError> {
        let mut write = self.core.write_from_reserve().await?;
        let text =
            "DELETE FROM run_comment WHERE id = $1 AND project = $2 AND ($3 < 0 OR author = $3)";
        let query = sqlx::query(text).bind(id.0).bind(project.0);
        let query = query.bind(author.map_or(-1, |author| author.0));
        if query.execute(&mut *write).await?.rows_affected() == 0 {
            return Err(ServerError::NotFound("comment"));
        }
        write.commit().await
    }
}
