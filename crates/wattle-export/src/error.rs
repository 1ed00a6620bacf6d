//! Errors of an export.

/// Why an export failed.
#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    /// The output cannot be written.
    #[error("the output cannot be written: {0}")]
    Io(#[from] std::io::Error),
    /// JSON cannot be written.
    #[error("JSON cannot be written: {0}")]
    Json(#[from] serde_json::Error),
    /// A CSV table cannot be written.
    #[error("the CSV table cannot be written: {0}")]
    Csv(#[from] csv::Error),
    /// A Parquet table cannot be written.
    #[error("the Parquet table cannot be written: {0}")]
    Parquet(#[from] parquet::errors::ParquetError),
    /// An archive of tables cannot be written.
    #[error("the archive cannot be written: {0}")]
    Zip(#[from] zip::result::ZipError),
    /// A format that holds one table was not told which.
    #[error("{format} holds one table: expected --table, one of {tables}")]
    NoTable {
        /// The format's name.
        format: &'static str,
        /// The names of the tables.
        tables: String,
    },
    /// A part of a ledger is no ledger.
    #[error("json is the whole ledger, of which a part does not close: expected no filter, or csv")]
    PartOfLedger,
}
