//! A user of a server.

use sqlx::Row as _;
use sqlx::any::AnyRow;

use super::Password;
use crate::base::{ServerError, UserId};

/// A user of a server.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct UserAccount {
    /// The number.
    pub id: UserId,
    /// The name for logging in.
    pub name: String,
    /// The name that others see.
    pub title: String,
    /// Whether the user may manage the server, and has the role of an admin in every project.
    pub is_admin: bool,
    /// Whether the user may not log in, and sessions and tokens are refused.
    pub is_disabled: bool,
    /// Whether the user has a password; others are vouched for by another system.
    pub has_password: bool,
    /// The time of creation, Unix milliseconds.
    pub created_ms: i64,
}

/// A user to be created.
#[derive(Clone, Debug)]
pub struct NewUser {
    /// The name for logging in: letters, digits and `. _ @ -`, 64 at most. It is compared in lower case.
    pub name: String,
    /// The name that others see; empty for the other one.
    pub title: String,
    /// The password; `None` where another system vouches for the user.
    pub password: Option<Password>,
    /// Whether the user may manage the server.
    pub is_admin: bool,
}

/// Columns of [`user_account`].
pub(crate) const USER_COLUMNS: &str =
    "a.id, a.name, a.title, a.is_admin, a.is_disabled, a.password, a.created_ms";

/// From the columns [`USER_COLUMNS`].
pub(crate) fn user_account(row: &AnyRow) -> sqlx::Result<UserAccount> {
    Ok(UserAccount {
        id: UserId(row.try_get(0)?),
        name: row.try_get(1)?,
        title: row.try_get(2)?,
        is_admin: row.try_get::<i64, _>(3)? != 0,
        is_disabled: row.try_get::<i64, _>(4)? != 0,
        has_password: row.try_get::<Option<String>, _>(5)?.is_some(),
        created_ms: row.try_get(6)?,
    })
}

/// The name as it is stored: in lower case.
pub(crate) fn stored_name(what: &'static str, name: &str) -> Result<String, ServerError> {
    let is_name = |it: char| it.is_ascii_alphanumeric() || ".-_@".contains(it);
    if name.is_empty() || name.len() > 64 || !name.chars().all(is_name) || name.starts_with('.') {
        let reason =
            "expected 1 to 64 letters, digits, and . - _ @, without a dot at the beginning";
        return Err(ServerError::invalid(what, reason));
    }
    Ok(name.to_ascii_lowercase())
}

/// A title as it is stored: without control characters, 200 characters at most.
pub(crate) fn stored_title(title: &str) -> String {
    title.chars().filter(|it| !it.is_control()).take(200).collect::<String>().trim().to_owned()
}
