//! The runs that a growth is measured against.

use serde::Deserialize;

/// The runs that a growth is measured against: the latest of a branch. One run is no baseline: how far runs lie apart is unknown
/// then.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct BaselineChoice {
    /// The branch; absent for runs of every branch.
    pub branch: Option<String>,
    /// The number of its latest runs. Default is 10.
    pub last: usize,
}

impl Default for BaselineChoice {
    fn default() -> Self {
        Self { branch: None, last: 10 }
    }
}
