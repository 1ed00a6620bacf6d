//! From a line where a call begins and one where it ends to calls: of Navitas, with what the CPUs' clocks had counted, and of Orka.

use rustc_hash::FxHashMap;
use wattle_timeline::{
    ClockedCall, CpuId, Invocation, NameId, Note, Overlap, Pid, RawScope, Severity, SiteId,
    SliceOrigin, SliceTrackKey, Tid, TimeInState, TimelineBuilder, Window,
};
use wattle_units::{BootNanos, Hertz};

use super::readings::Readings;
use super::text_sites;

/// Whose calls: pid and tid.
type Owner = Option<(u32, u32)>;

/// Event of a call, as one line reports it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CallEvent {
    Enter(NameId),
    Exit(NameId),
    /// The method is about to be called from this line.
    Invoking(NameId, u32),
    /// It began and ended; the line that it was called from.
    Called(NameId, Option<u32>),
    /// It begins, and whatever its thread was in is over: the log has no ends.
    Instead(NameId),
}

/// Attributes common to all calls of a log.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct CallsOf {
    /// The test whose log it is.
    pub test: Option<NameId>,
    /// They are of an earlier run: no slices are made of them.
    pub is_stale: bool,
    /// The log ends here: so do calls that are open then.
    pub ends: bool,
}

#[derive(Debug)]
struct OpenCall {
    name: NameId,
    site: Option<SiteId>,
    start: BootNanos,
    readings: Option<Readings>,
    /// Its place among clocked calls.
    place: Option<u32>,
}

/// The open calls of one thread.
#[derive(Debug, Default)]
struct OpenCalls {
    stack: Vec<OpenCall>,
    count: FxHashMap<NameId, u32>,
    /// Rows for calls of nobody.
    row: Option<SliceTrackKey>,
    last: Option<(BootNanos, Option<Readings>)>,
}

/// Calls that a tool logged a line for, by thread.
#[derive(Debug, Default)]
pub(crate) struct CallStacks {
    of: CallsOf,
    open: FxHashMap<Owner, OpenCalls>,
    /// Threads in the order in which they came, so that the outcome is always the same.
    order: Vec<Owner>,
    pub slices: u64,
    pub unmatched: u64,
    pub missing: u64,
    pub open_at_end: u64,
    /// Calls in a log that never says where one ends.
    pub without_end: u64,
    /// Calls in which a counter began anew.
    pub resets: u64,
    /// Calls in which a CPU was read at one end only.
    pub one_sided: u64,
}

impl CallStacks {
    pub fn new(of: CallsOf) -> Self {
        Self { of, ..Self::default() }
    }

    /// Takes a line in. Those of one thread come in order.
    pub fn event(
        &mut self,
        owner: Owner,
        time: BootNanos,
        event: CallEvent,
        readings: Option<Readings>,
        builder: &mut TimelineBuilder,
    ) {
        let of = self.of;
        let thread = self.open.entry(owner).or_insert_with(|| {
            self.order.push(owner);
            let mut calls = OpenCalls::default();
            match owner {
                Some((pid, tid)) if !of.is_stale => builder.tasks().thread_of(time, tid, pid),
                None if !of.is_stale => {
                    let id = u64::from(of.test.map_or(u32::MAX, |test| test.0));
                    calls.row = Some(builder.code().slice_track(
                        RawScope::Global,
                        of.test,
                        Overlap::Nest,
                        id,
                    ));
                }
                _ => {}
            }
            calls
        });
        let time = thread.last.as_ref().map_or(time, |(last, _)| time.max(*last));
        let tid = owner.map(|(_, tid)| tid).filter(|_| !of.is_stale);
        let row = CallRow { tid, track: thread.row };
        match event {
            CallEvent::Enter(name) => {
                let site = tid.and_then(|_| text_sites::method(name, builder));
                row.begin(time, (name, site), SliceOrigin::ProbedMethod, builder);
                let place = readings.is_some().then(|| {
                    let caller = thread.stack.iter().rev().find_map(|call| call.place);
                    let window = Window::new(time, time);
                    builder.code().clocked_call(ClockedCall {
                        process: owner.map(|(pid, _)| Pid(pid)),
                        thread: owner.map(|(_, tid)| Tid(tid)),
                        test: of.test,
                        name,
                        caller,
                        window,
                        has_end: false,
                        is_stale: of.is_stale,
                        clocks: Vec::new(),
                    })
                });
                let call = OpenCall { name, site, start: time, readings: readings.clone(), place };
                thread.stack.push(call);
                *thread.count.entry(name).or_default() += 1;
                self.slices += u64::from(!of.is_stale);
            }
            CallEvent::Instead(name) => {
                while thread.stack.pop().is_some() {
                    row.end(time, builder);
                }
                thread.count.clear();
                let site = tid.and_then(|_| text_sites::method(name, builder));
                row.begin(time, (name, site), SliceOrigin::ProbedMethod, builder);
                let call = OpenCall { name, site, start: time, readings: None, place: None };
                thread.stack.push(call);
                self.slices += 1;
                self.without_end += 1;
            }
            CallEvent::Invoking(name, line) => {
                let caller = thread.stack.last().and_then(|method| method.site);
                if let Some(caller) = caller
                    && let Some(callee) = text_sites::method(name, builder)
                {
                    builder.code().invocation(Invocation { caller, callee, line });
                }
            }
            CallEvent::Called(name, line) => {
                // It took no time: at the very end of a log it must lie inside all the same.
                builder.extend_to(BootNanos::new(time.value().saturating_add(1)));
                let within = thread.stack.last().and_then(|method| method.site);
                let site = tid.and_then(|_| text_sites::call(name, line, within, builder));
                row.begin(time, (name, site), SliceOrigin::ProbedCall, builder);
                row.end(time, builder);
                self.slices += u64::from(!of.is_stale);
            }
            CallEvent::Exit(name) => {
                if thread.count.get(&name).is_none_or(|count| *count == 0) {
                    self.unmatched += 1;
                } else {
                    while let Some(top) = thread.stack.pop() {
                        row.end(time, builder);
                        if let Some(count) = thread.count.get_mut(&top.name) {
                            *count -= 1;
                        }
                        let is_it = top.name == name;
                        let told = close(&top, time, readings.as_ref(), is_it, builder);
                        self.resets += u64::from(told.reset);
                        self.one_sided += u64::from(told.one_sided);
                        if is_it {
                            break;
                        }
                        self.missing += 1;
                    }
                }
            }
        }
        thread.last = Some((time, readings));
    }

    /// Ends calls that are still open, and says what was lost.
    pub fn finish(
        &mut self,
        builder: &mut TimelineBuilder,
        note: &mut dyn FnMut(Severity, &'static str, u64, &str),
    ) {
        for owner in std::mem::take(&mut self.order) {
            let Some(mut thread) = self.open.remove(&owner) else { continue };
            let Some((time, readings)) = thread.last.take() else { continue };
            let tid = owner.map(|(_, tid)| tid).filter(|_| !self.of.is_stale);
            let row = CallRow { tid, track: thread.row };
            while let Some(top) = thread.stack.pop() {
                self.open_at_end += 1;
                if self.of.ends {
                    row.end(time, builder);
                }
                let told = close(&top, time, readings.as_ref(), false, builder);
                self.resets += u64::from(told.reset);
                self.one_sided += u64::from(told.one_sided);
            }
        }
        note(
            Severity::Info,
            "text-exit-unmatched",
            self.unmatched,
            "ends of calls whose beginning was not logged: ignored",
        );
        note(
            Severity::Warning,
            "text-no-exits",
            self.without_end,
            "calls in a log that says where methods begin and never where they end (the first Orka): each lasts until the next begins on \
             its thread, and what its caller does afterwards counts as its own",
        );
        note(
            Severity::Warning,
            "text-exit-missing",
            self.missing,
            "calls whose end was not logged: they end with what called them",
        );
        note(
            Severity::Info,
            "text-exit-open",
            if self.of.ends { self.open_at_end } else { 0 },
            "calls that were open when the log ended: they end with the last line of their thread",
        );
        note(
            Severity::Warning,
            "time-in-state-reset",
            self.resets,
            "calls in which a counter of time_in_state began anew (a CPU was taken away and came back): what it counted since then \
             stands for the call, which is the least that passed",
        );
        note(
            Severity::Info,
            "time-in-state-offline",
            self.one_sided,
            "calls in which a CPU's time_in_state was there at one end only (offline at the other): that CPU is left out of them",
        );
    }
}

/// Result of closing a call.
struct Closed {
    reset: bool,
    one_sided: bool,
}

fn close(
    call: &OpenCall,
    time: BootNanos,
    readings: Option<&Readings>,
    has_end: bool,
    builder: &mut TimelineBuilder,
) -> Closed {
    let mut found = Closed { reset: false, one_sided: false };
    let clocked = call.place.and_then(|place| builder.code().clocked_call_mut(place));
    let Some(clocked) = clocked else { return found };
    clocked.window = Window::new(call.start, time);
    clocked.has_end = has_end;
    let (Some(before), Some(after)) = (&call.readings, readings) else { return found };
    let mut ends = after.counts().iter().peekable();
    for begin in before.counts() {
        let key = (begin.cpu, begin.kilohertz);
        while ends.next_if(|end| (end.cpu, end.kilohertz) < key).is_some() {
            found.one_sided = true;
        }
        let Some(end) = ends.next_if(|end| (end.cpu, end.kilohertz) == key) else {
            found.one_sided = true;
            continue;
        };
        if end.ticks != begin.ticks {
            let clock = TimeInState {
                cpu: CpuId(begin.cpu),
                frequency: Hertz::from_kilohertz(u64::from(begin.kilohertz)),
                before: begin.ticks,
                after: end.ticks,
            };
            found.reset |= clock.was_reset();
            clocked.clocks.push(clock);
        }
    }
    found.one_sided |= ends.next().is_some();
    found
}

/// Row of slices that a thread's calls are shown in; none of both for calls of an earlier run.
#[derive(Clone, Copy)]
struct CallRow {
    tid: Option<u32>,
    /// The row for calls of nobody.
    track: Option<SliceTrackKey>,
}

impl CallRow {
    fn begin(
        self,
        time: BootNanos,
        (name, site): (NameId, Option<SiteId>),
        origin: SliceOrigin,
        builder: &mut TimelineBuilder,
    ) {
        if let Some(tid) = self.tid {
            let name = builder.code().probed(name, site);
            builder.code().probe_begin(time, tid, name, origin);
        } else if let Some(track) = self.track {
            builder.code().track_begin(time, track, 0, name);
        }
    }

    fn end(self, time: BootNanos, builder: &mut TimelineBuilder) {
        if let Some(tid) = self.tid {
            builder.code().probe_end(time, tid);
        } else if let Some(track) = self.track {
            builder.code().track_end(time, track, 0);
        }
    }
}

/// A note with a count, if there is anything to count.
pub(crate) fn counted(
    notes: &mut Vec<Note>,
    severity: Severity,
    code: &str,
    count: u64,
    text: &str,
) {
    if count > 0 {
        notes.push(Note::new(severity, code, text).times(count));
    }
}
