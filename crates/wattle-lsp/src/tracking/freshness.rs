//! Whether a figure is of the code beside which it stands.

/// Whether a figure is of the code beside which it stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Freshness {
    /// The method's code is the code that ran, apart from blanks and comments.
    Current,
    /// The same code under another name or in another class of the file.
    Moved,
    /// The code changed since it ran.
    Changed,
    /// The code that ran is unknown: no commit was recorded, it is not in this repository, or files were changed and not committed.
    Unverified,
}

impl Freshness {
    /// The mark of hints; empty for [`Self::Current`].
    pub const fn mark(self) -> &'static str {
        match self {
            Self::Current => "",
            Self::Moved => "moved",
            Self::Changed => "stale",
            Self::Unverified => "unverified",
        }
    }

    /// A sentence for people; `None` for [`Self::Current`].
    pub const fn explanation(self) -> Option<&'static str> {
        match self {
            Self::Current => None,
            Self::Moved => {
                Some("The method was renamed or moved since the runs; its code is the same.")
            }
            Self::Changed => Some("Stale: the method's code changed since the runs."),
            Self::Unverified => {
                Some("Unverified: the code that ran is unknown, so it may differ from this one.")
            }
        }
    }
}
