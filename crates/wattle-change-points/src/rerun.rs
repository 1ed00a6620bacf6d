//! Further runs of commits that were measured before.

/// Runs of two commits, taken in turns so that both met the same conditions.
#[derive(Clone, PartialEq, Debug)]
pub struct Rerun {
    /// The earlier commit.
    pub before: u64,
    /// The later commit.
    pub after: u64,
    /// Value of the later commit less that of the earlier one, for each pair.
    pub differences: Vec<f64>,
}

/// The re-runs that would decide a suspicion.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RerunRequest {
    /// The earlier commit: the last that is surely before the suspected change.
    pub before: u64,
    /// The later commit: the newest.
    pub after: u64,
    /// Runs of each of the two.
    pub pairs: usize,
}
