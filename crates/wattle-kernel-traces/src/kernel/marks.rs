//! Effects of marks on a timeline.

use wattle_timeline::{NameId, Overlap, RawScope, SliceTrackKey, TimelineBuilder};
use wattle_units::BootNanos;

use super::{KernelEvent, KernelLog, Mark, parse_mark};

/// A track that is the device's, whoever writes it.
const DEVICE_STATE: &[u8] = b"DeviceStateChanged";

/// Prefix of marks about clocks.
const CLOCK_SYNC: &[u8] = b"trace_event_clock_sync:";

/// Returns the part of a clock mark that is for other instruments (`name=battor regulator=NAME`), not for the device's
/// own clocks.
pub fn for_instruments(text: &[u8]) -> Option<&[u8]> {
    let at = memchr::memmem::find(text, CLOCK_SYNC)?;
    let said = text.get(at + CLOCK_SYNC.len()..)?.trim_ascii();
    said.starts_with(b"name=").then_some(said)
}

/// Parses the text that a program wrote into the kernel's buffer.
#[inline]
pub fn print(text: &[u8]) -> KernelEvent<'_> {
    match parse_mark(text) {
        Some(mark) => KernelEvent::Mark(mark),
        None if text.starts_with(CLOCK_SYNC) => {
            for_instruments(text).map_or(KernelEvent::Nothing, KernelEvent::SyncMark)
        }
        None => KernelEvent::Print,
    }
}

impl KernelLog {
    /// Takes in a mark that the thread wrote.
    pub fn mark(
        &mut self,
        builder: &mut TimelineBuilder,
        time: BootNanos,
        tid: u32,
        mark: Mark<'_>,
    ) {
        match mark {
            Mark::Begin { pid, name } => {
                writes(builder, time, tid, pid);
                let name = builder.names.intern_bytes(name);
                builder.code().slice_begin(time, tid, name);
            }
            Mark::End { pid } => {
                writes(builder, time, tid, pid);
                builder.code().slice_end(time, tid);
            }
            Mark::Instant { pid, name } => {
                writes(builder, time, tid, pid);
                let name = builder.names.intern_bytes(name);
                builder.code().slice_instant(time, tid, name);
            }
            Mark::Counter { pid, name, value } => {
                self.process_counter(builder, time, pid, name, value as f64);
            }
            Mark::AsyncBegin { pid, name, cookie } => {
                builder.tasks().process_seen(time, pid);
                let name = builder.names.intern_bytes(name);
                let track = async_track(builder, pid, name, Overlap::IgnoreByCookie);
                builder.code().track_begin(time, track, cookie, name);
            }
            Mark::AsyncEnd { pid, name, cookie } => {
                builder.tasks().process_seen(time, pid);
                let name = builder.names.intern_bytes(name);
                let track = async_track(builder, pid, name, Overlap::IgnoreByCookie);
                builder.code().track_end(time, track, cookie);
            }
            Mark::TrackBegin { pid, track, name, cookie } => {
                builder.tasks().process_seen(time, pid);
                let (track, name) = named_track(builder, pid, track, name);
                builder.code().track_begin(time, track, cookie, name);
            }
            Mark::TrackEnd { pid, track, cookie } => {
                builder.tasks().process_seen(time, pid);
                let (track, _) = named_track(builder, pid, track, b"");
                builder.code().track_end(time, track, cookie);
            }
            Mark::TrackInstant { track: DEVICE_STATE, name, .. } => {
                let name = builder.names.intern_bytes(name);
                device_state(builder, time, name);
            }
            Mark::TrackInstant { pid, track, name } => {
                builder.tasks().process_seen(time, pid);
                let (track, name) = named_track(builder, pid, track, name);
                builder.code().track_instant(time, track, name);
            }
        }
    }
}

/// A mark of a thread says which process it is of; 0 says nothing.
#[inline]
fn writes(builder: &mut TimelineBuilder, time: BootNanos, tid: u32, pid: u32) {
    if pid != 0 {
        builder.tasks().thread_of(time, tid, pid);
    }
}

/// The device (a foldable, say) is in another state.
pub fn device_state(builder: &mut TimelineBuilder, time: BootNanos, state: NameId) {
    let track = builder.names.intern_bytes(DEVICE_STATE);
    let track = builder.code().slice_track(RawScope::Global, Some(track), Overlap::Nest, 0);
    builder.code().track_instant(time, track, state);
}

fn async_track(
    builder: &mut TimelineBuilder,
    pid: u32,
    name: NameId,
    overlap: Overlap,
) -> SliceTrackKey {
    builder.code().slice_track(RawScope::Process(pid), Some(name), overlap, 0)
}

fn named_track(
    builder: &mut TimelineBuilder,
    pid: u32,
    track: &[u8],
    name: &[u8],
) -> (SliceTrackKey, NameId) {
    let track = builder.names.intern_bytes(track);
    let name = builder.names.intern_bytes(name);
    (async_track(builder, pid, track, Overlap::NestByCookie), name)
}
