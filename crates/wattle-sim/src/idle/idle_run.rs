//! Outcome of a simulated run.

use std::fmt::Write as _;

use wattle_units::{BootNanos, Nanos};

use super::{CodeFrame, IdleProcess, PlantedStretch, RequestKind, TimerRequest};

/// A machine's run: who was on which core, and the truth.
#[derive(Clone, Debug)]
pub struct IdleRun {
    /// Number of cores.
    pub cores: u32,
    /// When it begins.
    pub start: BootNanos,
    /// When it ends.
    pub end: BootNanos,
    /// Who was there.
    pub processes: Vec<IdleProcess>,
    /// Threads; those of one process one after the other.
    pub threads: Vec<RunThread>,
    /// Paths of files.
    pub files: Vec<String>,
    /// Switches, in order of time.
    pub switches: Vec<RunSwitch>,
    /// Wake-ups, in order of time.
    pub wakings: Vec<RunWaking>,
    /// Requests for a finer clock.
    pub timer_requests: Vec<TimerRequest>,
    /// Samples of who ran, in order of time.
    pub samples: Vec<RunSample>,
    /// Interval between samples; `None` if there were none.
    pub sampling: Option<Nanos>,
    /// Operations of the disk, in the order of their beginning.
    pub disk: Vec<DiskRequest>,
    /// Stacks, outermost frame first; of the process that the thread is of.
    pub stacks: Vec<Vec<CodeFrame>>,
    /// Injected stretches, by thread and time.
    pub planted: Vec<PlantedStretch>,
}

/// A thread of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunThread {
    /// Index into [`IdleRun::processes`].
    pub process: u16,
    /// Its number.
    pub tid: u32,
    /// Its name.
    pub name: String,
    /// Time on cores.
    pub cpu: Nanos,
}

/// A core goes from one thread to another. `None` is the idle task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RunSwitch {
    /// When.
    pub time: BootNanos,
    /// Which core.
    pub core: u32,
    /// Who goes: index into [`IdleRun::threads`].
    pub from: Option<u32>,
    /// Whether it sleeps now; it could go on otherwise.
    pub sleeps: bool,
    /// Stack of the thread that goes: index into [`IdleRun::stacks`].
    pub from_stack: Option<u32>,
    /// Who comes.
    pub to: Option<u32>,
    /// Stack at which the thread that comes was left; `None` if it never ran in this run.
    pub to_stack: Option<u32>,
}

/// A thread is made ready.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RunWaking {
    /// When.
    pub time: BootNanos,
    /// The core that did it.
    pub core: u32,
    /// Who ran there.
    pub waker: Option<u32>,
    /// Who is woken.
    pub thread: u32,
}

/// A sample of a core.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RunSample {
    /// When.
    pub time: BootNanos,
    /// Which core.
    pub core: u32,
    /// Who ran.
    pub thread: u32,
    /// Stack of the thread.
    pub stack: u32,
}

/// An operation of the disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DiskRequest {
    /// When it was asked for.
    pub begin: BootNanos,
    /// When it was done.
    pub end: BootNanos,
    /// The core it was asked for on.
    pub core: u32,
    /// Who asked.
    pub thread: u32,
    /// Kind of operation.
    pub kind: RequestKind,
    /// Size in bytes.
    pub bytes: u32,
    /// Offset on the disk, in bytes.
    pub offset: i64,
    /// Index into [`IdleRun::files`].
    pub file: u16,
}

/// Action of the scheduler.
#[derive(Clone, Copy, Debug)]
pub(super) enum RunStep<'a> {
    Waking(&'a RunWaking),
    Switch(&'a RunSwitch),
}

impl IdleRun {
    /// Iterates over the actions of the scheduler, in order of time.
    pub(super) fn steps(&self) -> impl Iterator<Item = RunStep<'_>> {
        let mut wakings = self.wakings.iter().peekable();
        let mut switches = self.switches.iter().peekable();
        std::iter::from_fn(move || {
            let until = switches.peek().map_or(BootNanos::MAX, |switch| switch.time);
            let waking = wakings.next_if(|waking| waking.time <= until).map(RunStep::Waking);
            waking.or_else(|| switches.next().map(RunStep::Switch))
        })
    }

    /// The process of a thread.
    pub fn process(&self, thread: u32) -> &IdleProcess {
        &self.processes[usize::from(self.threads[thread as usize].process)]
    }

    /// Returns the injected stretches as a table (tab-separated): the content of the file that is written beside a
    /// trace.
    pub fn truth_table(&self) -> String {
        let mut table = String::from(
            "process\tpid\ttid\tkind\tstart_s\tend_s\tperiod_ms\twakeups\tcpu_use\tcommon_stack\n",
        );
        for planted in &self.planted {
            let process = self.processes.iter().find(|process| process.pid == planted.pid);
            let seconds = |time: BootNanos| (time - self.start).seconds();
            let period =
                planted.period.map_or_else(String::new, |p| format!("{:.3}", p.milliseconds()));
            let stack: Vec<String> = planted
                .common
                .iter()
                .zip(&planted.modules)
                .map(|(frame, module)| {
                    let module = module.rsplit(['/', '\\']).next().unwrap_or(module);
                    format!("{module}+{:#x} ({})", frame.offset, frame.function)
                })
                .collect();
            // Writing to a String does not fail.
            let _ = writeln!(
                table,
                "{}\t{}\t{}\t{}\t{:.6}\t{:.6}\t{period}\t{}\t{:.4}\t{}",
                process.map_or("", |process| process.name.as_str()),
                planted.pid,
                planted.tid,
                planted.kind.name(),
                seconds(planted.start),
                seconds(planted.end),
                planted.wakeups,
                planted.cpu_use,
                stack.join(" > ")
            );
        }
        table
    }
}
