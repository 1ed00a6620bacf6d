//! Call slices: what code said that it was doing (atrace sections, track events).

use wattle_units::BootNanos;

use crate::{CpuId, NameId, ProcessId, SliceOrigin, ThreadId, Window};

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
    /// What it is called.
    pub name: NameId,
    /// How many slices of the track enclose it.
    pub depth: u16,
    /// What made it.
    pub origin: SliceOrigin,
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
    /// What each is called.
    pub name: Vec<NameId>,
    /// How many slices of its track enclose each.
    pub depth: Vec<u16>,
    /// What made each; empty where all of them are [`SliceOrigin::Recorded`].
    pub origin: Vec<SliceOrigin>,
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

    /// What made a slice.
    pub fn origin_of(&self, index: usize) -> SliceOrigin {
        self.origin.get(index).copied().unwrap_or_default()
    }

    /// One slice.
    pub fn get(&self, index: usize) -> Option<CallSlice> {
        Some(CallSlice {
            start: *self.start.get(index)?,
            end: self.end[index],
            name: self.name[index],
            depth: self.depth[index],
            origin: self.origin_of(index),
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
        })
    }
}
