//! Errors of writing a report.

/// Why there is no report.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReportError {
    /// The summary does not fit into JSON.
    #[error("the report cannot be written as JSON: {0}")]
    Json(#[from] serde_json::Error),
    /// The output cannot be written.
    #[error("{0}")]
    Output(#[from] std::io::Error),
    /// A file of reference devices, of emissions or of a category cannot be used.
    #[error("{name}: {reason}")]
    Data {
        /// The file.
        name: String,
        /// The defect in it.
        reason: String,
    },
    /// The HTML file stays above its limit however much of the call tree is left out.
    #[error("the HTML report has {bytes} bytes without any call path, the limit is {limit}")]
    TooLarge {
        /// Its size.
        bytes: usize,
        /// [`crate::HTML_LIMIT`].
        limit: usize,
    },
}
