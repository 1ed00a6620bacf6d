//! Options of [`crate::judge`].

/// Scope and settings of a judgement.
#[derive(Debug, Clone)]
pub struct Options {
    /// Only this data set; all that are found when `None`.
    pub set: Option<String>,
    /// Seed of what looks random in models.
    pub seed: u64,
    /// Folds of rows in order of time, where there is one device only.
    pub folds: usize,
    /// Threads; 0 for as many as the machine has.
    pub threads: usize,
}

impl Default for Options {
    fn default() -> Self {
        Self { set: None, seed: 1, folds: 10, threads: 0 }
    }
}
