//! Verdicts on commands.

use serde::Deserialize;

/// The outcome of a command on a phone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// It does what Wattle needs.
    Works,
    /// It does so under a condition that the statement names.
    Depends,
    /// It succeeds and says nothing of use.
    Empty,
    /// It is there and not allowed to the shell user.
    Refused,
    /// The program, the service, the option or the file does not exist.
    Absent,
}

impl Verdict {
    /// The word for it in the matrix.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Works => "yes",
            Self::Depends => "if",
            Self::Empty => "empty",
            Self::Refused => "no",
            Self::Absent => "absent",
        }
    }
}
