//! Options of flame graphs.

use wattle_compare::Threshold;

/// Key by which call paths of several threads are merged.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum FlameBy {
    /// Process and thread names.
    #[default]
    Thread,
    /// Process names: all threads of a process are one.
    Process,
}

/// Options of a flame graph.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct FlameOptions {
    /// Key by which call paths of several threads are merged. Default is [`FlameBy::Thread`].
    pub by: FlameBy,
    /// Packages; processes of others become one node. Default is none: all processes.
    pub apps: Vec<String>,
    /// Differences that matter, where two ledgers are compared.
    pub threshold: Threshold,
}
