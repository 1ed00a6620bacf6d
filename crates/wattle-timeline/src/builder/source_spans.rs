//! When the sources that a device has once were recorded.

use crate::Window;

/// From the first to the last event of each source that a device has only once: two files that have it at the same time are of two
/// recordings, or one is a copy of the other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SourceSpans {
    /// Switches between threads, of all CPUs.
    pub scheduler: Option<Window>,
    /// Samples of power rails.
    pub rails: Option<Window>,
}
