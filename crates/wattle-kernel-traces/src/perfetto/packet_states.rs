//! State of the readers of single kinds of packets.

use rustc_hash::FxHashMap;
use wattle_timeline::CounterKey;

use super::frame_timeline::FrameTimeline;
use super::generic_kernel::GenericKernel;
use super::gpu_counters::GpuCounters;
use super::holds::Holds;

/// State of the readers of single kinds of packets.
#[derive(Debug, Default)]
pub(super) struct PacketStates {
    pub frames: FrameTimeline,
    pub gpu_counters: GpuCounters,
    pub generic_kernel: GenericKernel,
    pub holds: Holds,
    /// Processes and threads that polls of `/proc` listed.
    pub listed_tasks: u64,
    /// Counters of the states of entities, by the indices of both.
    pub entity_states: FxHashMap<(u32, u32), CounterKey>,
}
