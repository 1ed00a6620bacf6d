//! The runs of a project.

/// The runs that an editor shows, as far as flags and configuration choose them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ProjectChoice {
    /// The app; the one of the latest run otherwise.
    pub app: Option<String>,
    /// The branch of the baseline; every branch otherwise.
    pub baseline_branch: Option<String>,
    /// The number of its latest runs that are compared with.
    pub baseline_runs: usize,
}
