//! Call slices: what code said that it was doing (atrace sections, track events).

use wattle_units::{BootNanos, Nanos};

use crate::{CpuId, NameId, ProcessId, SiteId, SliceOrigin, ThreadId, Window};

/// Whose slices a track holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SliceScope {
    /// Synchronous sections of one thread. Only these are calls: they nest and follow the thread.
    Thread(ThreadId),
    /// Asynchronous work of a process.
    Process(ProcessId),
    /// Of a CPU.
    Cpu(CpuId),
    /// Of the whole device, or of an owner that is not known.
    Global,
}

/// A row of slices that nest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SliceTrack {
    /// Whose.
    pub scope: SliceScope,
    /// The track's own name, for asynchronous tracks.
    pub name: Option<NameId>,
    /// First slice of this track in [`CallSlices`].
    pub first: u32,
    /// Number of slices.
    pub count: u32,
}

/// One slice, gathered from its columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CallSlice {
    /// When it begins.
    pub start: BootNanos,
    /// When it ends; [`BootNanos::MAX`] if no end was seen.
    pub end: BootNanos,
    /// Its name.
    pub name: NameId,
    /// Number of slices of the track that enclose it.
    pub depth: u16,
    /// Its origin.
    pub origin: SliceOrigin,
    /// Bytes that the call moved, as a hook around it saw; 0 where it moved none and where that is not known.
    pub bytes: u32,
    /// The place in the app's code that it is of; `None` where probes did not make it, or their map is missing.
    pub site: Option<SiteId>,
    /// Time on a CPU from entry to exit, as the thread's own clock counted it; `None` where nobody read that clock.
    pub cpu: Option<Nanos>,
}

impl CallSlice {
    /// Its stretch of time inside the window.
    pub fn clipped(self, window: Window) -> Window {
        Window::new(self.start, self.end).intersect(window)
    }

    /// Whether its end was not seen.
    pub fn is_unfinished(self) -> bool {
        self.end == BootNanos::MAX
    }
}

/// All slices as columns, grouped by track; within a track in order of start, parents before children.
#[derive(Clone, Debug, Default)]
pub struct CallSlices {
    /// The tracks. Their ranges follow each other and cover all slices.
    pub tracks: Vec<SliceTrack>,
    /// When each slice begins.
    pub start: Vec<BootNanos>,
    /// When each slice ends; [`BootNanos::MAX`] if no end was seen.
    pub end: Vec<BootNanos>,
    /// Name of each.
    pub name: Vec<NameId>,
    /// Number of slices of its track that enclose each.
    pub depth: Vec<u16>,
    /// Origin of each; empty where all of them are [`SliceOrigin::Recorded`].
    pub origin: Vec<SliceOrigin>,
    /// Bytes that each moved, see [`CallSlice::bytes`]; empty where no slice is known to have moved any.
    pub bytes: Vec<u32>,
    /// The place in the code of each, see [`CallSlice::site`]; empty where no slice has one.
    pub site: Vec<Option<SiteId>>,
    /// Time on a CPU of each, see [`CallSlice::cpu`]; empty where no slice has any.
    pub cpu: Vec<Option<Nanos>>,
}

impl CallSlices {
    /// Number of slices.
    pub fn len(&self) -> usize {
        self.start.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.start.is_empty()
    }

    /// Origin of a slice.
    pub fn origin_of(&self, index: usize) -> SliceOrigin {
        self.origin.get(index).copied().unwrap_or_default()
    }

    /// Bytes that a slice moved.
    pub fn bytes_of(&self, index: usize) -> u32 {
        self.bytes.get(index).copied().unwrap_or_default()
    }

    /// The place in the code that a slice is of.
    pub fn site_of(&self, index: usize) -> Option<SiteId> {
        self.site.get(index).copied().flatten()
    }

    /// Time on a CPU of a slice, by the thread's own clock.
    pub fn cpu_of(&self, index: usize) -> Option<Nanos> {
        self.cpu.get(index).copied().flatten()
    }

    /// Notes that a slice moved bytes.
    pub fn set_bytes(&mut self, index: usize, bytes: u32) {
        if bytes == 0 || index >= self.len() {
            return;
        }
        self.bytes.resize(self.len(), 0);
        if let Some(slot) = self.bytes.get_mut(index) {
            *slot = bytes;
        }
    }

    /// Takes slices out that enclose no other. `keep` has one entry a slice, in their order; one that is missing keeps its
    /// slice.
    pub fn retain(&mut self, keep: &[bool]) {
        let is_kept = |index: usize| keep.get(index).copied().unwrap_or(true);
        let mut first = 0;
        for track in &mut self.tracks {
            let old = track.first as usize..track.first as usize + track.count as usize;
            track.first = first;
            track.count = old.filter(|index| is_kept(*index)).count() as u32;
            first += track.count;
        }
        self.tracks.retain(|track| track.count > 0);
        retain(&mut self.start, is_kept);
        retain(&mut self.end, is_kept);
        retain(&mut self.name, is_kept);
        retain(&mut self.depth, is_kept);
        retain(&mut self.origin, is_kept);
        retain(&mut self.bytes, is_kept);
        retain(&mut self.site, is_kept);
        retain(&mut self.cpu, is_kept);
    }

    /// One slice.
    pub fn get(&self, index: usize) -> Option<CallSlice> {
        Some(CallSlice {
            start: *self.start.get(index)?,
            end: self.end[index],
            name: self.name[index],
            depth: self.depth[index],
            origin: self.origin_of(index),
            bytes: self.bytes_of(index),
            site: self.site_of(index),
            cpu: self.cpu_of(index),
        })
    }

    /// The slices of a track, in order of start.
    pub fn of(&self, track: &SliceTrack) -> impl ExactSizeIterator<Item = CallSlice> + Clone + '_ {
        let first = (track.first as usize).min(self.len());
        let last = first.saturating_add(track.count as usize).min(self.len());
        (first..last).map(|i| CallSlice {
            start: self.start[i],
            end: self.end[i],
            name: self.name[i],
            depth: self.depth[i],
            origin: self.origin_of(i),
            bytes: self.bytes_of(i),
            site: self.site_of(i),
            cpu: self.cpu_of(i),
        })
    }
}

/// Keeps what stands at some positions of a column.
fn retain<T>(column: &mut Vec<T>, is_kept: impl Fn(usize) -> bool) {
    let mut index = 0;
    column.retain(|_| {
        index += 1;
        is_kept(index - 1)
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_taken_out_leaves_no_gap() {
        let track = |thread, first, count| SliceTrack {
            scope: SliceScope::Thread(ThreadId(thread)),
            name: None,
            first,
            count,
        };
        let mut slices = CallSlices {
            tracks: vec![track(1, 0, 2), track(2, 2, 1), track(3, 3, 3)],
            start: (0..6).map(BootNanos::new).collect(),
            end: (10..16).map(BootNanos::new).collect(),
            name: (0..6).map(NameId).collect(),
            depth: vec![0, 1, 0, 0, 1, 1],
            ..CallSlices::default()
        };
        slices.set_bytes(0, 0);
        assert!(slices.bytes.is_empty(), "nothing is known to have moved any");
        slices.set_bytes(3, 700);
        slices.set_bytes(6, 9);
        slices.retain(&[true, false, false, true, false]);
        let name = |slice: CallSlice| (slice.name.0, slice.end.value(), slice.bytes);
        let of: Vec<Vec<_>> =
            slices.tracks.iter().map(|track| slices.of(track).map(name).collect()).collect();
        assert_eq!(of, [vec![(0, 10, 0)], vec![(3, 13, 700), (5, 15, 0)]]);
        assert_eq!(slices.tracks, [track(1, 0, 1), track(3, 1, 2)]);
        assert_eq!((slices.len(), slices.get(1).map(name)), (3, Some((3, 13, 700))));
    }
}
