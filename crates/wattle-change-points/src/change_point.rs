//! Changes that were found.

/// Commits between which a change happened.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CommitRange {
    /// The last commit that is surely (95 %) before the change.
    pub last_good: u64,
    /// The likeliest first commit with the change.
    pub first_bad: u64,
    /// The first commit that surely (95 %) has the change.
    pub surely_bad: u64,
}

/// Size of a change, in the metric's unit.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct StepSize {
    /// Best estimate: after less before.
    pub estimate: f64,
    /// 90 % interval.
    pub low: f64,
    /// 90 % interval.
    pub high: f64,
    /// Level before the change.
    pub before: f64,
}

impl StepSize {
    /// The change as a share of the level before; `None` where that is 0.
    pub fn relative(&self) -> Option<f64> {
        (self.before != 0.0).then(|| self.estimate / self.before.abs())
    }
}

/// Whether the metric went up or down.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Direction {
    /// The metric became greater.
    Up,
    /// The metric became smaller.
    Down,
}

/// The evidence by which a change became certain.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Confirmation {
    /// Commits after the change.
    FollowingCommits,
    /// Further runs of commits on both sides.
    Reruns,
    /// None yet.
    Waiting,
}

/// A lasting change of a metric's level.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct ChangePoint {
    /// Commits between which it happened.
    pub range: CommitRange,
    /// Its size when it was found.
    pub size: StepSize,
    /// Probability that there is a change, if one metric in 1,000 changes at a commit.
    pub confidence: f64,
    /// The evidence by which it became certain.
    pub confirmation: Confirmation,
    /// The newest commit when it was found.
    pub found_at: u64,
}

impl ChangePoint {
    /// Whether the metric went up or down.
    pub fn direction(&self) -> Direction {
        if self.size.estimate >= 0.0 { Direction::Up } else { Direction::Down }
    }
}
