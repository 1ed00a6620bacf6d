//! Processes, threads and call paths of a ledger: those that paid, ran, or were inside a call.

use rustc_hash::FxHashMap;
use wattle_timeline::{ThreadId, Timeline};
use wattle_units::Nanos;

use super::site_rows::{Sites, lines_from};
use crate::attribution::bookings::Lines;
use crate::attribution::call_paths::{CallPaths, CallTrees, FrameTable, Node};
use crate::attribution::consumer::Consumer;
use crate::attribution::occupancy::PathTimes;
use crate::{Ledger, PathEntry, PathId, ProcessEntry, ThreadEntry};

/// Frames of a ledger while its paths are written.
#[derive(Debug, Default)]
struct FrameRows(FxHashMap<u32, u32>);

impl FrameRows {
    /// The row of a frame in the ledger, written when it is first asked for.
    fn row(
        &mut self,
        timeline: &Timeline,
        frames: &FrameTable,
        frame: u32,
        ledger: &mut Ledger,
    ) -> u32 {
        *self.0.entry(frame).or_insert_with(|| {
            ledger.rows.frames.extend(frames.entry(timeline, frame));
            ledger.rows.frames.len().saturating_sub(1) as u32
        })
    }
}

/// The mark of a path that has no row.
const NONE: u32 = u32::MAX;

/// Which paths have rows, and their numbers there.
#[derive(Debug)]
pub(crate) struct PathRows {
    number: Vec<u32>,
}

impl PathRows {
    /// Chooses the paths that paid, ran or were entered, with all of their callers.
    pub(crate) fn new(
        timeline: &Timeline,
        calls: &CallTrees,
        cpu: &PathTimes,
        lines: &Lines,
    ) -> Self {
        let mut used: Vec<bool> = cpu.own.iter().map(|time| *time != Nanos::ZERO).collect();
        for (used, time) in used.iter_mut().zip(&cpu.probes) {
            *used |= *time != Nanos::ZERO;
        }
        for consumer in lines.consumers() {
            if let Consumer::Path(path) | Consumer::Recorder(path) | Consumer::Probes(path) =
                consumer
                && let Some(used) = used.get_mut(path as usize)
            {
                *used = true;
            }
        }
        for thread in threads(timeline) {
            let root = calls.root(thread) as usize;
            let nodes = calls.nodes(thread);
            let Some(used) = used.get_mut(root..root + nodes.len()) else { continue };
            // Callers come before their callees: backwards, each hands its mark on.
            for (index, node) in nodes.iter().enumerate().rev() {
                used[index] |= node.is_inside();
                if used[index]
                    && let Some(caller) = node.caller
                {
                    used[caller as usize] = true;
                }
            }
        }
        let mut count = 0;
        let number = used
            .into_iter()
            .map(|used| {
                let number = count;
                count += u32::from(used);
                if used { number } else { NONE }
            })
            .collect();
        Self { number }
    }

    /// The row of a path that paid.
    pub(crate) fn path(&self, path: u32) -> PathId {
        PathId(self.number.get(path as usize).copied().unwrap_or(NONE))
    }

    /// Writes processes, threads, paths and the places in code that paths are of, which it returns.
    pub(crate) fn fill(
        &self,
        timeline: &Timeline,
        paths: &CallPaths,
        cpu: &PathTimes,
        ledger: &mut Ledger,
    ) -> Sites {
        let (calls, frames) = (&paths.trees, &paths.sampled.frames);
        let mut frame_rows = FrameRows::default();
        let process_of = self.processes(timeline, calls, ledger);
        let sites = Sites::new(timeline, self.nodes(timeline, calls));
        sites.fill(timeline, ledger);
        for thread in threads(timeline) {
            let root = calls.root(thread);
            if self.path(root).0 == NONE {
                continue;
            }
            let Some(facts) = timeline.tasks.threads.get(thread.index()) else { continue };
            let nodes = calls.nodes(thread);
            let times = cpu.own.get(root as usize..root as usize + nodes.len());
            let process = match facts.process {
                Some(process) => process_of.get(process.index()).copied().unwrap_or(NONE),
                None => NONE,
            };
            let unknown = (ledger.rows.processes.len() - 1) as u32;
            ledger.rows.threads.push(ThreadEntry {
                process: if process == NONE { unknown } else { process },
                tid: facts.tid.0,
                name: facts.name.map_or(String::new(), |name| timeline.names.get(name).to_owned()),
                cpu: times.unwrap_or_default().iter().copied().sum(),
            });
            let index = (ledger.rows.threads.len() - 1) as u32;
            for ((number, node), time) in (root..).zip(nodes).zip(times.unwrap_or_default()) {
                if self.path(number).0 == NONE {
                    continue;
                }
                let caller = node.caller.and_then(|caller| nodes.get(caller as usize));
                let frame = node.frame.map(|row| frame_rows.row(timeline, frames, row, ledger));
                ledger.rows.paths.push(PathEntry {
                    thread: index,
                    caller: node.caller.map(|caller| self.path(root + caller)),
                    name: match (node.name, node.frame) {
                        (Some(name), _) => timeline.names.get(name).to_owned(),
                        (None, Some(frame)) => frames.name(timeline, frame),
                        (None, None) => String::new(),
                    },
                    calls: node.calls,
                    self_cpu: *time,
                    probe_cpu: cpu.probes.get(number as usize).copied().unwrap_or_default(),
                    wall: node.wall,
                    site: sites.row(node.site),
                    from_lines: caller
                        .map_or_else(Vec::new, |caller| lines_from(timeline, frames, caller, node)),
                    frame,
                    samples: node.samples,
                    clock_cpu: node.clock_cpu,
                });
            }
        }
        sites
    }

    /// The nodes that have rows.
    fn nodes<'a>(
        &'a self,
        timeline: &'a Timeline,
        calls: &'a CallTrees,
    ) -> impl Iterator<Item = &'a Node> {
        threads(timeline).flat_map(move |thread| {
            let numbered = (calls.root(thread)..).zip(calls.nodes(thread));
            numbered.filter(|(path, _)| self.path(*path).0 != NONE).map(|(_, node)| node)
        })
    }

    /// Writes the processes of threads that have rows, the unknown one last; returns the row of each process
    /// of the timeline.
    fn processes(&self, timeline: &Timeline, calls: &CallTrees, ledger: &mut Ledger) -> Vec<u32> {
        let mut rows = vec![NONE; timeline.tasks.processes.len()];
        let mut some_unknown = false;
        for (thread, facts) in threads(timeline).zip(&timeline.tasks.threads) {
            if self.path(calls.root(thread)).0 == NONE {
                continue;
            }
            match facts.process.and_then(|process| rows.get_mut(process.index())) {
                Some(row) => *row = 0,
                None => some_unknown = true,
            }
        }
        let text = |name| timeline.names.get(name).to_owned();
        for (row, process) in rows.iter_mut().zip(&timeline.tasks.processes) {
            if *row == NONE {
                continue;
            }
            *row = ledger.rows.processes.len() as u32;
            ledger.rows.processes.push(ProcessEntry {
                pid: Some(process.pid.0),
                name: process.name.map(text).unwrap_or_default(),
                package: process.package.map(text),
                uid: process.uid.map(|uid| uid.0),
            });
        }
        if some_unknown {
            let nobody = ProcessEntry { pid: None, name: String::new(), package: None, uid: None };
            ledger.rows.processes.push(nobody);
        }
        rows
    }
}

fn threads(timeline: &Timeline) -> impl Iterator<Item = ThreadId> {
    (0..timeline.tasks.threads.len() as u32).map(ThreadId)
}
