//! When the app should have done nothing.

use serde::{Deserialize, Serialize};
use wattle_timeline::Window;

/// Choice of the idle intervals.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum IdleChoice {
    /// Found in the recording: no input, no work in front. Where nothing tells, rules about idle time do not look.
    #[default]
    Find,
    /// All of the recording: it was made at idle, or active time is to be looked at.
    Whole,
    /// The user's word; times outside of the recording do not count.
    Given(Vec<Window>),
}

/// Whose word it is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum IdleSource {
    /// The user's.
    Given,
    /// Found by what the recording says of input and the screen.
    Found,
    /// The user's: all of the recording.
    Whole,
    /// Nobody's: nothing told, or it was never idle. Hot regions are those of all of the recording, rules about idle time do not look.
    #[default]
    Unknown,
}

/// The stretches of time that are looked at.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct IdleIntervals {
    /// Whose word they are.
    pub source: IdleSource,
    /// In order of time, none touching another.
    pub windows: Vec<Window>,
    /// Those parts of them in which rules about idle time look: nothing was loading, and no picture moved. All of them where they were
    /// given, none where they are not known.
    #[serde(default)]
    pub still: Vec<Window>,
    /// The way in which they were found, in a sentence.
    pub why: String,
}
