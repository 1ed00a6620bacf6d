//! The state of an app from which it is started.

use std::fmt;

/// The state from which an app is started, as Android tells them apart (`LaunchState` of `am start -W`, `TYPE_TRANSITION_*_LAUNCH`) and
/// Macrobenchmark names them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum StartMode {
    /// It has no process. It is ended before.
    #[default]
    Cold,
    /// It has a process, and its activity is made anew. It is started before, put into the background, and its task is cleared.
    Warm,
    /// Its activity comes back to the front. It is started before and put into the background.
    Hot,
}

impl StartMode {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Cold, Self::Warm, Self::Hot];

    /// Its name in options and in `recording.json`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Cold => "cold",
            Self::Warm => "warm",
            Self::Hot => "hot",
        }
    }

    /// The mode that `am` calls by this word; `None` for `UNKNOWN` and others.
    pub(crate) fn from_launch_state(word: &str) -> Option<Self> {
        let word = word.to_ascii_lowercase();
        Self::ALL.into_iter().find(|mode| mode.name() == word)
    }
}

impl fmt::Display for StartMode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
