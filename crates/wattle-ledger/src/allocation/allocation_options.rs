//! Choices of allocation.

use wattle_units::Nanos;

use super::NamePattern;

/// Choices of [`super::allocate`].
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct AllocationOptions {
    /// Names of the low-level calls. Default is none: then everything is unattributed.
    pub calls: Vec<NamePattern>,
    /// Longest time since a call ended for it to be given the rise of an interval without a call.
    /// Default is 0: to nobody, except to calls too short to have a length.
    pub tail: Nanos,
}

impl AllocationOptions {
    /// With these low-level calls, no tail.
    pub fn new(calls: impl IntoIterator<Item = NamePattern>) -> Self {
        Self { calls: calls.into_iter().collect(), ..Self::default() }
    }
}
