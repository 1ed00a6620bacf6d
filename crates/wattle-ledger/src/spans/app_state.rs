//! Foreground and background: how important the system holds an app.

use serde::{Deserialize, Serialize};

/// The importance that the system gives to an app, the greatest of its processes. In the order of their importance.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum AppState {
    /// Part of the system, always running (`oom_score_adj` below 0).
    Persistent,
    /// In front: the user interacts with it (0 to 99).
    Foreground,
    /// Visible without being in front (100 to 199).
    Visible,
    /// Noticed by the user without being visible: foreground services, playback (200 to 299).
    Perceptible,
    /// In the background: services, jobs, the previous app, a launcher that is covered (300 to 899).
    Background,
    /// Kept in memory only to start faster (900 and more).
    Cached,
    /// The recording does not contain it.
    Unknown,
}

impl AppState {
    /// All of them.
    pub const ALL: [Self; 7] = [
        Self::Persistent,
        Self::Foreground,
        Self::Visible,
        Self::Perceptible,
        Self::Background,
        Self::Cached,
        Self::Unknown,
    ];

    /// By `oom_score_adj`, in the ranges of AOSP's `ProcessList` (Android 10 to 16).
    pub const fn from_oom_score(score: i32) -> Self {
        match score {
            ..=-1 => Self::Persistent,
            0..=99 => Self::Foreground,
            100..=199 => Self::Visible,
            200..=299 => Self::Perceptible,
            300..=899 => Self::Background,
            900.. => Self::Cached,
        }
    }

    /// The word in files and tables.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Persistent => "persistent",
            Self::Foreground => "foreground",
            Self::Visible => "visible",
            Self::Perceptible => "perceptible",
            Self::Background => "background",
            Self::Cached => "cached",
            Self::Unknown => "unknown",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::AppState;

    #[test]
    fn scores_of_process_list() {
        let cases = [
            (-1000, AppState::Persistent),
            (-700, AppState::Persistent),
            (0, AppState::Foreground),
            (50, AppState::Foreground),
            (100, AppState::Visible),
            (200, AppState::Perceptible),
            (250, AppState::Perceptible),
            (500, AppState::Background),
            (700, AppState::Background),
            (900, AppState::Cached),
            (1001, AppState::Cached),
        ];
        for (score, state) in cases {
            assert_eq!(AppState::from_oom_score(score), state, "{score}");
        }
    }
}
