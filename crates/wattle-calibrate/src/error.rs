//! Why a calibration cannot be made.

/// What is wrong with the data or with what was asked.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CalibrateError {
    /// A file is not a table of comma-separated values.
    #[error("{name}: not a table of comma-separated values: {reason}")]
    Csv {
        /// The file.
        name: String,
        /// What the reader says.
        reason: String,
    },
    /// A column that was asked for is not there.
    #[error("{name}: no column {column:?}; there are {}", found.join(", "))]
    NoColumn {
        /// The file.
        name: String,
        /// What was asked for.
        column: String,
        /// Those that are there.
        found: Vec<String>,
    },
    /// A cell is not what its column needs.
    #[error("{name}, line {line}, column {column}: expected {expected}, found {found:?}")]
    Cell {
        /// The file.
        name: String,
        /// Line of the file, the first is 1.
        line: u64,
        /// The column.
        column: String,
        /// What is needed.
        expected: &'static str,
        /// What is there.
        found: String,
    },
    /// A recording does not hold a parameter.
    #[error("{group}: no parameter {name:?} in the recording; there are {}", found.join(", "))]
    NoParameter {
        /// The recording.
        group: String,
        /// What was asked for.
        name: String,
        /// Those that are there.
        found: Vec<String>,
    },
    /// A recording holds no measured power.
    #[error("{group}: no power measured by {target} in the recording; it holds {}", found.join(", "))]
    NoMeasurement {
        /// The recording.
        group: String,
        /// What was asked for.
        target: String,
        /// What there is.
        found: Vec<String>,
    },
    /// A recording holds no calls into the framework.
    #[error(
        "{group}: no calls into the framework in the recording; expected one with probes of \
         `wattle instrument --mode apis` and their map"
    )]
    NoCalls {
        /// The recording.
        group: String,
    },
    /// Calls and power are there, and no method's cost can be told from them.
    #[error("no method's cost can be told: {reason}")]
    NoCosts {
        /// Why.
        reason: String,
    },
    /// What is asked cannot be.
    #[error("{what}: expected {expected}, found {found}")]
    Request {
        /// The setting.
        what: &'static str,
        /// What it needs.
        expected: String,
        /// What was given.
        found: String,
    },
    /// The numbers cannot be fitted.
    #[error(transparent)]
    Fit(#[from] wattle_fit::FitError),
}
