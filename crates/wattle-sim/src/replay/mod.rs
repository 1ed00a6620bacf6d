//! A phone that is driven by what really happened, at the times it happened.

mod action;
mod cast;
mod clocks;
mod process;
#[expect(clippy::module_inception, reason = "the type that the module is about")]
mod replay;
mod sources;

pub use action::{ReplayAction, ReplayEvent};
pub use clocks::{ClockStep, ReplayClocks};
pub use process::{ReplayProcess, ReplayThread, system_processes};
pub use replay::Replay;
pub use sources::{RecordedSources, ReplayWindow};
