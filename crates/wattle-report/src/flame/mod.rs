//! Flame graphs: call trees of a ledger merged over threads, and two of them side by side.

mod comparability;
mod compared;
mod folded;
mod forest;
mod graph;
mod kind;
mod methods;
mod names;
mod options;
mod per;
mod prune;
mod report;
mod source;

pub use comparability::{Objection, ObjectionWeight};
pub use compared::{Change, ChangeVerdict, Compared};
pub use folded::folded_diff;
pub use graph::{FlameComponent, FlameGraph, FlameNode, FlameRun};
pub use kind::FlameKind;
pub use methods::{ChangedMethodRow, MethodRun};
pub use names::{folded_process, folded_thread};
pub use options::{FlameBy, FlameOptions};
pub use per::{Per, PerError, PerUnit};
pub use report::{DIFF_SCHEMA, DiffReport, DiffRun, DiffTotalRow, MergedNodes};
