//! A phone that is driven by what really happened, at the times it happened.

mod action;
mod cast;
mod process;
#[expect(clippy::module_inception, reason = "the type that the module is about")]
mod replay;

pub use crate::recorded_sources::{RecordedSources, ReplayWindow};
pub use crate::replay_clocks::{ClockStep, ReplayClocks};
pub use action::{ReplayAction, ReplayEvent};
pub use process::{ReplayProcess, ReplayThread, system_processes};
pub use replay::Replay;
