//! The columns of a row.

use wattle_ledger::ComponentId;

/// A column.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ForestColumn {
    /// The name.
    Name,
    /// Energy with all below.
    Total,
    /// Energy of its own.
    Own,
    /// Part of everything.
    Share,
    /// Time on a CPU with all below.
    Cpu,
    /// Calls that were recorded.
    Calls,
    /// Samples with all below.
    Samples,
    /// Energy with all below through one component.
    Component(ComponentId),
}
