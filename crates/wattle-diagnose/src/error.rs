//! Why nothing could be diagnosed.

/// An error of a diagnosis.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DiagnoseError {
    /// No process of the recording is of the name or number that was asked for.
    #[error("no process {asked:?} in the recording; it has {known}")]
    NoSuchProcess {
        /// The requested name or number.
        asked: String,
        /// Those that it has, the busiest first, cut to a readable number.
        known: String,
    },
    /// An option is outside of what makes sense.
    #[error("{option}: expected {expected}, found {found}")]
    BadOption {
        /// Its name as a flag.
        option: &'static str,
        /// The expected value.
        expected: &'static str,
        /// The given value.
        found: String,
    },
    /// No rule has that name.
    #[error("no rule {asked:?}; there are {known}")]
    NoSuchRule {
        /// The requested name.
        asked: String,
        /// Those that there are.
        known: String,
    },
}
