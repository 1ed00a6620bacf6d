//! Kinds of nodes of a flame graph.

use serde::Serialize;

/// Words of [`FlameKind`] in JSON.
pub(super) const KINDS: &[&str] =
    &["root", "process", "thread", "call", "account", "other-processes", "rest"];

/// Kind of a node of a flame graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum FlameKind {
    /// Everything.
    Root,
    /// All processes of one name.
    Process,
    /// All threads of one name in those.
    Thread,
    /// A call, or a frame of sampled stacks.
    Call,
    /// Energy of no thread: interrupts, idle floor …, and below it the handler, the app, the component.
    Account,
    /// The processes of apps that were not asked for.
    OtherProcesses,
    /// Nodes below its parent that were left out because they are small.
    Rest,
}
