//! Processes, threads and call paths of a ledger: those that paid, ran, or were inside a call.

use rustc_hash::FxHashMap;
use wattle_timeline::{ThreadId, Timeline};
use wattle_units::Nanos;

use crate::call_tree::{CallTrees, Node};
use crate::lines::Lines;
use crate::payer::Payer;
use crate::sample_tree::FrameTable;
use crate::sites::{Sites, lines_from};
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
            ledger.frames.extend(frames.entry(timeline, frame));
            ledger.frames.len().saturating_sub(1) as u32
        })
    }
}

/// The mark of a path that has no row.
const NONE: u32 = u32::MAX;

/// Which paths have rows, and their numbers there.
#[derive(Debug)]
pub(crate) struct Rows {
    number: Vec<u32>,
}

impl Rows {
    /// Chooses the paths that paid, ran or were entered, with all of their callers.
    pub(crate) fn new(
        timeline: &Timeline,
        calls: &CallTrees,
        (self_cpu, probe_cpu): (&[Nanos], &[Nanos]),
        lines: &Lines,
    ) -> Self {
        let mut used: Vec<bool> = self_cpu.iter().map(|time| *time != Nanos::ZERO).collect();
        for (used, time) in used.iter_mut().zip(probe_cpu) {
            *used |= *time != Nanos::ZERO;
        }
        for payer in lines.payers() {
            if let Payer::Path(path) | Payer::Recorder(path) | Payer::Probes(path) = payer
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
        calls: &CallTrees,
        frames: &FrameTable,
        (self_cpu, probe_cpu): (&[Nanos], &[Nanos]),
        ledger: &mut Ledger,
    ) -> Sites {
        let mut frame_rows = FrameRows::default();
        let process_of = self.processes(timeline, calls, ledger);
        let sites = Sites::new(timeline, self.nodes(timeline, calls));
        sites.fill(timeline, ledger);
        for thread in threads(timeline) {
            let root = calls.root(thread);
            if self.path(root).0 == NONE {
                continue;
            }
            let Some(facts) = timeline.threads.get(thread.index()) else { continue };
            let nodes = calls.nodes(thread);
            let times = self_cpu.get(root as usize..root as usize + nodes.len());
            let process = match facts.process {
                Some(process) => process_of.get(process.index()).copied().unwrap_or(NONE),
                None => NONE,
            };
            let unknown = (ledger.processes.len() - 1) as u32;
            ledger.threads.push(ThreadEntry {
                process: if process == NONE { unknown } else { process },
                tid: facts.tid.0,
                name: facts.name.map_or(String::new(), |name| timeline.names.get(name).to_owned()),
                cpu: times.unwrap_or_default().iter().copied().sum(),
            });
            let index = (ledger.threads.len() - 1) as u32;
            for ((number, node), time) in (root..).zip(nodes).zip(times.unwrap_or_default()) {
                if self.path(number).0 == NONE {
                    continue;
                }
                let caller = node.caller.and_then(|caller| nodes.get(caller as usize));
                let frame = node.frame.map(|row| frame_rows.row(timeline, frames, row, ledger));
                ledger.paths.push(PathEntry {
                    thread: index,
                    caller: node.caller.map(|caller| self.path(root + caller)),
                    name: match (node.name, node.frame) {
                        (Some(name), _) => timeline.names.get(name).to_owned(),
                        (None, Some(frame)) => frames.name(timeline, frame),
                        (None, None) => String::new(),
                    },
                    calls: node.calls,
                    self_cpu: *time,
                    probe_cpu: probe_cpu.get(number as usize).copied().unwrap_or_default(),
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
        let mut rows = vec![NONE; timeline.processes.len()];
        let mut some_unknown = false;
        for (thread, facts) in threads(timeline).zip(&timeline.threads) {
            if self.path(calls.root(thread)).0 == NONE {
                continue;
            }
            match facts.process.and_then(|process| rows.get_mut(process.index())) {
                Some(row) => *row = 0,
                None => some_unknown = true,
            }
        }
        let text = |name| timeline.names.get(name).to_owned();
        for (row, process) in rows.iter_mut().zip(&timeline.processes) {
            if *row == NONE {
                continue;
            }
            *row = ledger.processes.len() as u32;
            ledger.processes.push(ProcessEntry {
                pid: Some(process.pid.0),
                name: process.name.map(text).unwrap_or_default(),
                package: process.package.map(text),
                uid: process.uid.map(|uid| uid.0),
            });
        }
        if some_unknown {
            let nobody = ProcessEntry { pid: None, name: String::new(), package: None, uid: None };
            ledger.processes.push(nobody);
        }
        rows
    }
}

fn threads(timeline: &Timeline) -> impl Iterator<Item = ThreadId> {
    (0..timeline.threads.len() as u32).map(ThreadId)
}
