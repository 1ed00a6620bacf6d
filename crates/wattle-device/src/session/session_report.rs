//! The result of a session.

use std::path::PathBuf;

use wattle_recording::{Outcome, Recording};

/// A session that came to its end.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct SessionReport {
    /// The folder of the recording.
    pub folder: PathBuf,
    /// Its description.
    pub recording: Recording,
    /// The worst outcome of all runs.
    pub outcome: Outcome,
    /// Runs that were made now.
    pub made: u32,
    /// Runs that were there already.
    pub kept: u32,
}

impl SessionReport {
    /// The worse of two outcomes: a comparison is only as good as its worst run.
    pub(super) const fn worse(a: Outcome, b: Outcome) -> Outcome {
        const fn rank(outcome: Outcome) -> u8 {
            match outcome {
                Outcome::Passed => 0,
                Outcome::Skipped => 1,
                Outcome::Interrupted => 2,
                Outcome::Failed => 3,
                Outcome::Crashed => 4,
            }
        }
        if rank(a) >= rank(b) { a } else { b }
    }
}
