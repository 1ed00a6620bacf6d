//! Errors of a simulation.

/// Why a simulation could not be made or written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SimError {
    /// The phone cannot exist.
    #[error("phone: expected {expected}, found {found}")]
    Phone {
        /// Expected value.
        expected: &'static str,
        /// Value found.
        found: String,
    },
    /// The workload cannot run on the phone.
    #[error("workload: {place}: expected {expected}, found {found}")]
    Workload {
        /// The thread, interrupt or event.
        place: String,
        /// Expected value.
        expected: &'static str,
        /// Value found.
        found: String,
    },
    /// An effect is unknown or out of its range.
    #[error("effects: expected {expected}, found {found}")]
    Effect {
        /// Expected value.
        expected: String,
        /// Value found.
        found: String,
    },
    /// A trace is not one.
    #[error("trace: {0}")]
    Trace(String),
    /// The trace could not be written.
    #[error("the trace cannot be written: {0}")]
    Write(#[from] std::io::Error),
}
