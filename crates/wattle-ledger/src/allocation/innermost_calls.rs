//! The low-level calls of a timeline, and when each was innermost.

use rustc_hash::FxHashMap;
use wattle_timeline::{
    CallSlice, CounterScope, NameId, SliceScope, SliceTrack, ThreadId, Timeline, Window,
};
use wattle_units::BootNanos;

use super::{CallAmount, CallPath, NamePattern};
use crate::callee::Callee;
use crate::slice_rows::{self, OpenRows};

/// All low-level calls.
#[derive(Debug, Default)]
pub(crate) struct Calls {
    pub amounts: Vec<CallAmount>,
    pub paths: Vec<CallPath>,
    /// By call: how many bytes it is known to have moved, and the low-level call around it, which comes before it.
    pub moved: Vec<(u32, Option<u32>)>,
    /// When a call was the innermost low-level one of its thread, and which: by thread, then in order of time.
    pub pieces: Vec<(Window, u32)>,
}

/// An open slice.
#[derive(Clone, Copy)]
struct Open {
    end: BootNanos,
    path: u32,
    /// The innermost low-level call: itself, or the one around it.
    call: Option<u32>,
    /// The row that it is of.
    row: usize,
}

impl Calls {
    /// By call: the bytes that it moved itself. Of calls inside each other the inner ones have theirs, the outer one what is
    /// left, so that no byte is there twice.
    pub fn own_bytes(&self) -> Vec<u64> {
        let mut own = vec![0; self.moved.len()];
        // Of a call and of all that are in it.
        let mut inside = vec![0_u64; self.moved.len()];
        for (at, (bytes, around)) in self.moved.iter().enumerate().rev() {
            let inner = inside.get(at).copied().unwrap_or_default();
            let all = inner.max(u64::from(*bytes));
            if let Some(own) = own.get_mut(at) {
                *own = all - inner;
            }
            if let Some(sum) = around.and_then(|around| inside.get_mut(around as usize)) {
                *sum += all;
            }
        }
        own
    }

    /// Whether the recording has any such name at all. There are few names and many slices: most recordings need not
    /// be gone through for calls that they do not have.
    pub fn are_named(timeline: &Timeline, patterns: &[NamePattern]) -> bool {
        timeline.names.texts().any(|text| patterns.iter().any(|pattern| pattern.matches(text)))
    }

    /// Those of the threads that the counter counts for.
    pub fn find(timeline: &Timeline, patterns: &[NamePattern], scope: CounterScope) -> Self {
        let mut names = Names { timeline, patterns, known: FxHashMap::default() };
        let mut of_thread: Vec<(ThreadId, &SliceTrack)> = timeline
            .code
            .slices
            .tracks
            .iter()
            .filter_map(|track| match track.scope {
                SliceScope::Thread(thread) if is_counted(timeline, thread, scope) => {
                    Some((thread, track))
                }
                _ => None,
            })
            .collect();
        of_thread.sort_by_key(|(thread, _)| *thread);
        let mut found = Self::default();
        for tracks in of_thread.chunk_by(|one, other| one.0 == other.0) {
            let Some((thread, _)) = tracks.first() else { continue };
            let slices = slice_rows::in_order(timeline, tracks.iter().map(|(_, track)| *track));
            found.add(*thread, &slices, timeline.window.end, &mut names);
        }
        found
    }

    fn add(
        &mut self,
        thread: ThreadId,
        slices: &[(usize, CallSlice)],
        last: BootNanos,
        names: &mut Names<'_>,
    ) {
        let mut paths: FxHashMap<(Option<u32>, Callee), u32> = FxHashMap::default();
        let mut open: Vec<Open> = Vec::new();
        let mut from = BootNanos::MIN;
        let mut rows = OpenRows::default();
        for (row, slice) in slices {
            while let Some(top) = open.last()
                && (rows.exceed(*row, slice.depth)
                    || top.end < slice.start
                    || (top.end == slice.start && slice.end > slice.start))
            {
                let until = top.end.min(slice.start);
                rows.close(top.row);
                self.reach(until, &mut from, &open);
                self.close(&mut open, until);
            }
            self.reach(slice.start, &mut from, &open);
            let around = open.last().copied();
            let caller = around.map(|around| around.path);
            let callee = Callee::new(slice.name, slice.site);
            let path = *paths.entry((caller, callee)).or_insert_with(|| {
                let CallSlice { name, site, .. } = *slice;
                self.paths.push(CallPath { thread, caller, name, site });
                (self.paths.len() - 1) as u32
            });
            let limit = around.map_or(last.max(slice.start), |around| around.end);
            let end = slice.end.min(limit).max(slice.start);
            let mut call = around.and_then(|around| around.call);
            if names.is_meant(slice.name) {
                self.moved.push((slice.bytes, call));
                call = Some(self.amounts.len() as u32);
                let window = Window { start: slice.start, end };
                self.amounts.push(CallAmount { thread, window, path, amount: 0.0 });
            }
            rows.open(*row);
            open.push(Open { end, path, call, row: *row });
        }
        while let Some(top) = open.last() {
            let until = top.end;
            self.reach(until, &mut from, &open);
            self.close(&mut open, until);
        }
    }

    /// The innermost call ran until now.
    fn reach(&mut self, time: BootNanos, from: &mut BootNanos, open: &[Open]) {
        let start = *from;
        *from = time.max(start);
        if let Some(call) = open.last().and_then(|top| top.call)
            && start < time
        {
            self.pieces.push((Window { start, end: time }, call));
        }
    }

    /// The innermost slice ends, at the latest now.
    fn close(&mut self, open: &mut Vec<Open>, time: BootNanos) {
        let Some(over) = open.pop() else { return };
        let around = open.last().and_then(|around| around.call);
        if let Some(call) = over.call
            && over.call != around
            && let Some(call) = self.amounts.get_mut(call as usize)
        {
            call.window.end = call.window.end.min(time).max(call.window.start);
        }
    }
}

/// Which names are low-level calls, each looked at once.
struct Names<'a> {
    timeline: &'a Timeline,
    patterns: &'a [NamePattern],
    known: FxHashMap<NameId, bool>,
}

impl Names<'_> {
    fn is_meant(&mut self, name: NameId) -> bool {
        *self.known.entry(name).or_insert_with(|| {
            let text = self.timeline.names.get(name);
            self.patterns.iter().any(|pattern| pattern.matches(text))
        })
    }
}

/// Whether what a thread does is in a counter.
fn is_counted(timeline: &Timeline, thread: ThreadId, scope: CounterScope) -> bool {
    let Some(facts) = timeline.tasks.threads.get(thread.index()) else { return false };
    match scope {
        CounterScope::Global | CounterScope::Cpu(_) => true,
        CounterScope::Thread(counted) => counted == thread,
        CounterScope::Process(process) => facts.process == Some(process),
        CounterScope::Uid(uid) => facts
            .process
            .and_then(|process| timeline.tasks.processes.get(process.index()))
            .is_some_and(|process| process.uid == Some(uid)),
    }
}
