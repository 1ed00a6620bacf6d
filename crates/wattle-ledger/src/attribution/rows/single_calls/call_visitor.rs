//! Which calls are open, slice by slice.

use wattle_timeline::CallSlice;
use wattle_units::BootNanos;

use crate::slice_rows::OpenRows;

/// Told of each call's begin and end, in order of time.
pub(crate) trait Visitor {
    /// A call begins inside of those that are open.
    fn begin(&mut self, time: BootNanos, slice: &CallSlice);

    /// The innermost open call ends; `whole`: where it really did, and not only what encloses it.
    fn end(&mut self, time: BootNanos, whole: bool);
}

/// Goes through the slices of a thread in order of start. A call ends at the latest with the call around it, as in
/// the call trees.
pub(crate) fn visit(slices: &[(usize, CallSlice)], visitor: &mut impl Visitor) {
    let mut open: Vec<(BootNanos, bool, usize)> = Vec::new();
    let mut rows = OpenRows::default();
    let mut latest = BootNanos::MIN;
    for (row, slice) in slices {
        let start = slice.start.max(latest);
        latest = start;
        while let Some((end, whole, of)) = open.last().copied()
            && (rows.exceed(*row, slice.depth)
                || end < start
                || (end == start && slice.end > start))
        {
            open.pop();
            rows.close(of);
            visitor.end(end.min(start), whole && end <= start);
        }
        let outer_end = open.last().map_or(BootNanos::MAX, |(end, ..)| *end);
        let whole = slice.end <= outer_end && !slice.is_unfinished();
        visitor.begin(start, slice);
        open.push((slice.end.min(outer_end).max(start), whole, *row));
        rows.open(*row);
    }
    while let Some((end, whole, _)) = open.pop() {
        visitor.end(end, whole);
    }
}
