//! Begins and ends of slices while they are being read, and how they become slices.
//!
//! A thread's begins and ends come as a few runs, one for each CPU it ran on, each in order of time:
//! they are put into buckets by thread and merged (a stable sort that finds runs).
//!
//! A thread that is traced both by the kernel and by probes has two families of slices in two clocks. Each
//! family's ends close its own slices only; where both cross by an error of a clock, the inner one is cut off.

use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::FxHashMap;
use wattle_units::BootNanos;

use super::scope::{RawScope, ScopeResolver};
use super::site_log::{ProbedName, ProbedNames};
use super::task_lives::ThreadTable;
use crate::{CallSlices, NameId, SiteId, SliceOrigin, SliceScope, SliceTrack, ThreadId};

/// A row of asynchronous slices: see [`super::CodeBuilder::slice_track`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SliceTrackKey(u32);

/// Treatment of asynchronous slices that are open at one time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Overlap {
    /// They nest, whatever their cookie.
    Nest,
    /// Those of one cookie nest, those of others get a row of their own (atrace `G` and `H`).
    NestByCookie,
    /// A second begin of a cookie that is open is ignored, others get a row of their own (atrace `S` and
    /// `F`; some programs begin often and end once).
    IgnoreByCookie,
}

/// The effect of an event, in the place of a name.
const END: u32 = u32::MAX;
/// The end of a slice that probes began.
const PROBE_END: u32 = u32::MAX - 1;
const INSTANT: u32 = 1 << 31;
const ORIGIN_SHIFT: u32 = 29;
const ORIGIN: u32 = 3 << ORIGIN_SHIFT;
const NAME: u32 = (1 << ORIGIN_SHIFT) - 1;
/// The end of a slice that probes began and that moved as many bytes as the bits of the name say. No instant has an origin.
const PROBE_END_WITH: u32 = INSTANT | 1 << ORIGIN_SHIFT;

fn is_end(what: u32) -> bool {
    what & INSTANT != 0 && what & ORIGIN != 0
}

fn with_origin(name: ProbedName, origin: SliceOrigin) -> u32 {
    (name.0 & NAME) | (origin as u32) << ORIGIN_SHIFT
}

fn origin_of(what: u32) -> SliceOrigin {
    match (what & ORIGIN) >> ORIGIN_SHIFT {
        1 => SliceOrigin::ProbedMethod,
        2 => SliceOrigin::ProbedCall,
        3 => SliceOrigin::Recorder,
        _ => SliceOrigin::Recorded,
    }
}

#[derive(Clone, Copy, Debug)]
struct SyncEvent {
    time: i64,
    tid: u32,
    /// Name of what begins, or of probes what [`ProbedNames`] has it under with its origin, [`END`], [`PROBE_END`], or a name
    /// with [`INSTANT`].
    what: u32,
}

#[derive(Clone, Copy, Debug)]
struct AsyncEvent {
    time: i64,
    cookie: i64,
    track: u32,
    what: u32,
}

#[derive(Debug, Default)]
pub(crate) struct SliceLog {
    sync: Vec<SyncEvent>,
    probed: ProbedNames,
    asynchronous: Vec<AsyncEvent>,
    tracks: Vec<(RawScope, Option<NameId>, Overlap)>,
    index: FxHashMap<(RawScope, Option<NameId>, Overlap, u64), u32>,
}

impl SliceLog {
    #[inline]
    pub fn begin(&mut self, time: i64, tid: u32, name: NameId) {
        self.sync.push(SyncEvent { time, tid, what: name.0 });
    }

    #[inline]
    pub fn end(&mut self, time: i64, tid: u32) {
        self.sync.push(SyncEvent { time, tid, what: END });
    }

    pub fn probed(&mut self, name: NameId, site: Option<SiteId>) -> ProbedName {
        self.probed.intern(name, site)
    }

    pub fn probe_begin(&mut self, time: i64, tid: u32, name: ProbedName, origin: SliceOrigin) {
        if origin == SliceOrigin::Recorded {
            return self.begin(time, tid, self.probed.get(name.0).0);
        }
        self.sync.push(SyncEvent { time, tid, what: with_origin(name, origin) });
    }

    pub fn probe_end(&mut self, time: i64, tid: u32, bytes: u32) {
        let what = if bytes == 0 { PROBE_END } else { PROBE_END_WITH | bytes.min(NAME) };
        self.sync.push(SyncEvent { time, tid, what });
    }

    pub fn instant(&mut self, time: i64, tid: u32, name: NameId) {
        self.sync.push(SyncEvent { time, tid, what: name.0 | INSTANT });
    }

    pub fn track(
        &mut self,
        scope: RawScope,
        name: Option<NameId>,
        overlap: Overlap,
        id: u64,
    ) -> SliceTrackKey {
        let next = self.tracks.len() as u32;
        let key = *self.index.entry((scope, name, overlap, id)).or_insert(next);
        if key == next {
            self.tracks.push((scope, name, overlap));
        }
        SliceTrackKey(key)
    }

    pub fn track_begin(&mut self, time: i64, track: SliceTrackKey, cookie: i64, name: NameId) {
        self.asynchronous.push(AsyncEvent { time, cookie, track: track.0, what: name.0 });
    }

    pub fn track_end(&mut self, time: i64, track: SliceTrackKey, cookie: i64) {
        self.asynchronous.push(AsyncEvent { time, cookie, track: track.0, what: END });
    }

    pub fn track_instant(&mut self, time: i64, track: SliceTrackKey, name: NameId) {
        let what = name.0 | INSTANT;
        self.asynchronous.push(AsyncEvent { time, cookie: 0, track: track.0, what });
    }

    pub fn finish(mut self, from: BootNanos, scopes: &ScopeResolver<'_>) -> CallSlices {
        if from > BootNanos::MIN {
            self.sync.retain(|event| event.time >= from.value());
            self.asynchronous.retain(|event| event.time >= from.value());
        }
        let mut slices = CallSlices::default();
        finish_sync(self.sync, &self.probed, scopes.threads, &mut slices);
        finish_async(&self.asynchronous, &self.tracks, scopes, &mut slices);
        if !slices.origin.is_empty() {
            slices.origin.resize(slices.len(), SliceOrigin::Recorded);
        }
        if !slices.bytes.is_empty() {
            slices.bytes.resize(slices.len(), 0);
        }
        if !slices.site.is_empty() {
            slices.site.resize(slices.len(), None);
        }
        slices
    }
}

fn finish_sync(
    mut events: Vec<SyncEvent>,
    probed: &ProbedNames,
    threads: &ThreadTable<'_>,
    slices: &mut CallSlices,
) {
    let mut starts: Vec<u32> = Vec::new();
    for event in &mut events {
        event.tid = threads.thread(event.tid, event.time).0;
        let slot = event.tid as usize + 1;
        if starts.len() <= slot {
            starts.resize(slot + 1, 0);
        }
        starts[slot] += 1;
    }
    for i in 1..starts.len() {
        starts[i] += starts[i - 1];
    }
    let mut buckets = vec![SyncEvent { time: 0, tid: 0, what: 0 }; events.len()];
    let mut next = starts.clone();
    for event in &events {
        let slot = &mut next[event.tid as usize];
        buckets[*slot as usize] = *event;
        *slot += 1;
    }
    drop(events);
    let begins = buckets.iter().filter(|event| !is_end(event.what)).count();
    slices.start.reserve_exact(begins);
    slices.end.reserve_exact(begins);
    slices.name.reserve_exact(begins);
    slices.depth.reserve_exact(begins);
    let mut open = Vec::new();
    for (thread, range) in starts.windows(2).enumerate() {
        let events = &mut buckets[range[0] as usize..range[1] as usize];
        if events.is_empty() {
            continue;
        }
        events.sort_by_key(|event| event.time);
        // The row of one thread is done before the next one's begins, so it is written where it stays.
        let first = slices.len() as u32;
        if events.iter().any(|event| is_of_probes(event.what)) {
            let mut open = Families::default();
            for event in merged(events) {
                open.apply(slices, probed, event.time, event.what);
            }
        } else {
            open.clear();
            for event in &*events {
                slices.apply(&mut open, event.time, event.what);
            }
        }
        let count = slices.len() as u32 - first;
        if count > 0 {
            let scope = SliceScope::Thread(ThreadId(thread as u32));
            slices.tracks.push(SliceTrack { scope, name: None, first, count });
        }
    }
}

fn is_of_probes(what: u32) -> bool {
    let is_end = what == PROBE_END || what & !NAME == PROBE_END_WITH;
    is_end || (what & INSTANT == 0 && what & ORIGIN != 0)
}

/// Both families in order of time. At one instant probes begin before sections and end after them: what is in the app's own
/// code encloses what that calls.
fn merged(events: &[SyncEvent]) -> impl Iterator<Item = SyncEvent> + '_ {
    let of = |probes: bool| events.iter().copied().filter(move |e| is_of_probes(e.what) == probes);
    let (mut sections, mut probes) = (of(false).peekable(), of(true).peekable());
    std::iter::from_fn(move || {
        let take_probe = match (sections.peek(), probes.peek()) {
            (Some(section), Some(probe)) => {
                let begins_first = probe.time == section.time && !is_end(probe.what);
                probe.time < section.time || begins_first
            }
            (None, _) => true,
            (Some(_), None) => false,
        };
        if take_probe { probes.next() } else { sections.next() }
    })
}

/// Largest distance of the clocks of both families, in nanoseconds.
const CLOCK_ERROR: i64 = 20_000;

/// The open slices of a thread that has slices of its own and of probes.
#[derive(Default)]
struct Families {
    /// Open slices that enclose each other, outermost first.
    live: Vec<u32>,
    /// The open slices of each family, those that were cut off included.
    begun: [Vec<u32>; 2],
}

impl Families {
    /// A slice that ends before one of the other family that began right after it: by an error of the clocks it seems to enclose
    /// what encloses it. Puts that right, if it is so.
    fn swap(&mut self, slices: &mut CallSlices, ended: u32, family: usize, time: i64) -> bool {
        let &[.., below, top] = self.live.as_slice() else { return false };
        let (outer, inner) = (ended as usize, top as usize);
        let is_crossed = below == ended
            && inner == outer + 1
            && (slices.start[inner] - slices.start[outer]).value() <= CLOCK_ERROR
            && self.begun[1 - family].last() == Some(&top);
        if !is_crossed {
            return false;
        }
        let start = slices.start[inner];
        slices.origin.resize(slices.start.len(), SliceOrigin::Recorded);
        slices.name.swap(outer, inner);
        slices.origin.swap(outer, inner);
        if !slices.bytes.is_empty() {
            slices.bytes.resize(slices.start.len(), 0);
            slices.bytes.swap(outer, inner);
        }
        if !slices.site.is_empty() {
            slices.site.resize(slices.start.len(), None);
            slices.site.swap(outer, inner);
        }
        slices.start[outer] = start;
        slices.end[inner] = BootNanos::new(time);
        self.live.pop();
        self.begun[1 - family].pop();
        self.begun[1 - family].push(ended);
        true
    }

    fn apply(&mut self, slices: &mut CallSlices, probed: &ProbedNames, time: i64, what: u32) {
        let family = usize::from(is_of_probes(what));
        if !is_end(what) {
            let index = slices.begin(self.live.len(), time, what);
            if family == 1 {
                slices.set_probed(index as usize, probed, what);
            }
            if what & INSTANT == 0 {
                self.live.push(index);
                self.begun[family].push(index);
            }
            return;
        }
        let Some(ended) = self.begun[family].pop() else { return };
        if what & !NAME == PROBE_END_WITH {
            slices.set_bytes(ended as usize, what & NAME);
        }
        if slices.end.get(ended as usize) != Some(&BootNanos::MAX) {
            return;
        }
        if self.swap(slices, ended, family, time) {
            return;
        }
        // What lies above is of the other family: it cannot outlive what encloses it.
        while let Some(top) = self.live.pop() {
            slices.end[top as usize] = BootNanos::new(time);
            if top == ended {
                break;
            }
        }
    }
}

fn finish_async(
    events: &[AsyncEvent],
    tracks: &[(RawScope, Option<NameId>, Overlap)],
    scopes: &ScopeResolver<'_>,
    slices: &mut CallSlices,
) {
    // A track whose process number was reused is a track for each life.
    let mut lanes: BTreeMap<(u32, SliceScope), Lanes> = BTreeMap::new();
    let mut order: Vec<u32> = (0..events.len() as u32).collect();
    order.sort_by_key(|i| events[*i as usize].time);
    for event in order.into_iter().map(|i| events[i as usize]) {
        let (scope, name, overlap) = tracks[event.track as usize];
        let Some(scope) = scopes.slice(scope, event.time) else { continue };
        let lanes = lanes.entry((event.track, scope)).or_default();
        lanes.apply(event, overlap, || Row::new(scope, name));
    }
    for row in lanes.into_values().flat_map(|lanes| lanes.rows) {
        row.append_to(slices);
    }
}

/// The rows that the slices of one track are spread over, so that each nests.
#[derive(Default)]
struct Lanes {
    rows: Vec<Row>,
    /// Which row holds the open slices of a cookie.
    held: FxHashMap<i64, usize>,
    /// Rows without an open slice; the lowest is used first.
    free: BTreeSet<usize>,
}

impl Lanes {
    fn apply(&mut self, event: AsyncEvent, overlap: Overlap, new: impl FnOnce() -> Row) {
        let cookie = if overlap == Overlap::Nest { 0 } else { event.cookie };
        let holder = self.held.get(&cookie).copied();
        if event.what == END {
            if let Some((index, row)) = holder.and_then(|i| Some((i, self.rows.get_mut(i)?))) {
                row.apply(event.time, END);
                if row.open.is_empty() {
                    self.held.remove(&cookie);
                    self.free.insert(index);
                }
            }
            return;
        }
        let is_instant = event.what & INSTANT != 0;
        let holder = match (overlap, holder) {
            (Overlap::IgnoreByCookie, Some(_)) if !is_instant => return,
            (Overlap::IgnoreByCookie | Overlap::NestByCookie, _) if is_instant => None,
            (_, holder) => holder,
        };
        let index = holder.or_else(|| self.free.first().copied()).unwrap_or_else(|| {
            self.rows.push(new());
            self.free.insert(self.rows.len() - 1);
            self.rows.len() - 1
        });
        if let Some(row) = self.rows.get_mut(index) {
            row.apply(event.time, event.what);
        }
        if !is_instant {
            self.free.remove(&index);
            self.held.insert(cookie, index);
        }
    }
}

/// One row of asynchronous slices while it is being built.
struct Row {
    scope: SliceScope,
    name: Option<NameId>,
    slices: CallSlices,
    /// By index.
    open: Vec<u32>,
}

impl Row {
    fn new(scope: SliceScope, name: Option<NameId>) -> Self {
        Self { scope, name, slices: CallSlices::default(), open: Vec::new() }
    }

    fn apply(&mut self, time: i64, what: u32) {
        self.slices.apply(&mut self.open, time, what);
    }

    fn append_to(self, slices: &mut CallSlices) {
        if self.slices.is_empty() {
            return;
        }
        slices.tracks.push(SliceTrack {
            scope: self.scope,
            name: self.name,
            first: slices.len() as u32,
            count: self.slices.len() as u32,
        });
        slices.start.extend(self.slices.start);
        slices.end.extend(self.slices.end);
        slices.name.extend(self.slices.name);
        slices.depth.extend(self.slices.depth);
    }
}

impl CallSlices {
    /// The effect of one event on the last row, of which these slices are open.
    fn apply(&mut self, open: &mut Vec<u32>, time: i64, what: u32) {
        if what == END {
            // An end without a begin belongs to a slice from before the recording.
            if let Some(open) = open.pop() {
                self.end[open as usize] = BootNanos::new(time);
            }
            return;
        }
        let index = self.begin(open.len(), time, what);
        if what & INSTANT == 0 {
            open.push(index);
        }
    }

    /// A slice begins inside so many others. Its index.
    fn begin(&mut self, depth: usize, time: i64, what: u32) -> u32 {
        let time = BootNanos::new(time);
        let is_instant = what & INSTANT != 0;
        let index = self.start.len();
        self.start.push(time);
        self.end.push(if is_instant { time } else { BootNanos::MAX });
        self.depth.push(u16::try_from(depth).unwrap_or(u16::MAX));
        self.name.push(NameId(if is_instant { what & !INSTANT } else { what & NAME }));
        index as u32
    }

    /// The slice that was begun last is one of probes.
    fn set_probed(&mut self, index: usize, probed: &ProbedNames, what: u32) {
        let (name, site) = probed.get(what & NAME);
        if let Some(slot) = self.name.get_mut(index) {
            *slot = name;
        }
        self.origin.resize(index, SliceOrigin::Recorded);
        self.origin.push(origin_of(what));
        if site.is_some() {
            self.site.resize(index, None);
            self.site.push(site);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Names of probes under their own numbers; those below 20 have no place, others the one of their number.
    fn probed() -> ProbedNames {
        let mut probed = ProbedNames::default();
        for number in 0..40_u32 {
            let site = SiteId::new(number as usize).filter(|_| number >= 20);
            assert_eq!(probed.intern(NameId(number), site), ProbedName(number));
        }
        probed
    }

    /// Begin with a family (0 or 1) and a name, or an end of a family.
    enum Event {
        Begin(usize, u32),
        End(usize),
    }
    use Event::{Begin, End};

    #[track_caller]
    fn check(events: &[(i64, Event)], expected: &[(u32, i64, i64, u16)]) {
        let (mut open, mut slices) = (Families::default(), CallSlices::default());
        for (time, event) in events {
            let what = match event {
                Begin(0, name) => *name,
                Begin(_, name) => with_origin(ProbedName(*name), SliceOrigin::ProbedMethod),
                End(0) => END,
                End(_) => PROBE_END,
            };
            open.apply(&mut slices, &probed(), *time, what);
        }
        let found: Vec<_> = (0..slices.len())
            .filter_map(|i| slices.get(i))
            .map(|s| (s.name.0, s.start.value(), s.end.value(), s.depth))
            .collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn an_error_of_the_clocks_does_not_turn_slices_inside_out() {
        // The section began in the method, 2 ns late by the other clock.
        check(
            &[(1, Begin(0, 8)), (3, Begin(1, 7)), (5, End(0)), (90, End(1))],
            &[(7, 3, 90, 0), (8, 3, 5, 1)],
        );
        check(
            &[(1, Begin(1, 7)), (3, Begin(0, 8)), (5, End(1)), (90, End(0))],
            &[(8, 3, 90, 0), (7, 3, 5, 1)],
        );
        // Too far apart for that.
        let late = 1 + CLOCK_ERROR + 1;
        check(
            &[(1, Begin(0, 8)), (late, Begin(1, 7)), (late + 5, End(0)), (late + 9, End(1))],
            &[(8, 1, late + 5, 0), (7, late, late + 5, 1)],
        );
    }

    #[test]
    fn at_one_instant_probes_enclose_sections() {
        let event = |time, what| SyncEvent { time, tid: 0, what };
        let probe = with_origin(ProbedName(7), SliceOrigin::ProbedMethod);
        let events = [event(1, 8), event(1, probe), event(5, PROBE_END), event(5, END)];
        let found: Vec<_> = merged(&events).map(|event| event.what).collect();
        assert_eq!(found, [probe, 8, END, PROBE_END]);
        // Of one family the order stays.
        let events = [event(5, probe), event(9, PROBE_END), event(9, probe), event(9, PROBE_END)];
        let found: Vec<_> = merged(&events).map(|event| event.what).collect();
        assert_eq!(found, events.map(|event| event.what));
    }

    #[test]
    fn each_family_ends_its_own() {
        check(
            &[(1, Begin(1, 7)), (2, Begin(0, 8)), (3, End(0)), (4, End(1))],
            &[(7, 1, 4, 0), (8, 2, 3, 1)],
        );
        // A section that outlives the method it began in is cut off; its own end closes nothing else.
        let far = |times: i64| times * 2 * CLOCK_ERROR;
        check(
            &[
                (far(1), Begin(1, 7)),
                (far(2), Begin(1, 9)),
                (far(3), Begin(0, 8)),
                (far(4), End(1)),
                (far(5), End(0)),
                (far(6), End(1)),
            ],
            &[(7, far(1), far(6), 0), (9, far(2), far(4), 1), (8, far(3), far(4), 2)],
        );
        // Ends without a begin say nothing.
        check(&[(1, End(1)), (2, Begin(0, 8)), (3, End(1)), (4, End(0))], &[(8, 2, 4, 0)]);
        let never = BootNanos::MAX.value();
        check(
            &[(1, Begin(1, 7)), (2, Begin(0, 8)), (3, End(0))],
            &[(7, 1, never, 0), (8, 2, 3, 1)],
        );
    }

    #[test]
    fn bytes_stay_with_the_call_that_moved_them() {
        let method = with_origin(ProbedName(7), SliceOrigin::ProbedCall);
        let moved = PROBE_END_WITH | 4096;
        // The section seems to enclose the call by an error of the clocks; then the call encloses a section.
        for events in [
            [(1, 8), (3, method), (5, END), (90, moved)],
            [(1, method), (2, 8), (3, END), (90, moved)],
        ] {
            let (mut open, mut slices) = (Families::default(), CallSlices::default());
            for (time, what) in events {
                open.apply(&mut slices, &probed(), time, what);
            }
            let found: Vec<_> = (0..slices.len())
                .filter_map(|i| slices.get(i))
                .map(|s| (s.name.0, s.end.value(), s.bytes))
                .collect();
            let section = events[2].0;
            assert_eq!(found, [(7, 90, 4096), (8, section, 0)]);
        }
        assert!(is_end(END) && is_end(PROBE_END) && is_end(moved));
        assert!(!is_end(method) && !is_end(INSTANT | NAME) && !is_end(NAME));
        assert!(is_of_probes(moved) && !is_of_probes(END) && !is_of_probes(INSTANT | 5));
    }

    #[test]
    fn origins_and_places_are_kept_beside_the_names() {
        for origin in [SliceOrigin::ProbedMethod, SliceOrigin::ProbedCall, SliceOrigin::Recorder] {
            let (mut open, mut slices) = (Families::default(), CallSlices::default());
            let events = [5, with_origin(ProbedName(6), origin), 7 | INSTANT];
            let placed = with_origin(ProbedName(26), origin);
            for (time, what) in (1..).zip(events.into_iter().chain([placed, 8])) {
                open.apply(&mut slices, &probed(), time, what);
            }
            let names: Vec<_> = slices.name.iter().map(|name| name.0).collect();
            assert_eq!(names, [5, 6, 7, 26, 8]);
            let found: Vec<_> = (0..5).map(|i| slices.origin_of(i)).collect();
            let none = SliceOrigin::Recorded;
            assert_eq!(found, [none, origin, none, origin, none]);
            let found: Vec<_> = (0..5).map(|i| slices.site_of(i)).collect();
            assert_eq!(found, [None, None, None, SiteId::new(26), None]);
        }
    }

    #[test]
    fn places_stay_with_their_slices() {
        let placed = with_origin(ProbedName(26), SliceOrigin::ProbedMethod);
        let (mut open, mut slices) = (Families::default(), CallSlices::default());
        // The section seems to enclose the method by an error of the clocks.
        for (time, what) in [(1, 8), (3, placed), (5, END), (90, PROBE_END)] {
            open.apply(&mut slices, &probed(), time, what);
        }
        let found: Vec<_> = (0..2).map(|i| (slices.name[i].0, slices.site_of(i))).collect();
        assert_eq!(found, [(26, SiteId::new(26)), (8, None)]);
        let scope = SliceScope::Thread(ThreadId(1));
        slices.tracks.push(SliceTrack { scope, name: None, first: 0, count: 2 });
        slices.retain(&[true, false]);
        assert_eq!((slices.len(), slices.site_of(0)), (1, SiteId::new(26)));
    }
}
