//! Why a calibration cannot be made.

/// Error in the data or in the request.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CalibrateError {
    /// A file is not a table of comma-separated values.
    #[error("{name}: not a table of comma-separated values: {reason}")]
    Csv {
        /// The file.
        name: String,
        /// Message of the reader.
        reason: String,
    },
    /// A column that was asked for is not there.
    #[error("{name}: no column {column:?}; there are {}", found.join(", "))]
    NoColumn {
        /// The file.
        name: String,
        /// Requested column.
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
        /// Expected content.
        expected: &'static str,
        /// Content found.
        found: String,
    },
    /// A recording does not hold a parameter.
    #[error("{group}: no parameter {name:?} in the recording; there are {}", found.join(", "))]
    NoParameter {
        /// The recording.
        group: String,
        /// Requested parameter.
        name: String,
        /// Those that are there.
        found: Vec<String>,
    },
    /// A recording holds no measured power.
    #[error("{group}: no power measured by {target} in the recording; it holds {}", found.join(", "))]
    NoMeasurement {
        /// The recording.
        group: String,
        /// Requested source of measured power.
        target: String,
        /// Sources available in the recording.
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
    /// Invalid setting in the request.
    #[error("{what}: expected {expected}, found {found}")]
    Request {
        /// The setting.
        what: &'static str,
        /// Expected value.
        expected: String,
        /// Value given.
        found: String,
    },
    /// The numbers cannot be fitted.
    #[error(transparent)]
    Fit(#[from] wattle_fit::FitError),
}
