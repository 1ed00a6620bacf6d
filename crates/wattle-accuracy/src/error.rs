/// Why a data set cannot be judged.
#[derive(Debug, thiserror::Error)]
pub enum AccuracyError {
    /// A file or folder cannot be read.
    #[error("{path}: {source}")]
    Read {
        /// Path of the file or folder.
        path: String,
        /// Error of the system.
        source: std::io::Error,
    },
    /// A table inside a data set is broken.
    #[error("{file}: expected comma-separated values with a header: {reason}")]
    Table {
        /// Which file.
        file: String,
        /// Problem found.
        reason: String,
    },
    /// Nothing of what was pointed at is a known data set.
    #[error(
        "no known data set in {looked_at}: expected AndroWatts (androwatts.csv), freqbench (freqbench.csv, or results.csv in a folder or .tar.gz), or results of Android Runner with a Monsoon meter and batterystats (.tar.gz or folder), or traces with power rails (.perfetto-trace, .pftrace)"
    )]
    NothingKnown {
        /// The files and folders.
        looked_at: String,
    },
    /// A set's name is not among those found.
    #[error("--set {wanted}: expected one of {found}")]
    NoSuchSet {
        /// Requested data set.
        wanted: String,
        /// Data sets found.
        found: String,
    },
    /// A set is too small, or numbers cannot be fitted.
    #[error("{set}: {source}")]
    Fit {
        /// The data set.
        set: String,
        /// Why.
        source: wattle_fit::FitError,
    },
}
