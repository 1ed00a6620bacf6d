//! Results of undoing changes.

/// The result of undoing a change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum UndoOutcome {
    /// The earlier state is restored.
    Back,
    /// Somebody else has changed it in the meantime: this is what is there, and it stays.
    Changed(String),
}
