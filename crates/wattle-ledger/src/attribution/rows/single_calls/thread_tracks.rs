//! The rows of slices of each thread.

use wattle_timeline::{CallSlice, SliceScope, SliceTrack, ThreadId, Timeline};

use crate::slice_rows;

/// The rows of slices of one thread.
pub(crate) struct ThreadTracks<'a> {
    pub(crate) thread: ThreadId,
    tracks: Vec<&'a SliceTrack>,
}

impl<'a> ThreadTracks<'a> {
    /// Of all threads that are wanted, in order.
    pub(crate) fn all(timeline: &'a Timeline, wanted: &[bool]) -> Vec<Self> {
        let mut of_thread: Vec<(ThreadId, &SliceTrack)> = timeline
            .code
            .slices
            .tracks
            .iter()
            .filter_map(|track| match track.scope {
                SliceScope::Thread(thread) if wanted.get(thread.index()) == Some(&true) => {
                    Some((thread, track))
                }
                _ => None,
            })
            .collect();
        of_thread.sort_by_key(|(thread, _)| *thread);
        let groups = of_thread.chunk_by(|one, other| one.0 == other.0);
        groups
            .filter_map(|group| {
                let thread = group.first()?.0;
                Some(Self { thread, tracks: group.iter().map(|(_, track)| *track).collect() })
            })
            .collect()
    }

    /// Its slices in order of start, each with its row.
    pub(crate) fn slices(&self, timeline: &'a Timeline) -> Vec<(usize, CallSlice)> {
        slice_rows::in_order(timeline, self.tracks.iter().copied())
    }
}
