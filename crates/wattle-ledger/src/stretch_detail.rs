//! The detail of energies of call paths over time.

/// The most stretches of a ledger with [`StretchDetail::Bounded`]: some 30 MB in memory, and as much again in its file.
const MOST: usize = 1 << 20;

/// The detail in which a ledger says what call paths drew when.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum StretchDetail {
    /// It does not say it.
    #[default]
    None,
    /// About a million stretches at most: of longer recordings neighbouring stretches of a path are one, with its energy spread over the
    /// time between them.
    Bounded,
    /// Every stretch, however many there are.
    All,
}

impl StretchDetail {
    /// The most stretches of each of so many power tracks; `None` if none are kept.
    pub(crate) fn most_of_track(self, tracks: usize) -> Option<usize> {
        match self {
            Self::None => None,
            Self::Bounded => Some((MOST / tracks.max(1)).max(4096)),
            Self::All => Some(usize::MAX),
        }
    }
}
