//! Which call was innermost on each thread at each instant.

use rustc_hash::FxHashMap;
use wattle_timeline::{
    CallSlice, NameId, SiteId, SliceScope, SliceTrack, ThreadId, Timeline, Window,
};
use wattle_units::{BootNanos, Nanos};

use crate::burden::{Burden, Burdens, ProbeCount};
use crate::sample_tree::SampledThreads;
use crate::slice_rows::{self, OpenRows};

/// The mark of a stretch that probes took from the path's own time.
const TAKEN: u32 = 1 << 31;

/// A call path of one thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Node {
    /// The caller's index in [`ThreadCalls::nodes`]; `None` for the root.
    pub(crate) caller: Option<u32>,
    /// The slice's name; `None` for the root.
    pub(crate) name: Option<NameId>,
    /// The place in the app's code; calls of one name from several lines are several nodes.
    pub(crate) site: Option<SiteId>,
    /// How often it was entered inside the window.
    pub(crate) calls: u64,
    /// From entry to exit, inside the window.
    pub(crate) wall: Nanos,
    /// On a CPU from entry to exit by the thread's own clock, of the calls that were open inside the window; `None` where it was
    /// read for none of them.
    pub(crate) clock_cpu: Option<Nanos>,
    /// The frame of a sampled stack, by its number in [`crate::sample_tree::FrameTable`]; such a node has no name.
    pub(crate) frame: Option<u32>,
    /// How many samples inside the window found it innermost.
    pub(crate) samples: u64,
}

impl Node {
    /// A thread outside of all calls.
    pub(crate) const ROOT: Self = Self {
        caller: None,
        name: None,
        site: None,
        calls: 0,
        wall: Nanos::ZERO,
        frame: None,
        samples: 0,
        clock_cpu: None,
    };

    /// Whether it was open at any time inside the window, or sampled.
    pub(crate) fn is_inside(&self) -> bool {
        self.calls > 0 || self.wall > Nanos::ZERO || self.samples > 0
    }
}

/// What tells the callees of a node apart, in one number: they are looked up once for each slice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Callee(u64);

impl Callee {
    pub(crate) fn new(name: NameId, site: Option<SiteId>) -> Self {
        let site = site.map_or(0, |site| site.index() as u64 + 1);
        Self(site << 32 | u64::from(name.0))
    }
}

/// The call tree of one thread, and its innermost node over time.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct ThreadCalls {
    /// The root first, callers before callees. Empty for a thread that has no slices.
    pub(crate) nodes: Vec<Node>,
    change: Vec<BootNanos>,
    /// With [`TAKEN`] where probes had the time.
    innermost: Vec<u32>,
    /// Its probes.
    pub(crate) probes: ProbeCount,
}

/// A thread without slices.
static NO_CALLS: ThreadCalls = ThreadCalls {
    nodes: Vec::new(),
    change: Vec::new(),
    innermost: Vec::new(),
    probes: ProbeCount { events: 0, unpriced: 0, short: 0 },
};

/// The call trees of all threads. A path is numbered over all threads: each thread's root, then its other
/// nodes, in order of threads.
#[derive(Debug)]
pub(crate) struct CallTrees {
    threads: Vec<ThreadCalls>,
    base: Vec<u32>,
    count: usize,
}

impl CallTrees {
    /// From the samples of the threads that are looked at through them, and the slices of all others; calls, wall time and samples
    /// are counted inside the window.
    pub(crate) fn new(
        timeline: &Timeline,
        burdens: &Burdens,
        sampled: &SampledThreads,
        window: Window,
        workers: usize,
    ) -> Self {
        let mut of_thread: Vec<(ThreadId, &SliceTrack)> = timeline
            .slices
            .tracks
            .iter()
            .filter_map(|track| match track.scope {
                SliceScope::Thread(thread)
                    if thread.index() < timeline.threads.len() && !sampled.has(thread) =>
                {
                    Some((thread, track))
                }
                _ => None,
            })
            .collect();
        of_thread.sort_by_key(|(thread, _)| *thread);
        let jobs: Vec<&[(ThreadId, &SliceTrack)]> =
            of_thread.chunk_by(|one, other| one.0 == other.0).collect();
        let burden = |thread| burdens.of(timeline, thread, window);
        let built = wattle_workers::ordered(workers, &jobs, |tracks| match tracks {
            [(thread, track)] => {
                let slices = timeline.slices.of(track).map(|slice| (0, slice));
                ThreadCalls::new(slices, window, burden(*thread))
            }
            // Several rows of one thread nest in each other by time alone; their depths know nothing of each other.
            several => {
                let rows = several.iter().map(|(_, track)| *track);
                let slices = slice_rows::in_order(timeline, rows);
                let burden = several.first().and_then(|(thread, _)| burden(*thread));
                ThreadCalls::new(slices.into_iter(), window, burden)
            }
        });
        let mut threads = vec![ThreadCalls::default(); timeline.threads.len()];
        for (tracks, calls) in jobs.iter().zip(built) {
            if let Some(slot) =
                tracks.first().and_then(|(thread, _)| threads.get_mut(thread.index()))
            {
                *slot = calls;
            }
        }
        let with_samples = sampled.threads();
        let trees = wattle_workers::ordered(workers, &with_samples, |thread| {
            sampled.calls(timeline, *thread, window)
        });
        for (thread, calls) in with_samples.iter().zip(trees) {
            if let Some(slot) = threads.get_mut(thread.index()) {
                *slot = calls;
            }
        }
        let mut count = 0;
        let base = threads
            .iter()
            .map(|calls| {
                let base = count as u32;
                count += calls.nodes.len().max(1);
                base
            })
            .collect();
        Self { threads, base, count }
    }

    /// Number of paths over all threads.
    pub(crate) fn len(&self) -> usize {
        self.count
    }

    /// The probe events of all threads.
    pub(crate) fn probes(&self) -> impl Iterator<Item = ProbeCount> + '_ {
        self.threads.iter().map(|calls| calls.probes)
    }

    /// Number of the thread's root path.
    pub(crate) fn root(&self, thread: ThreadId) -> u32 {
        self.base.get(thread.index()).copied().unwrap_or_default()
    }

    /// The thread of a path, and its first path and the one past its last.
    pub(crate) fn thread_of(&self, path: u32) -> (ThreadId, u32, u32) {
        let index = self.base.partition_point(|base| *base <= path).saturating_sub(1);
        let base = self.base.get(index).copied().unwrap_or_default();
        let end = self.base.get(index + 1).copied().unwrap_or(self.count as u32);
        (ThreadId(index as u32), base, end)
    }

    /// The paths of one thread, root first.
    pub(crate) fn nodes(&self, thread: ThreadId) -> &[Node] {
        match self.threads.get(thread.index()) {
            Some(calls) if !calls.nodes.is_empty() => &calls.nodes,
            _ => &[Node::ROOT],
        }
    }

    /// Where the thread is at the instant, going on from a place that it was at earlier.
    pub(crate) fn seek(&self, thread: ThreadId, time: BootNanos, from: usize) -> Place<'_> {
        let root = self.root(thread);
        let Some(calls) = self.threads.get(thread.index()) else {
            return Place { calls: &NO_CALLS, root, next: 0 };
        };
        Place { calls, root, next: gallop(&calls.change, time, from) }
    }
}

/// A thread at an instant.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place<'a> {
    calls: &'a ThreadCalls,
    root: u32,
    next: usize,
}

impl Place<'_> {
    /// The innermost path, numbered over all threads.
    #[inline]
    pub(crate) fn path(self) -> u32 {
        self.root + (self.marked() & !TAKEN)
    }

    /// Whether probes have the time, and not the path's own code.
    #[inline]
    pub(crate) fn is_taken(self) -> bool {
        self.marked() & TAKEN != 0
    }

    #[inline]
    fn marked(self) -> u32 {
        let before = self.next.checked_sub(1).and_then(|i| self.calls.innermost.get(i));
        before.copied().unwrap_or_default()
    }

    /// When it changes next.
    #[inline]
    pub(crate) fn until(self) -> BootNanos {
        self.calls.change.get(self.next).copied().unwrap_or(BootNanos::MAX)
    }

    /// Goes on to the next change.
    #[inline]
    pub(crate) fn step(&mut self) {
        self.next += 1;
    }

    /// To go on from later.
    #[inline]
    pub(crate) fn position(self) -> usize {
        self.next
    }
}

/// Index of the first time after the instant, looking from an index on in growing strides.
fn gallop(times: &[BootNanos], time: BootNanos, from: usize) -> usize {
    let mut low = from;
    let mut stride = 1;
    while let Some(at) = times.get(low + stride - 1)
        && *at <= time
    {
        low += stride;
        stride *= 2;
    }
    let high = (low + stride - 1).min(times.len());
    low + times.get(low..high).map_or(0, |rest| rest.partition_point(|at| *at <= time))
}

impl ThreadCalls {
    /// Outside of all calls all the time.
    pub(crate) fn outside() -> Self {
        Self { nodes: vec![Node::ROOT], ..Self::default() }
    }

    /// From slices in order of start, each with its row, within which its depth is known. An open call ends at the latest with the
    /// call around it.
    fn new(
        slices: impl Iterator<Item = (usize, CallSlice)>,
        window: Window,
        mut burden: Option<Burden<'_>>,
    ) -> Self {
        let changes = slices.size_hint().0 * 2;
        let mut calls = Self {
            nodes: vec![Node::ROOT],
            change: Vec::with_capacity(changes),
            innermost: Vec::with_capacity(changes),
            probes: ProbeCount::default(),
        };
        let mut callees: FxHashMap<(u32, Callee), u32> = FxHashMap::default();
        let mut open: Vec<(BootNanos, u32, usize)> = Vec::new();
        let mut rows = OpenRows::default();
        let mut latest = BootNanos::MIN;
        for (row, slice) in slices {
            let start = slice.start.max(latest);
            latest = start;
            while let Some((end, _, of)) = open.last().copied()
                && (rows.exceed(row, slice.depth)
                    || end < start
                    || (end == start && slice.end > start))
            {
                open.pop();
                rows.close(of);
                match &mut burden {
                    None => {
                        calls.change_to(end.min(start), open.last().map_or(0, |it| it.1));
                    }
                    Some(burden) => burden.end(end.min(start), &mut calls),
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
                if let Some(cpu) = slice.cpu.filter(|_| start <= window.end && end >= window.start)
                {
                    *node.clock_cpu.get_or_insert(Nanos::ZERO) += cpu;
                }
            }
            match &mut burden {
                None => calls.change_to(start, node),
                Some(burden) => {
                    let ends = slice.end <= outer_end && !slice.is_unfinished();
                    burden.begin(start, node, slice.origin, ends, &mut calls);
                }
            }
            open.push((end, node, row));
            rows.open(row);
        }
        while let Some((end, ..)) = open.pop() {
            match &mut burden {
                None => calls.change_to(end, open.last().map_or(0, |it| it.1)),
                Some(burden) => burden.end(end, &mut calls),
            }
        }
        if let Some(burden) = burden {
            calls.probes = burden.finish(&mut calls);
        }
        calls
    }

    /// From the instant on the node is innermost, but probes have the time.
    pub(crate) fn taken_from(&mut self, time: BootNanos, node: u32) {
        self.change_to(time, node | TAKEN);
    }

    /// From the instant on the node is innermost.
    pub(crate) fn change_to(&mut self, time: BootNanos, node: u32) {
        if time == BootNanos::MAX {
            return;
        }
        if self.change.last() == Some(&time) {
            self.change.pop();
            self.innermost.pop();
        }
        if self.innermost.last().copied().unwrap_or_default() != node {
            self.change.push(time);
            self.innermost.push(node);
        }
    }
}

#[cfg(test)]
mod tests {
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
        ThreadCalls::new(slices, window, None)
    }

    #[track_caller]
    fn check(slices: &[Slice], depth_is_known: bool, changes: &[(i64, u32)]) {
        let calls = build(slices, depth_is_known, (0, 1000));
        let found: Vec<_> =
            calls.change.iter().map(|t| t.value()).zip(calls.innermost.iter().copied()).collect();
        assert_eq!(found, changes);
        for time in -1..120 {
            let expected = changes.iter().rev().find(|(at, _)| *at <= time).map_or(0, |c| c.1);
            for from in 0..=changes.iter().filter(|(at, _)| *at <= time).count() {
                let next = gallop(&calls.change, BootNanos::new(time), from);
                let place = Place { calls: &calls, root: 0, next };
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
        let calls = ThreadCalls::new(slices.into_iter(), window, None);
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
