//! Stage 1: the call paths of all threads, and which of them was innermost at each instant.
//!
//! In: slices, stack samples and probe costs of a timeline. Out: [`CallPaths`]. A path is a number over all threads; time that probes
//! took inside a path is marked, so that later stages can tell it from the path's own.

mod call_trees;
mod nested_slices;
mod on_cpu;
mod path_node;
mod probe_time;
mod recorder_threads;
mod sampled_stacks;
mod thread_calls;

pub(crate) use call_trees::CallTrees;
pub(crate) use on_cpu::bounded;
pub(crate) use path_node::Node;
pub(crate) use probe_time::ProbeTimes;
pub(crate) use sampled_stacks::{FrameTable, SampledThreads};
pub(crate) use thread_calls::Place;

use super::context::Context;
use crate::LedgerError;

/// The call paths of a recording.
#[derive(Debug)]
pub(crate) struct CallPaths {
    /// The tree of each thread, and its innermost path over time.
    pub(crate) trees: CallTrees,
    /// The threads whose trees come from stack samples.
    pub(crate) sampled: SampledThreads,
    /// The probes in the code of each thread.
    pub(crate) probes: ProbeTimes,
    /// By thread: whether it is the recorder's.
    pub(crate) records: Vec<bool>,
}

impl CallPaths {
    /// The most paths that can be told apart.
    pub(crate) const LIMIT: usize = 1 << 28;

    /// Those of all threads.
    ///
    /// # Errors
    ///
    /// [`LedgerError::TooMany`] when there are more than [`Self::LIMIT`].
    pub(crate) fn new(context: &Context<'_>) -> Result<Self, LedgerError> {
        let Context { timeline, options, .. } = *context;
        let probes = ProbeTimes::new(timeline, options.unfinished);
        let sampled = SampledThreads::new(timeline, options);
        let trees = CallTrees::new(context, &probes, &sampled);
        if trees.len() > Self::LIMIT {
            let (what, limit) = ("call paths", Self::LIMIT);
            return Err(LedgerError::TooMany { what, count: trees.len(), limit });
        }
        let records = recorder_threads::find(timeline, &probes, &options.recorders);
        Ok(Self { trees, sampled, probes, records })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use wattle_timeline::ThreadId;
    use wattle_units::BootNanos;

    use crate::attribution::test_recording::TestRecording;

    /// The innermost path of a thread at an instant.
    fn innermost(recording: &TestRecording, thread: u32, time: i64) -> u32 {
        recording.paths().trees.seek(ThreadId(thread), BootNanos::new(time), 0).path()
    }

    #[test]
    fn paths_are_numbered_over_all_threads() {
        // Thread 1: a(10..50) calls b(20..30). Thread 2: a(0..5).
        let recording = TestRecording::new(2, 100)
            .calls(1, &[(10, 50, "a", 0), (20, 30, "b", 1)])
            .calls(2, &[(0, 5, "a", 0)]);
        let trees = recording.paths().trees;
        // 0 idle task; 1 root, 2 a, 3 a→b of thread 1; 4 root, 5 a of thread 2.
        assert_eq!((trees.len(), trees.root(ThreadId(1)), trees.root(ThreadId(2))), (6, 1, 4));
        let of = |time| innermost(&recording, 1, time);
        assert_eq!([5, 10, 25, 30, 49, 50].map(of), [1, 2, 3, 2, 2, 1]);
        assert_eq!([0, 4, 5].map(|time| innermost(&recording, 2, time)), [5, 5, 4]);
        let wall: Vec<_> = trees.nodes(ThreadId(1)).iter().map(|it| it.wall.value()).collect();
        assert_eq!(wall, [0, 40, 10]);
    }

    proptest! {
        /// Whatever the slices, the innermost path is the thread's root or one whose slice is open.
        #[test]
        fn the_innermost_path_is_open(
            calls in prop::collection::vec((0_i64..200, 0_i64..80, 0_usize..3, 0_u16..4), 0..40)
        ) {
            let mut calls: Vec<_> = calls
                .into_iter()
                .map(|(start, length, name, depth)| {
                    (start, start + length, ["a", "b", "c"][name], depth)
                })
                .collect();
            calls.sort_by_key(|call| call.0);
            let recording = TestRecording::new(1, 300).calls(1, &calls);
            let trees = recording.paths().trees;
            let (root, nodes) = (trees.root(ThreadId(1)), trees.nodes(ThreadId(1)));
            for time in 0..300 {
                let path = trees.seek(ThreadId(1), BootNanos::new(time), 0).path();
                let node = &nodes[(path - root) as usize];
                let is_open = node.name.is_none_or(|name| {
                    let name = recording.timeline.names.get(name);
                    calls.iter().any(|call| call.2 == name && call.0 <= time && time < call.1)
                });
                prop_assert!(is_open, "at {time}: {node:?}");
            }
        }
    }
}
