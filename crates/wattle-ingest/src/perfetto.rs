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
//! - A bus clock (`devfreq_frequency`) is in hertz by the kernel's documentation and in kilohertz on Exynos and
//!   Tensor: what would be under 50 MHz in hertz is taken as kilohertz.

mod atrace;
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
use wattle_timeline::{ArtifactQuality, Clocks, CounterKey, NameId, TimelineBuilder};
use wattle_units::BootNanos;

use crate::Progress;
use crate::container::Input;
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
    /// Counters of processes by pid and name.
    process_counters: FxHashMap<(u32, NameId), CounterKey>,
    /// CPUs of which a bundle was read.
    bundled_cpus: FxHashSet<u32>,
    /// Counters of clocks by the clock's name and what is counted of it.
    clock_counters: FxHashMap<(NameId, &'static str), CounterKey>,
    /// Lost events of each CPU at the start, by the kernel's count.
    overruns: FxHashMap<u32, u64>,
    /// Losses of the recorder's buffers that were counted already.
    buffer_losses: u64,
    depth: u32,
    well_known: WellKnown,
    scratch: ftrace::Scratch,
}

/// Names that come often.
struct WellKnown {
    soft_irqs: [NameId; ftrace_event::SOFT_IRQS.len()],
    unnamed: NameId,
}

impl<'b> Reader<'b> {
    fn new(builder: &'b mut TimelineBuilder) -> Self {
        let well_known = WellKnown {
            soft_irqs: ftrace_event::SOFT_IRQS.map(|name| builder.names.intern(name)),
            unnamed: builder.names.intern(""),
        };
        Self {
            builder,
            counts: Counts::default(),
            clocks: Clocks::default(),
            sequences: FxHashMap::default(),
            deferred: clock::Deferred::default(),
            started: BootNanos::MIN,
            last_time: BootNanos::new(0),
            tracks: track::Tracks::default(),
            rails: FxHashMap::default(),
            process_counters: FxHashMap::default(),
            bundled_cpus: FxHashSet::default(),
            clock_counters: FxHashMap::default(),
            overruns: FxHashMap::default(),
            buffer_losses: 0,
            depth: 0,
            well_known,
            scratch: ftrace::Scratch::default(),
        }
    }

    /// The state of a writer. Past [`MAX_WRITERS`] all new ones share one.
    fn sequence(&mut self, writer: u32) -> &mut Sequence {
        let is_full = self.sequences.len() >= MAX_WRITERS;
        let writer = if is_full && !self.sequences.contains_key(&writer) { 0 } else { writer };
        self.sequences.entry(writer).or_default()
    }
}
