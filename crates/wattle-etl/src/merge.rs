//! The events of all buffers in order of time.
//!
//! Each CPU fills buffers of its own, and which comes first in the file says nothing: a CPU with little to do writes its buffer when
//! recording ends. So a buffer is opened when the events that were told reach its first one, and of the open buffers the one whose next
//! event is the earliest comes first. Only open buffers are held in memory.
//!
//! ```text
//!  file     CPU 0 wrote A: 1 2 5, then C: 9 12; CPU 1 wrote B: 3 11 at the end
//!
//!  time     1     2     3     5     9     11    12
//!  A        ●─────●───────────●
//!  B                    ●─────────────────●
//!  C                                ●───────────●
//!           │           │           │
//!  opened   A           B           C              in the order of first events: A, B, C
//!
//!  told     A: 1 2 │ B: 3 │ A: 5 │ C: 9 │ B: 11 │ C: 12
//! ```
//!
//! The heap has one entry for each open buffer: the time of its next event. The earliest buffer leaves the heap and tells events as
//! long as none of another can come before, that is until the next entry of the heap or the first event of the next buffer that is
//! not open, whichever is earlier. Events of a CPU come in bursts, so the heap is asked once a burst, not once an event. About as many
//! buffers are open as there are CPUs. Events at one instant come in the order of the file.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use wattle_timeline::{Note, Severity};

use super::buffer::HEADER;
use super::buffers::Buffers;
use super::event_header::{self, Place};
use super::event_record::EventRecord;
use super::log_source::Source;

/// Bytes of buffers that are open at a time. CPUs times the size of a buffer are some megabytes; more are open only in a damaged log.
const MAX_OPEN: usize = 512 << 20;

/// Takes in events.
pub(super) trait Sink {
    /// An event, in order of time.
    fn event(&mut self, record: &EventRecord<'_>);
    /// The recorder lost events on the CPU before what comes now.
    fn lost(&mut self, cpu: u32);
    /// So many bytes of the log are done.
    fn progress(&mut self, done: u64);
}

/// A buffer whose events are being told.
struct Open {
    bytes: Vec<u8>,
    /// Offset of the next event.
    at: usize,
    place: Place,
    time: i64,
    cpu: u32,
    /// Offset of the buffer in the file.
    offset: u64,
}

impl Open {
    /// Goes to the event at `at`; false at the end.
    #[inline]
    fn settle(&mut self) -> bool {
        let Some(place) = self.bytes.get(self.at..).and_then(Place::read) else { return false };
        // Some kinds of events have no time: they belong to the one before.
        self.time = place.time.unwrap_or(self.time);
        self.place = place;
        true
    }
}

/// Tells all events.
pub(super) fn merge(buffers: &mut Buffers, source: &mut Source<'_>, sink: &mut impl Sink) {
    let mut merge = Merge {
        next: 0,
        open: Vec::new(),
        heap: BinaryHeap::new(),
        held: 0,
        done: 0,
        spare: Vec::new(),
    };
    while let Some(slot) = merge.pick(buffers, source, sink) {
        merge.run(slot, buffers, sink);
    }
}

struct Merge {
    /// The first buffer that was not opened yet.
    next: usize,
    open: Vec<Option<Open>>,
    /// Times of the next events of open buffers, where they lie in the file, and their slots.
    heap: BinaryHeap<Reverse<(i64, u64, usize)>>,
    held: usize,
    done: u64,
    /// Memory of a buffer that is done, for the next one.
    spare: Vec<u8>,
}

impl Merge {
    /// The slot of the buffer whose event comes next.
    fn pick(
        &mut self,
        buffers: &mut Buffers,
        source: &mut Source<'_>,
        sink: &mut impl Sink,
    ) -> Option<usize> {
        loop {
            let waiting = buffers.list.get(self.next).map(|buffer| buffer.first);
            let earliest = self.heap.peek().map(|Reverse((time, ..))| *time);
            match (waiting, earliest) {
                // At the same instant, too: only an open buffer has a place in the heap, which decides by the order of the file.
                (Some(first), earliest) if earliest.is_none_or(|earliest| first <= earliest) => {
                    if self.held <= MAX_OPEN || earliest.is_none() {
                        self.begin(buffers, source, sink);
                        continue;
                    }
                    let text =
                        "more buffers overlap in time than are held: events are not in order";
                    buffers.note(Note::new(Severity::Error, "buffers-overlap", text));
                }
                (None, None) => return None,
                _ => {}
            }
            return self.heap.pop().map(|Reverse((.., slot))| slot);
        }
    }

    fn begin(&mut self, buffers: &mut Buffers, source: &mut Source<'_>, sink: &mut impl Sink) {
        let index = self.next;
        self.next += 1;
        let Some(buffer) = buffers.take(index) else { return };
        if buffer.header.lost {
            sink.lost(buffer.header.cpu);
        }
        let free = self.open.iter().position(Option::is_none);
        let slot = free.unwrap_or(self.open.len());
        if free.is_none() {
            self.open.push(None);
        }
        let mut bytes = std::mem::take(&mut self.spare);
        if let Err(error) = buffers.load(source, &buffer, &mut bytes) {
            let text = format!("reading failed ({error}): a buffer is missing");
            buffers.note(Note::new(Severity::Error, "damaged", text).at(buffer.at));
            return;
        }
        if buffer.header.is_context_swap {
            let text = "buffers of switches in a form that is not documented: not used";
            buffers.note(Note::new(Severity::Warning, "compact-switches", text).at(buffer.at));
            return;
        }
        self.done += buffer.header.size as u64;
        sink.progress(self.done);
        let Some(place) = Place::read(&bytes) else {
            end_of(&bytes, 0, buffer.at, buffers);
            return;
        };
        let open = Open {
            at: 0,
            place,
            time: place.time.unwrap_or(buffer.first),
            cpu: buffer.header.cpu,
            offset: buffer.at,
            bytes,
        };
        self.held += open.bytes.len();
        self.heap.push(Reverse((open.time, open.offset, slot)));
        if let Some(place) = self.open.get_mut(slot) {
            *place = Some(open);
        }
    }

    /// Tells a buffer's events until those of another come before.
    fn run(&mut self, slot: usize, buffers: &mut Buffers, sink: &mut impl Sink) {
        let waiting = buffers.list.get(self.next).map_or(i64::MAX, |buffer| buffer.first);
        let earliest = self.heap.peek().map_or(i64::MAX, |Reverse((time, ..))| *time);
        // No event of another buffer is earlier than this, so the heap need not be asked before.
        let until = waiting.min(earliest);
        let Some(open) = self.open.get_mut(slot).and_then(Option::as_mut) else { return };
        loop {
            let bytes = open.bytes.get(open.at..).unwrap_or_default();
            if let Some(mut record) = event_header::read(open.place, bytes) {
                record.cpu = open.cpu;
                record.time = open.time;
                record.offset = open.offset + (HEADER + open.at) as u64;
                sink.event(&record);
            }
            open.at += open.place.size.next_multiple_of(8);
            if !open.settle() {
                break;
            }
            if open.time >= until {
                self.heap.push(Reverse((open.time, open.offset, slot)));
                return;
            }
        }
        if let Some(open) = self.open.get_mut(slot).and_then(Option::take) {
            self.held = self.held.saturating_sub(open.bytes.len());
            end_of(&open.bytes, open.at, open.offset, buffers);
            self.spare = open.bytes;
        }
    }
}

/// Says so if a buffer ends before its events do. What was never written is filled with ones or zeros.
fn end_of(bytes: &[u8], at: usize, offset: u64, buffers: &mut Buffers) {
    let rest = bytes.get(at..).unwrap_or_default();
    if rest.len() < 8 || rest.iter().take(8).all(|byte| matches!(byte, 0 | 0xff)) {
        return;
    }
    let text = "bytes that begin no event, or one that is not whole: the rest of each such buffer was not used";
    let place = offset + (HEADER + at) as u64;
    buffers.note(Note::new(Severity::Error, "event-malformed", text).at(place));
}
