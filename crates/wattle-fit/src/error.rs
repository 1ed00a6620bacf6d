/// Why numbers cannot be fitted.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum FitError {
    /// A row has another number of values than the design has columns.
    #[error("row {row}: expected {expected} values, one for each column, found {found}")]
    Width {
        /// Index of the row.
        row: usize,
        /// Columns of the design.
        expected: usize,
        /// Values of the row.
        found: usize,
    },
    /// Two lists that belong together differ in length.
    #[error("expected {expected} {what}, one for each row, found {found}")]
    Length {
        /// Kind of items in the list.
        what: &'static str,
        /// Rows of the design.
        expected: usize,
        /// Length of the list.
        found: usize,
    },
    /// A value is not a finite number where one is needed.
    #[error("{what}, row {row}: expected a finite number, found {found}")]
    NotFinite {
        /// The column, or what the value is.
        what: String,
        /// Index of the row.
        row: usize,
        /// Value found.
        found: f64,
    },
    /// Fewer rows than the fit needs.
    #[error(
        "{what} needs at least {needed} rows, found {found}: record more runs or fit fewer parameters"
    )]
    TooFew {
        /// Model that was to be fitted.
        what: &'static str,
        /// Rows it needs.
        needed: usize,
        /// Rows there are.
        found: usize,
    },
    /// A column is a combination of those before it, so that no separate coefficient exists.
    #[error(
        "column {column} is constant or a combination of the other columns: leave it out, join them, or ask for ridge"
    )]
    Collinear {
        /// Name of the column.
        column: String,
    },
    /// An iteration did not settle.
    #[error("{what} did not settle after {iterations} iterations")]
    Unsettled {
        /// The method.
        what: &'static str,
        /// Number of iterations made.
        iterations: usize,
    },
    /// A setting is outside what makes sense.
    #[error("{what}: expected {expected}, found {found}")]
    Setting {
        /// The setting.
        what: &'static str,
        /// Its range, in words.
        expected: &'static str,
        /// Value given.
        found: f64,
    },
}
