//! The time that probes in an app's code took from its threads.
//!
//! ```text
//! caller    ───────────────┐outside                     outside┌─────────
//! method                   └┐inside ──its own time── inside┌───┘
//!                      entry probe                   exit probe
//! ```
//! A pair of probes was timed around nothing. Half of the part between its time stamps is taken to be the entry
//! probe's and half the exit probe's, and so is the part outside. What a call's probes take is time on the CPU, so
//! it is taken from the thread's own on-CPU time next to the time stamps. Where there is less of it, the
//! rest is taken from what follows inside the same call, never from another call's own time.

use wattle_timeline::{ProbeCost, SliceOrigin, SliceScope, ThreadId, Timeline, Window};
use wattle_units::{BootNanos, Nanos};

use super::on_cpu::OnCpu;
use super::thread_calls::{ProbeCount, ThreadCalls};
use crate::Unfinished;

/// The probes of all threads.
#[derive(Debug, Default)]
pub(crate) struct ProbeTimes {
    /// By thread: whether it has slices of probes or of the recorder.
    probed: Vec<bool>,
    /// By process.
    costs: Vec<Option<Halves>>,
    default: Option<Halves>,
    on_cpu: OnCpu,
}

/// Cost of the two probes of a pair, inside and outside of the slice.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Halves {
    inside_begin: Nanos,
    inside_end: Nanos,
    outside_begin: Nanos,
    outside_end: Nanos,
}

impl Halves {
    fn new(cost: &ProbeCost) -> Self {
        let pair = cost.pair.max(Nanos::ZERO).value();
        let inside = cost.inside.value().clamp(0, pair);
        let outside = pair - inside;
        Self {
            inside_begin: Nanos::new(inside / 2),
            inside_end: Nanos::new(inside - inside / 2),
            outside_begin: Nanos::new(outside / 2),
            outside_end: Nanos::new(outside - outside / 2),
        }
    }
}

impl ProbeTimes {
    /// Finds the threads that have probes and what those cost.
    pub(crate) fn new(timeline: &Timeline, unfinished: Unfinished) -> Self {
        if !timeline.code.slices.origin.iter().copied().any(is_of_probes) {
            return Self::default();
        }
        let mut probed = vec![false; timeline.tasks.threads.len()];
        for track in &timeline.code.slices.tracks {
            let SliceScope::Thread(thread) = track.scope else { continue };
            let Some(probed) = probed.get_mut(thread.index()) else { continue };
            *probed |= timeline.code.slices.of(track).any(|slice| is_of_probes(slice.origin));
        }
        let mut costs = vec![None; timeline.tasks.processes.len()];
        let mut default = None;
        for cost in &timeline.code.probe_costs {
            let slot = match cost.process {
                Some(process) => costs.get_mut(process.index()),
                None => Some(&mut default),
            };
            if let Some(slot) = slot {
                slot.get_or_insert(Halves::new(cost));
            }
        }
        let on_cpu = OnCpu::new(timeline, &probed, unfinished);
        Self { probed, costs, default, on_cpu }
    }

    /// Whether any thread has probes.
    pub(crate) fn is_empty(&self) -> bool {
        self.probed.is_empty()
    }

    /// By process: whether code in it has probes. Empty where none has.
    pub(crate) fn processes(&self, timeline: &Timeline) -> Vec<bool> {
        if self.is_empty() {
            return Vec::new();
        }
        let mut processes: Vec<bool> = self.costs.iter().map(Option::is_some).collect();
        for (thread, probed) in timeline.tasks.threads.iter().zip(&self.probed) {
            if *probed
                && let Some(process) = thread.process
                && let Some(slot) = processes.get_mut(process.index())
            {
                *slot = true;
            }
        }
        processes
    }

    /// The probes of one thread; `None` where it has none.
    pub(crate) fn of(
        &self,
        timeline: &Timeline,
        thread: ThreadId,
        window: Window,
    ) -> Option<ProbeTime<'_>> {
        self.probed.get(thread.index()).copied().filter(|probed| *probed)?;
        let process = timeline.tasks.threads.get(thread.index()).and_then(|facts| facts.process);
        let own = process.and_then(|process| self.costs.get(process.index()).copied().flatten());
        Some(ProbeTime {
            cost: own.or(self.default),
            on_cpu: self.on_cpu.thread(thread),
            window,
            frames: vec![Frame::default()],
            from: BootNanos::MIN,
            head: Nanos::ZERO,
            count: ProbeCount::default(),
        })
    }
}

/// A call that is open.
#[derive(Clone, Copy, Debug, Default)]
struct Frame {
    node: u32,
    origin: SliceOrigin,
    /// Whether it or a call around it is the recorder's.
    is_recorders: bool,
    /// Whether it has an end of its own.
    ends: bool,
    /// Time of its probes that has not been taken from it yet.
    owed: Nanos,
}

/// Goes through the calls of one thread and marks what is not the app's own time.
#[derive(Debug)]
pub(crate) struct ProbeTime<'a> {
    cost: Option<Halves>,
    on_cpu: &'a [Window],
    window: Window,
    /// The open calls, the thread's root first.
    frames: Vec<Frame>,
    /// The last begin or end of a call.
    from: BootNanos,
    /// The time of a probe after it.
    head: Nanos,
    count: ProbeCount,
}

impl ProbeTime<'_> {
    /// A call begins. `ends` says whether its end was seen.
    pub(crate) fn begin(
        &mut self,
        time: BootNanos,
        node: u32,
        origin: SliceOrigin,
        ends: bool,
        calls: &mut ThreadCalls,
    ) {
        let cost = self.probe(time, origin);
        self.reach(time, cost.outside_begin, calls);
        let is_recorders = origin == SliceOrigin::Recorder
            || self.frames.last().is_some_and(|around| around.is_recorders);
        self.frames.push(Frame { node, origin, is_recorders, ends, owed: Nanos::ZERO });
        self.head = cost.inside_begin;
    }

    /// The innermost call ends.
    pub(crate) fn end(&mut self, time: BootNanos, calls: &mut ThreadCalls) {
        let Some(frame) = self.frames.last().copied() else { return };
        let cost = if frame.ends { self.probe(time, frame.origin) } else { Halves::default() };
        self.reach(time, cost.inside_end, calls);
        if let Some(over) = self.frames.pop()
            && over.owed > Nanos::ZERO
            && is_probed(over.origin)
            && self.window.contains(time)
        {
            self.count.short += 1;
        }
        self.head = cost.outside_end;
    }

    /// There are no more calls.
    pub(crate) fn finish(mut self, calls: &mut ThreadCalls) -> ProbeCount {
        self.reach(BootNanos::MAX, Nanos::ZERO, calls);
        self.count
    }

    /// Cost of the probe at an end of a slice; counts it.
    fn probe(&mut self, time: BootNanos, origin: SliceOrigin) -> Halves {
        if !is_probed(origin) {
            return Halves::default();
        }
        if self.window.contains(time) {
            self.count.events += 1;
            self.count.unpriced += u64::from(self.cost.is_none());
        }
        // Without a scheduler there is no time that anything could be taken from.
        self.cost.filter(|_| !self.on_cpu.is_empty()).unwrap_or_default()
    }

    /// Marks the stretch since the last begin or end; a probe takes `tail` of its end.
    fn reach(&mut self, time: BootNanos, tail: Nanos, calls: &mut ThreadCalls) {
        let time = time.max(self.from);
        let stretch = Window { start: self.from, end: time };
        let head = std::mem::take(&mut self.head);
        self.from = time;
        let passed = self.on_cpu.iter().take_while(|busy| busy.end <= stretch.start).count();
        self.on_cpu = self.on_cpu.get(passed..).unwrap_or_default();
        let Some(frame) = self.frames.last_mut() else { return };
        let node = frame.node;
        if frame.is_recorders {
            calls.taken_from(stretch.start, node);
            return;
        }
        let head = head + std::mem::take(&mut frame.owed);
        if head + tail == Nanos::ZERO {
            calls.change_to(stretch.start, node);
            return;
        }
        let length = overlaps(self.on_cpu, stretch).map(Window::duration).sum::<Nanos>();
        if length <= head + tail {
            frame.owed = head + tail - length;
            calls.taken_from(stretch.start, node);
            return;
        }
        calls.taken_from(stretch.start, node);
        calls.change_to(after(self.on_cpu, stretch, head), node);
        if tail > Nanos::ZERO {
            calls.taken_from(after(self.on_cpu, stretch, length - tail), node);
        }
    }
}

/// Whether slices of the origin take time that is not their call's own. What a method trace takes nobody measured call by call.
fn is_of_probes(origin: SliceOrigin) -> bool {
    is_probed(origin) || origin == SliceOrigin::Recorder
}

fn is_probed(origin: SliceOrigin) -> bool {
    matches!(origin, SliceOrigin::ProbedMethod | SliceOrigin::ProbedCall)
}

/// The parts of a stretch in which the thread was on a CPU. None of its stretches ends before.
fn overlaps(on_cpu: &[Window], stretch: Window) -> impl Iterator<Item = Window> + '_ {
    on_cpu
        .iter()
        .take_while(move |busy| busy.start < stretch.end)
        .map(move |busy| busy.intersect(stretch))
}

/// The instant until which the thread was on a CPU for that long, from the start of the stretch on.
fn after(on_cpu: &[Window], stretch: Window, time: Nanos) -> BootNanos {
    let mut left = time;
    if left <= Nanos::ZERO {
        return stretch.start;
    }
    for busy in overlaps(on_cpu, stretch) {
        if left <= busy.duration() {
            return busy.start + left;
        }
        left = left - busy.duration();
    }
    stretch.end
}
