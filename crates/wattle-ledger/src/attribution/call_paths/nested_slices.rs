//! The call tree of one thread out of its slices.
//!
//! ```text
//! slices      ┌─ a ──────────────┐┌─ a ──┐
//!             │  ┌─ b ─┐┌─ b ─┐  ││      │
//! innermost  0│ 1│  2  │   2  │ 1│   1   │0      nodes: 0 root, 1 root→a, 2 root→a→b
//! ```
//! Slices of one row nest by their depths, rows of one thread by time alone.

use rustc_hash::FxHashMap;
use wattle_timeline::{CallSlice, Window};
use wattle_units::{BootNanos, Nanos};

use super::path_node::Node;
use super::probe_time::ProbeTime;
use super::thread_calls::ThreadCalls;
use crate::attribution::work;
use crate::callee::Callee;
use crate::slice_rows::OpenRows;

/// From slices in order of start, each with its row, within which its depth is known. An open call ends at the latest with the
/// call around it.
pub(super) fn nest(
    slices: impl Iterator<Item = (usize, CallSlice)>,
    window: Window,
    mut probes: Option<ProbeTime<'_>>,
) -> ThreadCalls {
    let changes = slices.size_hint().0 * 2;
    let mut calls = ThreadCalls::with_capacity(changes);
    let mut callees: FxHashMap<(u32, Callee), u32> = FxHashMap::default();
    let mut open: Vec<(BootNanos, u32, usize)> = Vec::new();
    let mut rows = OpenRows::default();
    let mut latest = BootNanos::MIN;
    for (row, slice) in slices {
        work::count();
        let start = slice.start.max(latest);
        latest = start;
        while let Some((end, _, of)) = open.last().copied()
            && (rows.exceed(row, slice.depth) || end < start || (end == start && slice.end > start))
        {
            open.pop();
            rows.close(of);
            match &mut probes {
                None => {
                    calls.change_to(end.min(start), open.last().map_or(0, |it| it.1));
                }
                Some(probes) => probes.end(end.min(start), &mut calls),
            }
        }
        let (outer_end, caller, _) = open.last().copied().unwrap_or((BootNanos::MAX, 0, 0));
        let callee = Callee::new(slice.name, slice.site);
        let node = *callees.entry((caller, callee)).or_insert_with(|| {
            calls.nodes.push(Node {
                caller: Some(caller),
                name: Some(slice.name),
                site: slice.site,
                ..Node::ROOT
            });
            (calls.nodes.len() - 1) as u32
        });
        let end = slice.end.min(outer_end).max(start);
        if let Some(node) = calls.nodes.get_mut(node as usize) {
            node.calls += u64::from(window.contains(start));
            node.wall += Window::new(start, end).intersect(window).duration();
            if let Some(cpu) = slice.cpu.filter(|_| start <= window.end && end >= window.start) {
                *node.clock_cpu.get_or_insert(Nanos::ZERO) += cpu;
            }
        }
        match &mut probes {
            None => calls.change_to(start, node),
            Some(probes) => {
                let ends = slice.end <= outer_end && !slice.is_unfinished();
                probes.begin(start, node, slice.origin, ends, &mut calls);
            }
        }
        open.push((end, node, row));
        rows.open(row);
    }
    while let Some((end, ..)) = open.pop() {
        match &mut probes {
            None => calls.change_to(end, open.last().map_or(0, |it| it.1)),
            Some(probes) => probes.end(end, &mut calls),
        }
    }
    if let Some(probes) = probes {
        calls.probes = probes.finish(&mut calls);
    }
    calls
}

#[cfg(test)]
mod tests {
    use wattle_timeline::NameId;

    use super::*;

    /// (start, end, name, depth)
    type Slice = (i64, i64, u32, u16);

    fn build(slices: &[Slice], depth_is_known: bool, window: (i64, i64)) -> ThreadCalls {
        let slices = slices.iter().enumerate().map(|(index, (start, end, name, depth))| {
            let row = if depth_is_known { 0 } else { index };
            let slice = CallSlice {
                start: BootNanos::new(*start),
                end: BootNanos::new(*end),
                name: NameId(*name),
                depth: *depth,
                origin: wattle_timeline::SliceOrigin::Recorded,
                bytes: 0,
                site: None,
                cpu: (*name == 2).then_some(Nanos::new(4)),
            };
            (row, slice)
        });
        let window = Window::new(BootNanos::new(window.0), BootNanos::new(window.1));
        nest(slices, window, None)
    }

    #[track_caller]
    fn check(slices: &[Slice], depth_is_known: bool, changes: &[(i64, u32)]) {
        let calls = build(slices, depth_is_known, (0, 1000));
        assert_eq!(calls.changes(), changes);
        for time in -1..120 {
            let expected = changes.iter().rev().find(|(at, _)| *at <= time).map_or(0, |c| c.1);
            for from in 0..=changes.iter().filter(|(at, _)| *at <= time).count() {
                let place = calls.seek(0, BootNanos::new(time), from);
                assert_eq!(place.path(), expected, "at {time} from {from}");
            }
        }
    }

    #[test]
    fn the_innermost_open_call_counts() {
        check(&[], true, &[]);
        check(&[(10, 20, 7, 0)], true, &[(10, 1), (20, 0)]);
        // One in another, then the same again: the path is found, not made anew.
        check(
            &[(10, 50, 1, 0), (20, 30, 2, 1), (30, 40, 2, 1), (60, 70, 1, 0)],
            true,
            &[(10, 1), (20, 2), (40, 1), (50, 0), (60, 1), (70, 0)],
        );
        // The same name at another place is another path.
        check(&[(10, 20, 1, 0), (12, 18, 1, 1)], true, &[(10, 1), (12, 2), (18, 1), (20, 0)]);
        // End and start at one instant.
        check(&[(10, 20, 1, 0), (20, 30, 2, 0)], true, &[(10, 1), (20, 2), (30, 0)]);
        // No end was seen.
        check(&[(10, i64::MAX, 1, 0), (12, 18, 2, 1)], true, &[(10, 1), (12, 2), (18, 1)]);
    }

    #[test]
    fn slices_that_do_not_nest_are_made_to() {
        // A callee that outlives its caller ends with it.
        check(&[(10, 20, 1, 0), (15, 40, 2, 1)], true, &[(10, 1), (15, 2), (20, 0)]);
        // Depth 0 says that the first is over.
        check(&[(10, 50, 1, 0), (20, 30, 2, 0)], true, &[(10, 1), (20, 2), (30, 0)]);
        // A depth that skips levels.
        check(&[(10, 50, 1, 9)], true, &[(10, 1), (50, 0)]);
        // Two rows of one thread: by time alone.
        check(&[(10, 50, 1, 0), (20, 30, 2, 0)], false, &[(10, 1), (20, 2), (30, 1), (50, 0)]);
        // Starts that go backwards.
        check(&[(30, 50, 1, 0), (20, 40, 2, 0)], true, &[(30, 2), (40, 0)]);
    }

    #[test]
    fn rows_of_one_thread() {
        // (row, start, end, name, depth): a section of 1 ns inside the second of two calls that took no time at the end of a call.
        let slices = [
            (1, 10, 50, 1, 0),
            (1, 20, 30, 2, 1),
            (1, 30, 30, 3, 1),
            (1, 30, 31, 4, 1),
            (0, 30, 31, 5, 0),
            (1, 31, 31, 6, 1),
        ];
        let slices = slices.map(|(row, start, end, name, depth)| {
            let slice = CallSlice {
                start: BootNanos::new(start),
                end: BootNanos::new(end),
                name: NameId(name),
                depth,
                origin: wattle_timeline::SliceOrigin::Recorded,
                bytes: 0,
                site: None,
                cpu: None,
            };
            (row, slice)
        });
        let window = Window::new(BootNanos::new(0), BootNanos::new(100));
        let calls = nest(slices.into_iter(), window, None);
        let callers: Vec<_> = calls.nodes.iter().map(|node| node.caller).collect();
        assert_eq!(callers, [None, Some(0), Some(1), Some(1), Some(1), Some(4), Some(1)]);
    }

    #[test]
    fn calls_and_wall_time_are_counted_inside_the_window() {
        let slices = [(0, 30, 1, 0), (10, 20, 2, 1), (25, 25, 2, 1), (40, i64::MAX, 1, 0)];
        let calls = build(&slices, true, (15, 50));
        let counted: Vec<_> = calls.nodes.iter().map(|n| (n.calls, n.wall.value())).collect();
        assert_eq!(counted, [(0, 0), (1, 15 + 10), (1, 5)]);
        let cpu: Vec<_> = calls.nodes.iter().map(|node| node.clock_cpu).collect();
        assert_eq!(cpu, [None, None, Some(Nanos::new(8))]);
    }
}
