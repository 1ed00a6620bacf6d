//! Perfetto traces (`perfetto_trace.proto`).
//!
//! # Quirks
//!
//! - A stream of compact switches does not say who was on the CPU before its first record; that record
//!   opens no slice, as in Perfetto's trace processor.
//! - Kernel marker events of drivers may name a process that the thread is not part of; counters trust the
//!   process, slices trust the thread.
//! - Kernel events from before `tracing_started` are left over from another session and not used.
//! - `suspend_resume`'s `timekeeping_freeze` may begin on one CPU and end on another.

mod clock;
mod compact_sched;
mod counts;
mod ftrace;
mod ftrace_event;
mod kernel_marks;
mod names;
mod network;
mod packet;
mod packet_stream;
mod perf;
mod power;
mod process;
mod sequence;
mod stats;
mod system;
mod tpu;
mod track;
mod track_event;

use std::io::Read;

use rustc_hash::{FxHashMap, FxHashSet};
use wattle_timeline::{ArtifactQuality, Clocks, NameId, TimelineBuilder};
use wattle_units::BootNanos;

use crate::Progress;
use crate::container::Input;
use crate::kernel::KernelLog;
use crate::limits::MAX_WRITERS;
use counts::Counts;
use packet_stream::PacketStream;
use sequence::Sequence;

pub(crate) use packet::starts_a_packet;
pub(crate) use tpu::derive_tpus;

/// How often progress is told, in bytes.
const PROGRESS_STEP: u64 = 1 << 20;

/// Reads a trace into the builder and says how that went, and what it knows of clocks.
pub(crate) fn read(
    input: Input<'_>,
    stream: impl Read,
    builder: &mut TimelineBuilder,
    progress: &mut dyn Progress,
) -> (ArtifactQuality, Clocks) {
    let mut packets = PacketStream::new(stream);
    let mut reader = Reader::new(builder);
    let mut told = 0;
    while let Some((offset, packet)) = packets.next() {
        reader.packet(offset, packet);
        let done = packets.offset();
        if done >= told + PROGRESS_STEP {
            told = done;
            progress.advance(done, input.total);
        }
    }
    reader.deferred_packets();
    let bytes = packets.bytes_read();
    let too_long = packets.too_long;
    let end = packets.into_end();
    progress.advance(bytes, input.total);
    reader.counts.end(&end, too_long);
    let refused = reader.builder.refused_cpus();
    let clocks = reader.clocks;
    let mut quality = reader.counts.into_quality(refused);
    input.name.clone_into(&mut quality.name);
    "perfetto".clone_into(&mut quality.format);
    quality.bytes = bytes;
    (quality, clocks)
}

/// Reads the packets of one trace.
pub(crate) struct Reader<'b> {
    builder: &'b mut TimelineBuilder,
    counts: Counts,
    clocks: Clocks,
    sequences: FxHashMap<u32, Sequence>,
    deferred: clock::Deferred,
    /// Kernel events before are not used.
    started: BootNanos,
    /// Time of the last packet that had one, for those that have none.
    last_time: BootNanos,
    tracks: track::Tracks,
    rails: FxHashMap<(u64, u32), wattle_timeline::RailKey>,
    kernel: KernelLog,
    /// CPUs of which a bundle was read.
    bundled_cpus: FxHashSet<u32>,
    /// Lost events of each CPU at the start, by the kernel's count.
    overruns: FxHashMap<u32, u64>,
    /// Losses of the recorder's buffers that were counted already.
    buffer_losses: u64,
    depth: u32,
    unnamed: NameId,
    scratch: ftrace::Scratch,
}

impl<'b> Reader<'b> {
    fn new(builder: &'b mut TimelineBuilder) -> Self {
        Self {
            counts: Counts::default(),
            clocks: Clocks::default(),
            sequences: FxHashMap::default(),
            deferred: clock::Deferred::default(),
            started: BootNanos::MIN,
            last_time: BootNanos::new(0),
            tracks: track::Tracks::default(),
            rails: FxHashMap::default(),
            kernel: KernelLog::new(builder),
            bundled_cpus: FxHashSet::default(),
            overruns: FxHashMap::default(),
            buffer_losses: 0,
            depth: 0,
            unnamed: builder.names.intern(""),
            scratch: ftrace::Scratch::default(),
            builder,
        }
    }

    /// The state of a writer. Past [`MAX_WRITERS`] all new ones share one.
    fn sequence(&mut self, writer: u32) -> &mut Sequence {
        let is_full = self.sequences.len() >= MAX_WRITERS;
        let writer = if is_full && !self.sequences.contains_key(&writer) { 0 } else { writer };
        self.sequences.entry(writer).or_default()
    }
}
