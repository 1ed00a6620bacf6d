//! Flame graphs: call trees of a ledger merged over threads, and two of them side by side.

mod comparability;
mod compared;
mod component_tally;
mod cpu_time_diff;
mod diff_report;
mod energy_part;
mod flame_kind;
mod flame_options;
mod folded;
mod forest;
mod graph;
mod methods;
mod per;
mod prune;
mod renamed_methods;
mod steady_names;

pub use comparability::{Objection, ObjectionWeight, refusals};
pub use compared::Compared;
pub use cpu_time_diff::{CpuTimeDiff, CpuTimeRow};
pub use diff_report::{DIFF_SCHEMA, DiffReport, DiffRun, DiffTotalRow, Headline, MergedNodes};
pub use energy_part::EnergyPart;
pub use flame_kind::FlameKind;
pub use flame_options::{FlameBy, FlameOptions};
pub use folded::folded_diff;
pub use graph::{FlameComponent, FlameGraph, FlameNode, FlameRun};
pub use methods::{ChangedMethodRow, MethodRun, self_energies};
pub use per::{Per, PerError, PerUnit};
pub use renamed_methods::RenamedMethodRow;
pub use steady_names::{folded_process, folded_thread};
