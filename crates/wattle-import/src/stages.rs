//! Stages of the work that waits until everything was read.

use wattle_timeline::Timeline;

use crate::ClockFacts;

/// When pending work is applied, in this order. Later stages rely on what earlier ones gave the builder.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Stage {
    /// Traces that waited for readings of clocks. After it the recorded window is fixed: everything later is clipped to it.
    Traces,
    /// Calls that the app's own code recorded.
    RecordedCalls,
    /// Lines of logs: tests, and calls that were logged.
    LogLines,
    /// Logs of tools, with calls and counters.
    ToolLogs,
    /// Calls that the runtime recorded.
    RuntimeCalls,
    /// States and totals.
    Totals,
}

/// When a derivation is made, in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum DerivationStage {
    /// Timelines that follow from slices and counters.
    Tracks,
    /// Names that take the place of labels.
    Names,
    /// Facts about the device from the recording, where artifacts have none.
    Device,
    /// Alignment by similarity to the timeline.
    Alignment,
}

/// Something that follows from the finished timeline.
pub trait Derivation {
    /// When it is made.
    fn stage(&self) -> DerivationStage;

    /// Adds it to the timeline.
    fn derive(self: Box<Self>, timeline: &mut Timeline, clocks: &ClockFacts);
}
