//! The result of restoring a device.

use std::fmt;

/// The changes that were undone and those that were not.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Restoration {
    /// The number of changes that were undone, or found to be undone.
    pub put_back: usize,
    /// The changes that remain, newest first.
    pub left: Vec<LeftOver>,
}

/// Something that is not as it was before the run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeftOver {
    /// The change, as the recording calls it.
    pub what: String,
    /// The state before the change, for the user.
    pub before: Option<String>,
    /// Why it is not there again.
    pub reason: String,
    /// Somebody else has changed it since: it was left alone, and no later run will touch it.
    pub changed_by_others: bool,
    /// The commands by which a person puts it back.
    pub commands: Vec<String>,
}

impl Restoration {
    /// Whether nothing is left of the run that should not be.
    pub fn is_complete(&self) -> bool {
        self.left.iter().all(|left| left.changed_by_others)
    }
}

impl fmt::Display for LeftOver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.what, self.reason)?;
        if self.changed_by_others {
            return Ok(());
        }
        if let Some(before) = &self.before {
            write!(f, "; it was: {before}")?;
        }
        write!(f, "; to put it back: {}", self.commands.join(" && "))
    }
}
