//! What a recording says of the run: tests, costs of probes, the app, the recorder, clocks.

use wattle_units::BootNanos;

use super::TimelineBuilder;
use super::task_lives::TaskLives;
use crate::{ClockAlignment, ClockedCall, NameId, Note, Pid, ProbeCost, TestRun, Timeline};

#[derive(Debug, Default)]
pub(crate) struct RunFacts {
    tests: Vec<TestRun>,
    costs: Vec<(Option<(BootNanos, u32)>, ProbeCost)>,
    recorders: Vec<Pid>,
    apps: Vec<NameId>,
    alignments: Vec<ClockAlignment>,
    notes: Vec<Note>,
    clocked: Vec<ClockedCall>,
}

impl TimelineBuilder {
    /// A test ran.
    pub fn test(&mut self, test: TestRun) {
        self.run.tests.push(test);
    }

    /// What probes cost in the process that bore the number at the instant (the cost's own `process` is not
    /// looked at); of all processes if `of` is `None`.
    pub fn probe_cost(&mut self, of: Option<(BootNanos, u32)>, cost: ProbeCost) {
        if let Some((time, pid)) = of {
            self.tasks.process_seen(time.value(), pid);
        }
        self.run.costs.push((of, cost));
    }

    /// A call around which the CPUs' clocks were read. Its place among all of them, which its callees need.
    pub fn clocked_call(&mut self, call: ClockedCall) -> u32 {
        let place = self.run.clocked.len() as u32;
        self.run.clocked.push(call);
        place
    }

    /// A call that was told to [`Self::clocked_call`], to set its end when that is known.
    pub fn clocked_call_mut(&mut self, place: u32) -> Option<&mut ClockedCall> {
        self.run.clocked.get_mut(place as usize)
    }

    /// A process that belongs to the recorder.
    pub fn recorder(&mut self, pid: u32) {
        if !self.run.recorders.contains(&Pid(pid)) {
            self.run.recorders.push(Pid(pid));
        }
    }

    /// A package that the recording was made of.
    pub fn app(&mut self, package: NameId) {
        if !self.run.apps.contains(&package) {
            self.run.apps.push(package);
        }
    }

    /// How an artifact's clock was brought to boot time.
    pub fn alignment(&mut self, alignment: ClockAlignment) {
        self.run.alignments.push(alignment);
    }

    /// What is to be said of the recording as a whole.
    pub fn note(&mut self, note: Note) {
        self.run.notes.push(note);
    }

    /// When processes were seen to begin so far: pid and time.
    pub fn process_starts(&self) -> impl Iterator<Item = (u32, BootNanos)> + '_ {
        self.tasks.process_starts().map(|(pid, time)| (pid, BootNanos::new(time)))
    }

    /// From the first to the last event so far; `None` before the first.
    pub fn span(&self) -> Option<(BootNanos, BootNanos)> {
        (self.first <= self.last).then(|| (BootNanos::new(self.first), BootNanos::new(self.last)))
    }
}

impl RunFacts {
    pub fn finish(mut self, timeline: &mut Timeline, lives: &TaskLives) {
        self.tests.sort_by_key(|test| test.window.start);
        timeline.tests = self.tests;
        let costs = self.costs.into_iter();
        timeline.probe_costs = costs
            .map(|(of, cost)| ProbeCost {
                process: of.and_then(|(time, pid)| lives.process(pid, time.value())),
                ..cost
            })
            .collect();
        timeline.recorders = self.recorders;
        timeline.apps = self.apps;
        timeline.clocked_calls = self.clocked;
        timeline.quality.alignments = self.alignments;
        timeline.quality.notes = self.notes;
    }
}
