//! Rows of slices of one thread, gone through together.
//!
//! Sections of the system, track events, probes and a method trace are rows of their own. Inside a row the depth of a slice says
//! what encloses it; rows know nothing of each other and nest by time alone.

use wattle_timeline::{CallSlice, SliceTrack, Timeline};

/// The slices of the rows of one thread in order of start, each with the number of its row.
pub(crate) fn in_order<'a>(
    timeline: &'a Timeline,
    rows: impl IntoIterator<Item = &'a SliceTrack>,
) -> Vec<(usize, CallSlice)> {
    let mut slices: Vec<(usize, CallSlice)> = rows
        .into_iter()
        .enumerate()
        .flat_map(|(row, track)| timeline.code.slices.of(track).map(move |slice| (row, slice)))
        .collect();
    slices.sort_by_key(|(_, slice)| slice.start);
    slices
}

/// Number of open slices of each row.
#[derive(Debug, Default)]
pub(crate) struct OpenRows(Vec<usize>);

impl OpenRows {
    /// Whether one that is open must be over before a slice of that depth begins in the row.
    pub(crate) fn exceed(&self, row: usize, depth: u16) -> bool {
        self.0.get(row).is_some_and(|open| *open > usize::from(depth))
    }

    /// A slice of the row begins.
    pub(crate) fn open(&mut self, row: usize) {
        if self.0.len() <= row {
            self.0.resize(row + 1, 0);
        }
        self.0[row] += 1;
    }

    /// A slice of the row is over.
    pub(crate) fn close(&mut self, row: usize) {
        if let Some(open) = self.0.get_mut(row) {
            *open = open.saturating_sub(1);
        }
    }
}
