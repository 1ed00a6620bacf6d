//! Everything that runs during a simulation, with the kernel's numbers and as steps that a machine can execute.

use std::collections::BTreeSet;

use wattle_units::Nanos;

use crate::bytes::DeviceNames;
use crate::code_owner::CodeOwner;
use crate::recorded_sources::RecordedSources;
use crate::replay_clocks::ReplayClocks;
use crate::thread_program::{self, NameIndex, Names, Program};
use crate::trace::{Comm, Persona, comm};
use crate::{InterruptSpec, PhoneEvent, Poller, SimError, Workload};

/// Boot time of the first event, and of the last.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Span {
    pub start: i64,
    pub end: i64,
}

/// A process.
#[derive(Clone, Debug)]
pub(crate) struct StageProcess {
    pub persona: Persona,
    pub recorder: bool,
    /// Whether its sections are written.
    pub is_traced: bool,
    /// It begins within the span, and the recorder hears of it only then.
    pub comes_later: bool,
}

/// When a thread first wants a CPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FirstWake {
    /// Some milliseconds after the start, or when it is created.
    Soon,
    /// So long after the start.
    After(Nanos),
    /// Not at all.
    Never,
}

/// A thread.
#[derive(Clone, Debug)]
pub(crate) struct StageThread {
    /// Index into [`Stage::processes`].
    pub process: usize,
    pub comm: Comm,
    /// Whose properties its code has.
    pub owner: CodeOwner,
    /// Who creates it.
    pub creator: Comm,
    /// The clusters it may run on; empty for all.
    pub clusters: Vec<usize>,
    /// When it is created; 0 is before the span.
    pub starts_after: Nanos,
    pub first_wake: FirstWake,
    /// Sections that were open when the span began, the outermost first.
    pub open: Vec<NameIndex>,
    pub program: Program,
}

/// Everything that runs and happens.
#[derive(Clone, Debug)]
pub(crate) struct Stage {
    pub span: Span,
    /// Whether it is of what really happened.
    pub is_replay: bool,
    pub names: Names,
    /// Interfaces and block devices.
    pub devices: DeviceNames,
    pub processes: Vec<StageProcess>,
    pub threads: Vec<StageThread>,
    pub interrupts: Vec<InterruptSpec>,
    pub events: Vec<PhoneEvent>,
    pub clocks: ReplayClocks,
    pub sources: RecordedSources,
}

/// Boot time at which the trace of a workload begins: on a whole millisecond.
const START: i64 = 100_000_000_000;
/// Offset of `CLOCK_REALTIME` ahead of boot time while a workload runs, in nanoseconds: an instant of 2026.
const WALL_OFFSET: i64 = 1_780_000_000_000_000_000;

impl Stage {
    /// A stage on which nothing runs.
    pub fn empty(span: Span, clocks: ReplayClocks) -> Self {
        Self {
            span,
            is_replay: false,
            names: Names::default(),
            devices: DeviceNames::default(),
            processes: Vec::new(),
            threads: Vec::new(),
            interrupts: Vec::new(),
            events: Vec::new(),
            clocks,
            sources: RecordedSources::default(),
        }
    }

    /// A workload's. Processes get the numbers 1000, 1100 …, threads those from there.
    pub fn of_workload(workload: &Workload) -> Result<Self, SimError> {
        let span = Span { start: START, end: START + workload.duration.value() };
        let clocks =
            ReplayClocks { real_at_boot: Nanos::new(WALL_OFFSET), ..ReplayClocks::default() };
        let mut stage = Self::empty(span, clocks);
        stage.interrupts.clone_from(&workload.interrupts);
        stage.events.clone_from(&workload.events);
        let mut programs =
            thread_program::compile(workload, &mut stage.names, &mut stage.devices)?.into_iter();
        let mut pid = 1000;
        for app in &workload.apps {
            let mut main: Option<Comm> = None;
            for ((index, thread), program) in app.threads.iter().enumerate().zip(&mut programs) {
                let own = Comm {
                    tid: pid + index as u32,
                    tgid: pid,
                    name: comm(&thread.name),
                    priority: thread.priority,
                };
                stage.threads.push(StageThread {
                    process: stage.processes.len(),
                    creator: main.get_or_insert_with(|| own.clone()).clone(),
                    comm: own,
                    owner: CodeOwner::at(stage.threads.len()),
                    clusters: thread.clusters.clone(),
                    starts_after: thread.starts_after,
                    first_wake: FirstWake::Soon,
                    open: Vec::new(),
                    program,
                });
            }
            let persona = Persona {
                pid,
                parent: 1,
                name: app.name.clone(),
                uid: app.uid,
                package: app.package.clone(),
            };
            stage.processes.push(StageProcess {
                persona,
                recorder: app.recorder,
                is_traced: true,
                comes_later: false,
            });
            pid += 100_u32.max(app.threads.len().next_multiple_of(100) as u32);
        }
        Ok(stage)
    }

    /// Puts a shell that polls counters on the stage.
    pub fn poll(&mut self, poller: Poller) -> Result<(), SimError> {
        let program = thread_program::of_poller(&poller)?;
        let comm = Comm { tid: poller.pid, tgid: poller.pid, name: "sh".into(), priority: 120 };
        let owner = if self.is_replay {
            CodeOwner::named("sh", "poller", 0)
        } else {
            CodeOwner::at(self.threads.len())
        };
        self.threads.push(StageThread {
            process: self.processes.len(),
            creator: comm.clone(),
            comm,
            owner,
            clusters: Vec::new(),
            starts_after: Nanos::ZERO,
            first_wake: FirstWake::After(Nanos::ZERO),
            open: Vec::new(),
            program,
        });
        let persona = Persona {
            pid: poller.pid,
            parent: 1,
            name: "sh".into(),
            uid: poller.uid,
            package: None,
        };
        self.processes.push(StageProcess {
            persona,
            recorder: true,
            is_traced: false,
            comes_later: false,
        });
        self.sources.poller = Some(poller);
        Ok(())
    }

    /// Refuses numbers that two processes or two threads have.
    pub fn check(&self) -> Result<(), SimError> {
        let mut tids = BTreeSet::new();
        for thread in &self.threads {
            if thread.comm.tid == 0 || !tids.insert(thread.comm.tid) {
                return Err(SimError::Workload {
                    place: format!("thread {}", thread.comm.name),
                    expected: "a number above 0 that no other thread has",
                    found: thread.comm.tid.to_string(),
                });
            }
        }
        Ok(())
    }
}
