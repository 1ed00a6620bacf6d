//! The ends of stacks.

/// Stacks are at most so deep.
pub(super) const DEEPEST: usize = 1024;

/// The reason that a stack ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StackEnd {
    /// At the thread's first function.
    Complete,
    /// In a range whose file's unwind tables are not at hand, by its position.
    NoTables(usize),
    /// The copy ends, or the tables do not say more.
    Unknown,
}
