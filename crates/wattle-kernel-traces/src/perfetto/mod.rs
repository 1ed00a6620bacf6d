//! Perfetto traces (`perfetto_trace.proto`).
//!
//! # Quirks
//!
//! - A stream of compact switches does not say who was on the CPU before its first record; that record
//!   opens no slice, as in Perfetto's trace processor.
//! - Kernel marker events of drivers may name a process that the thread is not part of; counters trust the
//!   process, slices trust the thread.
//! - Kernel events from before `tracing_started` are left over from another session and not used.
//! - Frames are written once they were shown, with timestamps from before those of the packets around them.
//! - Other machines' packets have CPUs, threads and clocks of the same numbers; they are not read.
//! - `suspend_resume`'s `timekeeping_freeze` may begin on one CPU and end on another.

mod app_wakelocks;
mod compact_sched;
mod frame_timeline;
mod ftrace;
mod ftrace_event;
mod generic_event;
mod generic_kernel;
mod generic_schedule;
mod gpu_counters;
mod held_events;
mod held_packets;
mod holds;
mod input_event;
mod kernel_marks;
mod machines;
mod network;
mod packet_clocks;
mod packet_counts;
mod packet_readers;
mod packet_states;
mod perf;
mod power_packets;
mod process_packets;
mod residency;
mod sequence;
mod stats;
mod statsd;
mod system;
mod tpu;
mod trace_end;
mod track;
mod track_event;
mod unpacking;
mod wattson_model;

use rustc_hash::FxHashMap;
use wattle_import::{
    Artifact, Format, Head, ImportError, Importer, ReadOrder, Recognition, Session, UnpackBudget,
};
use wattle_recording::ArtifactKind;
use wattle_timeline::{ArtifactQuality, ClockFit, Clocks, NameId, TimelineBuilder};
use wattle_units::BootNanos;
use wattle_workers::{Supply, made_ahead};

use crate::kernel::KernelLog;
use crate::limits::MAX_WRITERS;
use crate::perfetto_packets::{PacketBatch, PacketStream, starts_with_packet};
use packet_counts::Counts;
use sequence::Sequence;

/// Perfetto traces.
pub const PERFETTO: &dyn Importer = &Perfetto;

const FORMAT: Format = Format {
    name: "perfetto",
    title: "a Perfetto trace",
    family: "a trace",
    short: Some("Perfetto"),
    order: ReadOrder::Traces,
    kinds: &[ArtifactKind::Perfetto],
    is_accessory: false,
};

struct Perfetto;

impl Importer for Perfetto {
    fn format(&self) -> &'static Format {
        &FORMAT
    }

    fn recognise(&self, head: &Head<'_>) -> Recognition {
        // Any message of protobuf with the right fields begins like this.
        if starts_with_packet(head.bytes) { Recognition::Likely } else { Recognition::No }
    }

    fn read(&self, artifact: Artifact<'_>, session: &mut Session) -> Result<(), ImportError> {
        let unpacking = session.unpacking.clone();
        let (quality, clocks) = read(artifact, &unpacking, &mut session.builder);
        session.clocks.trace(&clocks);
        session.traced();
        session.add_artifact(quality);
        session.derive(tpu::Tpus);
        Ok(())
    }
}

/// Batches of packets that are read ahead at most: some 300 kB each.
const BATCHES: usize = 4;

/// Bytes between two reports of progress.
const PROGRESS_STEP: u64 = 1 << 20;

/// Reads a trace into the builder: another thread finds out where everything is in its packets. Returns its quality and its readings of
/// clocks.
fn read(
    artifact: Artifact<'_>,
    unpacking: &UnpackBudget,
    builder: &mut TimelineBuilder,
) -> (ArtifactQuality, Clocks) {
    let Artifact { name, total, source, progress } = artifact;
    let mut packets = PacketStream::new(source);
    let mut reader = Reader::new(builder);
    reader.unpacking.budget = unpacking.clone();
    let fill = |supply: &mut Supply<PacketBatch>| {
        if PacketBatch::is_long_next(&mut packets) && !supply.wait_for_all() {
            return None;
        }
        let mut batch = supply.used().unwrap_or_default();
        batch.fill(&mut packets, unpacking).then_some(batch)
    };
    made_ahead(BATCHES, fill, |batches| {
        let mut reported = 0;
        while let Some(batch) = batches.next() {
            batch.packets().for_each(|packet| reader.packet(&packet));
            let done = batch.end();
            if done >= reported + PROGRESS_STEP {
                reported = done;
                progress.advance(done, total);
            }
            batches.give_back(batch);
        }
    });
    reader.deferred_packets();
    reader.finish_held();
    reader.kernel.finish(reader.builder);
    reader.finish_held_packets();
    reader.finish_generic_kernel();
    reader.finish_frames();
    reader.finish_cut();
    let bytes = packets.bytes_read();
    let stepped_over = packets.stepped_over;
    let end = packets.into_end();
    progress.advance(bytes, total);
    // After damage the rest of the file is not even looked at.
    let whole = total.unwrap_or(bytes).max(bytes);
    reader.counts.end(&end, stepped_over, whole);
    let refused = reader.builder.refused_cpus();
    let ignored = reader.counts.ignored;
    let clocks = reader.clocks;
    let mut quality = reader.counts.into_quality(refused);
    reader.generic_events.count_into(&mut quality.events, &mut quality.unread);
    quality.notes.extend(reader.machines.into_note());
    name.clone_into(&mut quality.name);
    FORMAT.name.clone_into(&mut quality.format);
    quality.bytes = bytes;
    ignored.apply(&mut quality);
    (quality, clocks)
}

/// Reads the packets of one trace.
struct Reader<'b> {
    builder: &'b mut TimelineBuilder,
    counts: Counts,
    clocks: Clocks,
    /// The kernel's clock of traces, where it is not boot time.
    traced_clock: ClockFit,
    sequences: FxHashMap<u32, Sequence>,
    deferred: packet_clocks::Deferred,
    /// Kernel events before are not used.
    started: BootNanos,
    /// Time of the last packet that had one, for those that have none.
    last_time: BootNanos,
    tracks: track::Tracks,
    rails: FxHashMap<(u64, u32), wattle_timeline::RailKey>,
    kernel: KernelLog,
    held: held_packets::HeldBack,
    losses: stats::Losses,
    end: trace_end::TraceEnd,
    unpacking: unpacking::Unpacking,
    machines: machines::OtherMachines,
    generic_events: generic_event::GenericEvents,
    states: packet_states::PacketStates,
    unnamed: NameId,
    scratch: ftrace::Scratch,
}

impl<'b> Reader<'b> {
    fn new(builder: &'b mut TimelineBuilder) -> Self {
        Self {
            counts: Counts::default(),
            clocks: Clocks::default(),
            traced_clock: ClockFit::default(),
            sequences: FxHashMap::default(),
            deferred: packet_clocks::Deferred::default(),
            started: BootNanos::MIN,
            last_time: BootNanos::new(0),
            tracks: track::Tracks::default(),
            rails: FxHashMap::default(),
            kernel: KernelLog::new(builder),
            held: held_packets::HeldBack::default(),
            losses: stats::Losses::default(),
            end: trace_end::TraceEnd::default(),
            unpacking: unpacking::Unpacking::default(),
            machines: machines::OtherMachines::default(),
            generic_events: generic_event::GenericEvents::default(),
            states: packet_states::PacketStates::default(),
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
