//! The call trees of all threads.

use wattle_timeline::{SliceScope, SliceTrack, ThreadId};
use wattle_units::BootNanos;

use super::nested_slices::nest;
use super::path_node::Node;
use super::probe_time::ProbeTimes;
use super::sampled_stacks::SampledThreads;
use super::thread_calls::{Place, ProbeCount, ThreadCalls};
use crate::attribution::context::Context;
use crate::slice_rows;

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
    pub(super) fn new(
        context: &Context<'_>,
        probes: &ProbeTimes,
        sampled: &SampledThreads,
    ) -> Self {
        let Context { timeline, window, workers, .. } = *context;
        let mut of_thread: Vec<(ThreadId, &SliceTrack)> = timeline
            .code
            .slices
            .tracks
            .iter()
            .filter_map(|track| match track.scope {
                SliceScope::Thread(thread)
                    if thread.index() < timeline.tasks.threads.len() && !sampled.has(thread) =>
                {
                    Some((thread, track))
                }
                _ => None,
            })
            .collect();
        of_thread.sort_by_key(|(thread, _)| *thread);
        let jobs: Vec<&[(ThreadId, &SliceTrack)]> =
            of_thread.chunk_by(|one, other| one.0 == other.0).collect();
        let probe_time = |thread| probes.of(timeline, thread, window);
        let built = wattle_workers::ordered(workers, &jobs, |tracks| match tracks {
            [(thread, track)] => {
                let slices = timeline.code.slices.of(track).map(|slice| (0, slice));
                nest(slices, window, probe_time(*thread))
            }
            // Several rows of one thread nest in each other by time alone; their depths know nothing of each other.
            several => {
                let rows = several.iter().map(|(_, track)| *track);
                let slices = slice_rows::in_order(timeline, rows);
                let probes = several.first().and_then(|(thread, _)| probe_time(*thread));
                nest(slices.into_iter(), window, probes)
            }
        });
        let mut threads = vec![ThreadCalls::default(); timeline.tasks.threads.len()];
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

    /// The place of the thread at the instant, going on from a place that it was at earlier.
    pub(crate) fn seek(&self, thread: ThreadId, time: BootNanos, from: usize) -> Place<'_> {
        let root = self.root(thread);
        let calls = self.threads.get(thread.index());
        calls.map_or(Place::outside(root), |calls| calls.seek(root, time, from))
    }
}
