//! Slices of threads over time, nested by time over all rows of a thread.

use std::collections::BTreeMap;

use wattle_timeline::{SliceScope, SliceTrack, Window};
use wattle_units::BootNanos;

use super::TrackRows;
use crate::slice_rows::{OpenRows, in_order};
use crate::track_detail::MOST_STRETCHES;
use crate::{TimeTrack, TrackKind, TrackStretch};

impl TrackRows<'_> {
    /// The slices of each thread that has a row. Their values are the timeline's numbers of names.
    pub(super) fn slices(&self) -> Vec<TimeTrack> {
        let mut rows: BTreeMap<u32, Vec<&SliceTrack>> = BTreeMap::new();
        for track in &self.timeline.code.slices.tracks {
            if let SliceScope::Thread(thread) = track.scope
                && let Some(row) = self.thread(thread)
            {
                rows.entry(row).or_default().push(track);
            }
        }
        rows.into_iter()
            .map(|(row, tracks)| {
                let stretches = self.nested(&tracks);
                let track = TimeTrack::new(TrackKind::Slices, String::new()).with(&stretches);
                TimeTrack { owner: Some(row), ..track.at_most(MOST_STRETCHES) }
            })
            .collect()
    }

    /// An open call ends at the latest with the call around it.
    fn nested(&self, tracks: &[&SliceTrack]) -> Vec<TrackStretch> {
        let mut stretches = Vec::new();
        let mut open: Vec<(BootNanos, usize)> = Vec::new();
        let mut rows = OpenRows::default();
        let mut latest = BootNanos::MIN;
        for (row, slice) in in_order(self.timeline, tracks.iter().copied()) {
            let start = slice.start.max(latest);
            latest = start;
            while let Some((end, of)) = open.last().copied()
                && (rows.exceed(row, slice.depth)
                    || end < start
                    || (end == start && slice.end > start))
            {
                open.pop();
                rows.close(of);
            }
            let outer = open.last().map_or(BootNanos::MAX, |(end, _)| *end);
            let end = slice.end.min(outer).max(start);
            let depth = u16::try_from(open.len()).unwrap_or(u16::MAX);
            let name = i64::from(slice.name.0);
            if let Some(stretch) = self.inside(Window::new(start, end), name) {
                stretches.push(TrackStretch { depth, ..stretch });
            }
            open.push((end, row));
            rows.open(row);
        }
        stretches
    }
}
