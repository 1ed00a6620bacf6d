//! Which sections of a thread are open, going forward in time.

use wattle_timeline::{CallSlices, NameId, SliceScope, SliceTrack, ThreadId, Timeline};
use wattle_units::BootNanos;

/// A walk over the row of a thread with the most sections.
#[derive(Debug)]
pub(crate) struct OpenSections<'a> {
    slices: &'a CallSlices,
    next: usize,
    end: usize,
    ends: Vec<BootNanos>,
    names: Vec<NameId>,
}

impl<'a> OpenSections<'a> {
    /// `None` where the thread has no sections.
    pub(crate) fn new(timeline: &'a Timeline, thread: ThreadId) -> Option<Self> {
        let tracks = timeline.code.slices.tracks.iter();
        let own = tracks.filter(|track| track.scope == SliceScope::Thread(thread));
        let SliceTrack { first, count, .. } = own.max_by_key(|track| track.count)?;
        let (next, end) = (*first as usize, (*first as usize).saturating_add(*count as usize));
        let end = end.min(timeline.code.slices.len());
        Some(Self { slices: &timeline.code.slices, next, end, ends: Vec::new(), names: Vec::new() })
    }

    /// Names of the sections open at an instant, outermost first. Instants never go back.
    pub(crate) fn open_at(&mut self, time: BootNanos) -> &[NameId] {
        while self.next < self.end
            && let Some(slice) = self.slices.get(self.next).filter(|slice| slice.start <= time)
        {
            let depth = usize::from(slice.depth).min(self.ends.len());
            self.ends.truncate(depth);
            self.names.truncate(depth);
            self.ends.push(slice.end);
            self.names.push(slice.name);
            self.next += 1;
        }
        while self.ends.last().is_some_and(|end| *end <= time) {
            self.ends.pop();
            self.names.pop();
        }
        &self.names
    }
}
