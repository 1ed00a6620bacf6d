//! The judgement of the newest commit.

use crate::change_point::ChangePoint;
use crate::flaky_cause::FlakyCause;
use crate::rerun::RerunRequest;

/// The judgement of the newest commit.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Verdict {
    /// A change was found with this commit.
    Changed(ChangePoint),
    /// There may be a change, which more commits or these re-runs would confirm.
    Suspected {
        /// The change as it looks now; its confirmation is [`Waiting`](crate::Confirmation::Waiting).
        change: ChangePoint,
        /// Re-runs that would decide it at once.
        request: RerunRequest,
    },
    /// The commit lies in the noise band.
    Flat,
    /// The commit lies outside the noise band as others did before without a lasting change, or the band is too wide to judge by.
    Flaky(FlakyCause),
    /// The commit lies outside the noise band, alone or with those just before it, as nothing did before: more runs of it, or the next
    /// commits, will tell.
    Outside,
    /// So many more commits are needed before one can be judged.
    TooFewCommits(usize),
    /// The commit has no usable run.
    NoRuns,
}
