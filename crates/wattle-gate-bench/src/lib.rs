//! A benchmark of gates: simulated series of runs with known truth, the rules of other gates, and scores of all of them.
//!
//! ```text
//! SimulatedSuite (runs of 50 metrics, commit by commit) ──► GateTool, each of them ──► GateReport ──► KindScore ──► table
//! ```
//!
//! The generators work run by run and in time: conditions drift, heat up and are disturbed while commits are measured. They
//! know nothing of the detector in `wattle-change-points`, and share no model with it.

mod gate_report;
mod gate_run;
mod gate_tool;
mod kind_score;
mod noise_process;
mod otava_process;
mod point_rules;
mod score_table;
mod series_kind;
mod simulated_suite;

pub use gate_report::{Alarm, GateReport};
pub use gate_run::{GateRun, GateScores, SuiteCounts};
pub use gate_tool::{GateTool, ToolName};
pub use kind_score::KindScore;
pub use otava_process::{OtavaError, OtavaProcess};
pub use point_rules::PointRule;
pub use score_table::table;
pub use series_kind::SeriesKind;
pub use simulated_suite::{SimulatedSeries, SimulatedSuite, SuitePlan, TrueStep};
