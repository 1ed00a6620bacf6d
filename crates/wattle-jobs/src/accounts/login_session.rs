//! A session of a browser.

use super::UserAccount;
use crate::base::Secret;

/// A session of a browser.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoginSession {
    /// The value that forms send back, so that no other site can send them.
    pub csrf: String,
    /// The time of the login, Unix milliseconds.
    pub created_ms: i64,
    /// The end of the session, Unix milliseconds.
    pub expires_ms: i64,
    /// The address of the login.
    pub origin: String,
}

/// A session that was just begun.
#[derive(Clone, Debug)]
pub struct NewSession {
    /// The secret for the cookie. It is nowhere else.
    pub secret: Secret,
    /// The user.
    pub user: UserAccount,
    /// The session.
    pub session: LoginSession,
}
