//! The form in which content is kept.

/// The form in which new content is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Compression {
    /// As the entry that is replaced was kept; a new entry is deflated.
    #[default]
    AsBefore,
    /// As it is.
    Stored,
    /// Deflated at [`DEFAULT_LEVEL`](Self::DEFAULT_LEVEL).
    Deflated,
    /// Deflated at a level from 1 (fast) to 9 (small).
    Level(u8),
}

impl Compression {
    /// The level of [`Compression::Deflated`]. Traced packages are installed once and thrown away, so time counts more than size.
    pub const DEFAULT_LEVEL: u8 = 1;

    pub(super) fn level(self) -> u8 {
        match self {
            Self::Level(level) => level.clamp(1, 9),
            _ => Self::DEFAULT_LEVEL,
        }
    }
}
