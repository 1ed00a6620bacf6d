//! Share links.

use sqlx::Row as _;
use sqlx::any::AnyRow;
use wattle_store::RunId;

use crate::base::{LinkId, ProjectId, UserId};

/// The subject of a share link, and all that it shows.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum ShareSubject {
    /// One run.
    Run {
        /// Its number.
        run: i64,
    },
    /// The badge of one run: its energy as a picture, and nothing else of it.
    Badge {
        /// Its number.
        run: i64,
    },
    /// A comparison of runs.
    Comparison {
        /// Their numbers.
        runs: Vec<i64>,
    },
}

/// A share link, without its secret.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct ShareLink {
    /// The number.
    pub id: LinkId,
    /// The project.
    pub project: ProjectId,
    /// The user who made it.
    pub author: Option<UserId>,
    /// The subject.
    pub subject: ShareSubject,
    /// The time of creation, Unix milliseconds.
    pub created_ms: i64,
    /// The end of its life, Unix milliseconds; `None` for none.
    pub expires_ms: Option<i64>,
}

/// A link to be created.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewLink {
    /// The project.
    pub project: ProjectId,
    /// The user who makes it.
    pub author: Option<UserId>,
    /// The subject.
    pub subject: ShareSubject,
    /// The end of its life, Unix milliseconds; `None` for none.
    pub expires_ms: Option<i64>,
}

impl ShareLink {
    /// Whether it shows a run of a project.
    pub fn shows(&self, project: ProjectId, run: RunId) -> bool {
        self.project == project
            && match &self.subject {
                ShareSubject::Run { run: shown } => *shown == run.0,
                ShareSubject::Badge { .. } => false,
                ShareSubject::Comparison { runs } => runs.contains(&run.0),
            }
    }
}

/// Columns of [`share_link`].
pub(crate) const LINK_COLUMNS: &str = "id, project, author, subject, created_ms, expires_ms";

/// From the columns [`LINK_COLUMNS`].
pub(crate) fn share_link(row: &AnyRow) -> sqlx::Result<ShareLink> {
    let subject: String = row.try_get(3)?;
    let subject =
        serde_json::from_str(&subject).map_err(|error| sqlx::Error::Decode(error.into()))?;
    Ok(ShareLink {
        id: LinkId(row.try_get(0)?),
        project: ProjectId(row.try_get(1)?),
        author: row.try_get::<Option<i64>, _>(2)?.map(UserId),
        subject,
        created_ms: row.try_get(4)?,
        expires_ms: row.try_get(5)?,
    })
}
