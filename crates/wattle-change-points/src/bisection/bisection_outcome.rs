//! Steps and results of a bisection.

/// The next step of a bisection.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum BisectionStep {
    /// Run this commit so many times.
    Run {
        /// Number of the commit.
        commit: usize,
        /// Runs of it.
        repeats: usize,
    },
    /// The search is over.
    Done(BisectionOutcome),
}

/// The result of a bisection.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum BisectionOutcome {
    /// The change came with a commit after `last_good`, up to and including `first_bad`: one commit, unless those between
    /// cannot be run.
    Found {
        /// The last commit without the change.
        last_good: usize,
        /// The first commit with the change that can be run.
        first_bad: usize,
        /// Probability of this.
        confidence: f64,
        /// The change: bad less good.
        size: f64,
        /// Runs that it took.
        runs: usize,
    },
    /// The ends do not differ, as far as so many runs can tell.
    NoDifference {
        /// Runs that it took.
        runs: usize,
    },
    /// The limit of runs was reached; the change is most likely in this range.
    Undecided {
        /// The last commit that is likely good.
        last_good: usize,
        /// The first commit that is likely bad.
        first_bad: usize,
        /// Probability that the change is between them.
        confidence: f64,
        /// Runs that it took.
        runs: usize,
    },
}
