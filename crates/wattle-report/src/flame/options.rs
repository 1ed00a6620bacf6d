//! What call trees are merged by.

/// What call paths of several threads are merged by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum FlameBy {
    /// Process and thread names.
    #[default]
    Thread,
    /// Process names: all threads of a process are one.
    Process,
}

/// What a flame graph shows.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct FlameOptions {
    /// What call paths of several threads are merged by. Default is [`FlameBy::Thread`].
    pub by: FlameBy,
    /// Packages; processes of others become one node. Default is none: all processes.
    pub apps: Vec<String>,
}
