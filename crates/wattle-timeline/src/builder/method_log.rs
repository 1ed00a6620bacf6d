//! Finished calls of method traces while a recording is read.
//!
//! A method trace is in order within each thread, so its reader makes calls of it on the way; here they wait as columns until it is
//! known who their threads are. They get a row of their own beside the sections of the same thread: both nest by time.

use wattle_units::{BootNanos, Nanos};

use super::scope::ScopeResolver;
use crate::{
    CallSlices, NameId, Names, ProcessId, SiteId, SliceOrigin, SliceScope, SliceTrack, Thread,
    ThreadId, Tid,
};

/// The calls of one thread as columns of one length, in order of start, callers before callees.
#[derive(Clone, Debug, Default)]
pub struct MethodCalls {
    /// When each begins.
    pub start: Vec<BootNanos>,
    /// When each ends; [`BootNanos::MAX`] if no end was seen.
    pub end: Vec<BootNanos>,
    /// Name of each.
    pub name: Vec<NameId>,
    /// The place in the code of each.
    pub site: Vec<Option<SiteId>>,
    /// Number of calls that enclose each.
    pub depth: Vec<u16>,
    /// Time on a CPU from entry to exit, by the thread's own clock; empty where nobody read that.
    pub cpu: Vec<Option<Nanos>>,
}

/// Whose calls they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MethodThread {
    /// The thread with the kernel's number.
    Kernel(u32),
    /// A thread that only the trace numbers: the one of the process that bears its name, if there is exactly one, else one that
    /// no other input knows.
    Named {
        /// The trace's number.
        number: u32,
        /// The kernel's number of the process; `None` where the trace does not say it.
        pid: Option<u32>,
        /// The thread's name, if the trace says it.
        name: Option<NameId>,
    },
}

/// Bytes that the kernel keeps of a thread's name: `TASK_COMM_LEN` without the byte that ends it.
const COMM: usize = 15;

#[derive(Debug, Default)]
pub(crate) struct MethodLog {
    threads: Vec<(MethodThread, MethodCalls)>,
}

/// Which thread of the timeline each belongs to.
pub(crate) struct Owned(Vec<(ThreadId, MethodCalls)>);

impl MethodLog {
    /// Adds the calls of a thread. All columns are cut to the shortest; `cpu` may be empty. The result is when a thread of the kernel's
    /// number was first seen in them.
    pub fn push(
        &mut self,
        thread: MethodThread,
        mut calls: MethodCalls,
    ) -> Option<(BootNanos, u32)> {
        let columns = [calls.end.len(), calls.name.len(), calls.site.len(), calls.depth.len()];
        let count = columns.into_iter().fold(calls.start.len(), usize::min);
        calls.start.truncate(count);
        let first = *calls.start.first()?;
        self.threads.push((thread, calls));
        match thread {
            MethodThread::Kernel(tid) => Some((first, tid)),
            MethodThread::Named { .. } => None,
        }
    }

    /// Finds the threads; those that only a trace knows are added to `unknown` and numbered after all others.
    pub fn resolve(
        self,
        scopes: &ScopeResolver<'_>,
        names: &Names,
        unknown: &mut Vec<Thread>,
    ) -> Owned {
        let (processes, threads) = (&scopes.lives.processes, &scopes.lives.threads);
        let mut owned = Vec::with_capacity(self.threads.len());
        for (whose, calls) in self.threads {
            let Some(first) = calls.start.first().copied() else { continue };
            let thread = match whose {
                MethodThread::Kernel(tid) => scopes.threads.thread(tid, first.value()),
                MethodThread::Named { number, pid, name } => {
                    let process = pid
                        .and_then(|pid| processes.iter().rposition(|process| process.pid.0 == pid));
                    let process = process.map(|index| ProcessId(index as u32));
                    let text = name.map(|name| names.get(name));
                    let found = process
                        .zip(text)
                        .and_then(|(process, text)| named(threads, process, text, names));
                    // A trace's numbers are not the kernel's: no other input can name this thread.
                    found.unwrap_or_else(|| {
                        unknown.push(Thread {
                            tid: Tid(number),
                            name,
                            process,
                            ..Thread::default()
                        });
                        ThreadId((threads.len() + unknown.len() - 1) as u32)
                    })
                }
            };
            owned.push((thread, calls));
        }
        Owned(owned)
    }
}

/// The only thread of the process that bears the name, as the kernel shortens it. The runtime calls the main thread `main`.
fn named(threads: &[Thread], process: ProcessId, text: &str, names: &Names) -> Option<ThreadId> {
    let short = text.as_bytes().get(..COMM).unwrap_or(text.as_bytes());
    let is_it = |thread: &Thread| {
        let bears = |name: NameId| {
            let name = names.get(name).as_bytes();
            name == text.as_bytes() || name == short
        };
        (thread.is_main && text == "main") || thread.name.is_some_and(bears)
    };
    let mut found =
        (0..).zip(threads).filter(|(_, thread)| thread.process == Some(process) && is_it(thread));
    let (index, _) = found.next()?;
    found.next().is_none().then_some(ThreadId(index))
}

impl Owned {
    /// Appends the calls, each thread's as a row of its own.
    pub fn append_to(self, slices: &mut CallSlices) {
        let more: usize = self.0.iter().map(|(_, calls)| calls.start.len()).sum();
        if more == 0 {
            return;
        }
        let before = slices.len();
        let total = before + more;
        slices.start.reserve_exact(more);
        slices.end.reserve_exact(more);
        slices.name.reserve_exact(more);
        slices.depth.reserve_exact(more);
        slices.origin.reserve_exact(total - slices.origin.len());
        slices.origin.resize(before, SliceOrigin::Recorded);
        slices.origin.resize(total, SliceOrigin::MethodTrace);
        if !slices.bytes.is_empty() {
            slices.bytes.resize(total, 0);
        }
        slices.site.reserve_exact(total - slices.site.len());
        slices.site.resize(before, None);
        let has_cpu = self.0.iter().any(|(_, calls)| !calls.cpu.is_empty());
        if has_cpu {
            slices.cpu.reserve_exact(total - slices.cpu.len());
            slices.cpu.resize(before, None);
        }
        for (thread, calls) in self.0 {
            let (first, count) = (slices.len(), calls.start.len());
            slices.tracks.push(SliceTrack {
                scope: SliceScope::Thread(thread),
                name: None,
                first: first as u32,
                count: count as u32,
            });
            slices.start.extend(calls.start);
            slices.end.extend(calls.end.into_iter().take(count));
            slices.name.extend(calls.name.into_iter().take(count));
            slices.depth.extend(calls.depth.into_iter().take(count));
            slices.site.extend(calls.site.into_iter().take(count));
            if has_cpu {
                slices.cpu.extend(calls.cpu.into_iter().take(count));
                slices.cpu.resize(first + count, None);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

    use super::*;
    use crate::TimelineBuilder;
    use crate::{NameRank, ProcessFacts, Timeline};

    fn calls(builder: &mut TimelineBuilder, starts: &[i64]) -> MethodCalls {
        let name = builder.names.intern("Main.run");
        MethodCalls {
            start: starts.iter().map(|time| BootNanos::new(*time)).collect(),
            end: starts.iter().map(|time| BootNanos::new(time + 5)).collect(),
            name: vec![name; starts.len()],
            site: vec![None; starts.len()],
            depth: vec![0; starts.len()],
            cpu: vec![Some(Nanos::new(3)); starts.len()],
        }
    }

    /// Process 70 has the threads 70 (its main), 71 and 72; the trace numbers its own.
    fn timeline(number: u32, pid: Option<u32>, name: &str) -> Timeline {
        let mut builder = TimelineBuilder::new();
        let at = BootNanos::new(1);
        builder.tasks().process(at, 70, ProcessFacts::default());
        for (tid, comm) in
            [(70, "com.example.app"), (71, "RenderThread of"), (72, "pool"), (73, "pool")]
        {
            builder.tasks().thread_of(at, tid, 70);
            let comm = builder.names.intern(comm);
            builder.tasks().thread_name(at, tid, comm, NameRank::Kernel);
        }
        let section = builder.names.intern("section");
        builder.code().slice_begin(BootNanos::new(2), 71, section);
        builder.code().slice_end(BootNanos::new(30), 71);
        let name = Some(builder.names.intern(name));
        let calls = calls(&mut builder, &[4, 10]);
        builder.code().method_calls(MethodThread::Named { number, pid, name }, calls);
        builder.finish()
    }

    #[track_caller]
    fn check(pid: Option<u32>, name: &str, expected: (u32, bool)) {
        let timeline = timeline(5, pid, name);
        let track = timeline.code.slices.tracks.last().unwrap();
        let SliceScope::Thread(thread) = track.scope else { panic!("{track:?}") };
        let thread = &timeline.tasks.threads[thread.index()];
        assert_eq!((thread.tid.0, thread.process.is_some()), expected, "{thread:?}");
        assert_eq!(track.count, 2);
        let origins: Vec<_> = (0..3).map(|index| timeline.code.slices.origin_of(index)).collect();
        let traced = SliceOrigin::MethodTrace;
        assert_eq!(origins, [SliceOrigin::Recorded, traced, traced]);
        assert_eq!(
            (timeline.code.slices.cpu_of(0), timeline.code.slices.cpu_of(2)),
            (None, Some(Nanos::new(3)))
        );
    }

    #[test]
    fn threads_that_only_the_trace_numbers() {
        check(Some(70), "main", (70, true));
        check(Some(70), "RenderThread of doom", (71, true));
        // Two bear the name, nobody does, nobody can.
        check(Some(70), "pool", (5, true));
        check(Some(70), "other", (5, true));
        check(Some(9), "main", (5, false));
        check(None, "main", (5, false));
    }

    #[test]
    fn columns_of_several_lengths() {
        let mut builder = TimelineBuilder::new();
        let mut short = calls(&mut builder, &[4, 10, 20]);
        short.depth.pop();
        short.cpu.clear();
        builder.code().method_calls(MethodThread::Kernel(7), short);
        let timeline = builder.finish();
        assert_eq!((timeline.code.slices.len(), timeline.code.slices.cpu.len()), (2, 0));
        assert_eq!(timeline.code.slices.site.len(), 2);
    }
}
