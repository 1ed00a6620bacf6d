//! Errors of tools.

/// An error that an agent can act on: what was expected, what was found, what to do.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct ToolError {
    message: String,
}

/// The most characters of an error.
const LONGEST: usize = 1500;

impl ToolError {
    /// An error with a message.
    pub fn new(message: impl AsRef<str>) -> Self {
        Self { message: super::clip(message.as_ref(), LONGEST) }
    }

    /// The end of a request that the client cancelled.
    pub fn cancelled() -> Self {
        Self::new("cancelled; nothing was kept of it")
    }
}
