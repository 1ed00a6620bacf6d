//! Sections, calls, places in code and tests while a recording is read.

use wattle_units::BootNanos;

use super::extent::Extent;
use super::method_log::{MethodCalls, MethodLog, MethodThread};
use super::scope::{RawScope, ScopeResolver};
use super::site_log::{ProbedName, SiteLog};
use super::slice_log::{Overlap, SliceLog, SliceTrackKey};
use super::task_log::TaskLog;
use crate::{
    ClockedCall, CodeSite, CodeSites, Invocation, NameId, Names, ProbeCost, ScreenFrame, SiteId,
    SliceOrigin, TestRun, Thread, Timeline,
};

#[derive(Debug, Default)]
pub(crate) struct CodeLog {
    slices: SliceLog,
    methods: MethodLog,
    sites: SiteLog,
    clocked: Vec<ClockedCall>,
    tests: Vec<TestRun>,
    /// Each with a time and the pid that its process bore then; `None` for all processes.
    costs: Vec<(Option<(BootNanos, u32)>, ProbeCost)>,
    /// Each with the pid that its process bore then.
    frames: Vec<(u32, ScreenFrame)>,
}

impl CodeLog {
    /// Fills in the timeline's code, except for samples; `from` is when all streams of CPUs are complete. The result are threads that
    /// only a method trace knows: they follow those of `scopes`.
    pub fn finish(
        mut self,
        timeline: &mut Timeline,
        from: BootNanos,
        scopes: &ScopeResolver<'_>,
        names: &Names,
    ) -> Vec<Thread> {
        let code = &mut timeline.code;
        code.slices = self.slices.finish(from, scopes);
        let mut unknown = Vec::new();
        self.methods.resolve(scopes, names, &mut unknown).append_to(&mut code.slices);
        code.sites = self.sites.finish();
        code.clocked_calls = self.clocked;
        self.tests.sort_by_key(|test| test.window.start);
        code.tests = self.tests;
        let costs = self.costs.into_iter();
        code.probe_costs = costs
            .map(|(of, cost)| ProbeCost {
                process: of.and_then(|(time, pid)| scopes.lives.process(pid, time.value())),
                ..cost
            })
            .collect();
        self.frames.sort_by_key(|(_, frame)| frame.actual.start);
        let frames = self.frames.into_iter();
        code.frames = frames
            .map(|(pid, frame)| {
                let process = scopes.lives.process(pid, frame.actual.start.value());
                ScreenFrame { process, ..frame }
            })
            .collect();
        unknown
    }
}

/// Adds sections, calls, places in code and tests: see [`super::TimelineBuilder::code`].
#[derive(Debug)]
pub struct CodeBuilder<'a> {
    pub(super) extent: &'a mut Extent,
    pub(super) tasks: &'a mut TaskLog,
    pub(super) names: &'a mut Names,
    pub(super) log: &'a mut CodeLog,
}

/// Slices of threads.
impl CodeBuilder<'_> {
    /// A section of the thread begins.
    #[inline]
    pub fn slice_begin(&mut self, time: BootNanos, tid: u32, name: NameId) {
        self.mention_thread(time, tid);
        self.log.slices.begin(time.value(), tid, name);
    }

    /// The innermost section of the thread ends.
    #[inline]
    pub fn slice_end(&mut self, time: BootNanos, tid: u32) {
        self.mention_thread(time, tid);
        self.log.slices.end(time.value(), tid);
    }

    /// Something that took no time, inside the thread's open sections.
    pub fn slice_instant(&mut self, time: BootNanos, tid: u32, name: NameId) {
        self.mention_thread(time, tid);
        self.log.slices.instant(time.value(), tid, name);
    }

    /// The name under which slices of a place begin when probes make them: for [`Self::probe_begin`].
    pub fn probed(&mut self, name: NameId, site: Option<SiteId>) -> ProbedName {
        self.log.slices.probed(name, site)
    }

    /// A probe reports that the thread begins something.
    pub fn probe_begin(
        &mut self,
        time: BootNanos,
        tid: u32,
        name: ProbedName,
        origin: SliceOrigin,
    ) {
        self.mention_thread(time, tid);
        self.log.slices.probe_begin(time.value(), tid, name, origin);
    }

    /// The innermost slice of the thread that probes began ends.
    pub fn probe_end(&mut self, time: BootNanos, tid: u32) {
        self.probe_end_with(time, tid, 0);
    }

    /// The same, with how many bytes the call moved: 0 where none or not known, at most 2²⁹ − 1 are kept.
    pub fn probe_end_with(&mut self, time: BootNanos, tid: u32, bytes: u32) {
        self.mention_thread(time, tid);
        self.log.slices.probe_end(time.value(), tid, bytes);
    }

    /// Calls of a thread from a method trace. All columns are cut to the shortest; `cpu` may be empty.
    pub fn method_calls(&mut self, thread: MethodThread, calls: MethodCalls) {
        if let Some((first, tid)) = self.log.methods.push(thread, calls) {
            self.tasks.mention_thread(first.value(), tid);
        }
    }

    #[inline]
    fn mention_thread(&mut self, time: BootNanos, tid: u32) {
        self.extent.reach(time);
        self.tasks.mention_thread(time.value(), tid);
    }
}

/// Asynchronous slices.
impl CodeBuilder<'_> {
    /// The row for asynchronous slices with this owner, name and identity (0 where the name is
    /// identity enough).
    pub fn slice_track(
        &mut self,
        scope: RawScope,
        name: Option<NameId>,
        overlap: Overlap,
        id: u64,
    ) -> SliceTrackKey {
        self.log.slices.track(scope, name, overlap, id)
    }

    /// An asynchronous slice begins.
    pub fn track_begin(&mut self, time: BootNanos, key: SliceTrackKey, cookie: i64, name: NameId) {
        self.extent.reach(time);
        self.log.slices.track_begin(time.value(), key, cookie, name);
    }

    /// An asynchronous slice ends.
    pub fn track_end(&mut self, time: BootNanos, key: SliceTrackKey, cookie: i64) {
        self.extent.reach(time);
        self.log.slices.track_end(time.value(), key, cookie);
    }

    /// Something that took no time.
    pub fn track_instant(&mut self, time: BootNanos, key: SliceTrackKey, name: NameId) {
        self.extent.reach(time);
        self.log.slices.track_instant(time.value(), key, name);
    }
}

/// Places in code.
impl CodeBuilder<'_> {
    /// Adds the places of one probe map. The result is the number that its first place has among all; `None` where there is no
    /// room for them.
    pub fn code_map(&mut self, map: &CodeSites) -> Option<usize> {
        self.log.sites.add_map(map)
    }

    /// A place named by a log. One that exactly one place of the probe maps has the name of is that place.
    pub fn code_site(&mut self, site: CodeSite) -> Option<SiteId> {
        self.log.sites.intern(site, self.names)
    }

    /// A method named by a method trace. One that a probe map has is the map's.
    pub fn traced_site(&mut self, site: CodeSite) -> Option<SiteId> {
        self.log.sites.intern_traced(site, self.names)
    }

    /// A log names the line on which a method calls another one.
    pub fn invocation(&mut self, invocation: Invocation) {
        self.log.sites.invocation(invocation);
    }
}

/// Calls without slices, tests, costs of probes and frames.
impl CodeBuilder<'_> {
    /// A call around which the CPUs' clocks were read. The result is its index among all of them, which its callees need.
    pub fn clocked_call(&mut self, call: ClockedCall) -> u32 {
        let index = self.log.clocked.len() as u32;
        self.log.clocked.push(call);
        index
    }

    /// A test ran.
    pub fn test(&mut self, test: TestRun) {
        self.log.tests.push(test);
    }

    /// The cost of probes in the process that bore the number at the instant (the cost's own `process` is
    /// ignored); in all processes if `of` is `None`.
    pub fn probe_cost(&mut self, of: Option<(BootNanos, u32)>, cost: ProbeCost) {
        if let Some((time, pid)) = of {
            self.tasks.process_seen(time.value(), pid);
        }
        self.log.costs.push((of, cost));
    }

    /// A frame of the process that bore the number when the work on it began (the frame's own `process` is ignored). The window of
    /// the timeline stays as it is: frames are reported late.
    pub fn frame(&mut self, pid: u32, frame: ScreenFrame) {
        self.tasks.process_seen(frame.actual.start.value(), pid);
        self.log.frames.push((pid, frame));
    }
}

impl<'a> CodeBuilder<'a> {
    /// A call added by [`Self::clocked_call`], to set its end when that is known.
    pub fn clocked_call_mut(self, index: u32) -> Option<&'a mut ClockedCall> {
        self.log.clocked.get_mut(index as usize)
    }
}
