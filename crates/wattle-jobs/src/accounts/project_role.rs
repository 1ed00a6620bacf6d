//! The role of a user in a project.

/// The role of a user in a project. A higher one includes those below it.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize,
)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// Sees runs, jobs and files.
    Reader,
    /// Uploads files, submits and cancels jobs, names runs, comments, shares.
    Member,
    /// Deletes runs and files, and manages members.
    Admin,
}

impl Role {
    /// The word that names it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Reader => "reader",
            Self::Member => "member",
            Self::Admin => "admin",
        }
    }

    pub(crate) const fn number(self) -> i64 {
        match self {
            Self::Reader => 1,
            Self::Member => 2,
            Self::Admin => 3,
        }
    }

    /// Numbers of later versions are the least.
    pub(crate) const fn from_number(number: i64) -> Self {
        match number {
            2 => Self::Member,
            3 => Self::Admin,
            _ => Self::Reader,
        }
    }
}
