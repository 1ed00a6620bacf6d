//! API tokens.

use sqlx::Row as _;
use sqlx::any::AnyRow;

use super::Role;
use crate::base::{ProjectId, TokenId, UserId};

/// The most that a token allows. Its user's role binds too.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize,
)]
#[serde(rename_all = "lowercase")]
pub enum TokenScope {
    /// Reading.
    Read,
    /// Reading, uploading and submitting jobs.
    Upload,
    /// All that its user may do.
    Admin,
}

impl TokenScope {
    /// The highest role that it gives.
    pub const fn role(self) -> Role {
        match self {
            Self::Read => Role::Reader,
            Self::Upload => Role::Member,
            Self::Admin => Role::Admin,
        }
    }
}

/// An API token, without its secret.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct ApiToken {
    /// The number.
    pub id: TokenId,
    /// The user.
    pub user: UserId,
    /// The only project that it is for; `None` for all of its user's.
    pub project: Option<ProjectId>,
    /// The name that its user gave it.
    pub title: String,
    /// The most that it allows.
    pub scope: TokenScope,
    /// The time of creation, Unix milliseconds.
    pub created_ms: i64,
    /// The end of its life, Unix milliseconds; `None` for none.
    pub expires_ms: Option<i64>,
    /// The last use, Unix milliseconds, to the hour.
    pub used_ms: Option<i64>,
}

/// A token to be created.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewToken {
    /// The user.
    pub user: UserId,
    /// The only project that it is for; `None` for all of its user's.
    pub project: Option<ProjectId>,
    /// A name.
    pub title: String,
    /// The most that it allows.
    pub scope: TokenScope,
    /// The end of its life, Unix milliseconds; `None` for none.
    pub expires_ms: Option<i64>,
}

/// Columns of [`api_token`].
pub(crate) const TOKEN_COLUMNS: &str =
    "t.id, t.account, t.project, t.title, t.scope, t.created_ms, t.expires_ms, t.used_ms";

/// From the columns [`TOKEN_COLUMNS`].
pub(crate) fn api_token(row: &AnyRow) -> sqlx::Result<ApiToken> {
    Ok(ApiToken {
        id: TokenId(row.try_get(0)?),
        user: UserId(row.try_get(1)?),
        project: row.try_get::<Option<i64>, _>(2)?.map(ProjectId),
        title: row.try_get(3)?,
        scope: match row.try_get::<i64, _>(4)? {
            2 => TokenScope::Upload,
            3 => TokenScope::Admin,
            _ => TokenScope::Read,
        },
        created_ms: row.try_get(5)?,
        expires_ms: row.try_get(6)?,
        used_ms: row.try_get(7)?,
    })
}
