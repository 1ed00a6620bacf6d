//! Who makes a request.

use super::{ApiToken, LoginSession, Role, ShareLink, UserAccount};
use crate::base::UserId;

/// Who makes a request. [`Projects::role`](super::Projects::role) says what they may do.
#[derive(Clone, Debug)]
pub struct Caller {
    /// The user; `None` for a share link, and on a server without users.
    pub user: Option<UserAccount>,
    /// The proof.
    pub proof: CallerProof,
}

/// The proof of who makes a request.
#[derive(Clone, Debug)]
pub enum CallerProof {
    /// A cookie.
    Session(LoginSession),
    /// A token.
    Token(ApiToken),
    /// A share link, which shows one subject.
    Link(ShareLink),
    /// None is needed: the server has one user, who reaches it from the same machine.
    Local,
}

impl Caller {
    /// The one user of a server that only its own machine reaches.
    pub const fn local() -> Self {
        Self { user: None, proof: CallerProof::Local }
    }

    /// The user's number.
    pub fn user_id(&self) -> Option<UserId> {
        self.user.as_ref().map(|user| user.id)
    }

    /// The name for the audit log.
    pub fn name(&self) -> &str {
        match (&self.user, &self.proof) {
            (Some(user), _) => &user.name,
            (None, CallerProof::Link(_)) => "share link",
            (None, _) => "local user",
        }
    }

    /// Whether they may manage users, projects and quotas of the server.
    pub fn is_server_admin(&self) -> bool {
        let is_admin = self.user.as_ref().is_some_and(|user| user.is_admin);
        match &self.proof {
            CallerProof::Local => true,
            CallerProof::Session(_) => is_admin,
            // One for a project is not for the server.
            CallerProof::Token(token) => {
                is_admin && token.project.is_none() && token.scope.role() == Role::Admin
            }
            CallerProof::Link(_) => false,
        }
    }
}
