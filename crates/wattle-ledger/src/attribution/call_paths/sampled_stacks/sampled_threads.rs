//! Makes the call tree of a thread out of its samples.

use rustc_hash::FxHashMap;
use wattle_timeline::{StackSample, StackSamples, StackTotal, ThreadId, Timeline, Window};
use wattle_units::{BootNanos, Nanos};

use super::chosen_samples::Chosen;
use super::frame_table::FrameTable;
use super::sample_reach::OnCpuTime;
use crate::attribution::call_paths::on_cpu::OnCpu;
use crate::attribution::call_paths::path_node::Node;
use crate::attribution::call_paths::thread_calls::ThreadCalls;
use crate::{AttributionOptions, Sampling, Stacks};

/// Longest time on a CPU that one sample stands for, in medians of the time between two samples of a thread. Where samplers tick each
/// for itself, ten mean gaps: a thread that runs is missed for that long by chance once in sixteen thousand times.
const REACH: i64 = 14;

/// The threads whose call trees come from samples.
#[derive(Debug, Default)]
pub(crate) struct SampledThreads {
    chosen: Chosen,
    totals: Vec<Vec<StackTotal>>,
    /// By thread; empty for those that have no samples.
    times: Vec<OnCpuTime>,
    reach: Nanos,
    /// The frames of their stacks.
    pub(crate) frames: FrameTable,
}

impl SampledThreads {
    /// Those that the options ask for.
    pub(crate) fn new(timeline: &Timeline, options: &AttributionOptions) -> Self {
        let chosen = Chosen::new(timeline, options.stacks);
        let mut totals: Vec<Vec<StackTotal>> = Vec::new();
        if options.stacks != Stacks::Calls && !timeline.code.samples.totals.is_empty() {
            totals.resize(timeline.tasks.threads.len(), Vec::new());
            for total in &timeline.code.samples.totals {
                if let Some(totals) = totals.get_mut(total.thread.index()) {
                    totals.push(*total);
                }
            }
        }
        if chosen.samples.is_empty() && totals.is_empty() {
            return Self::default();
        }
        let on_cpu = OnCpu::new(timeline, &chosen.wanted(), options.unfinished);
        let mut gaps: Vec<Nanos> = Vec::new();
        let of_thread = |index| OnCpuTime::new(on_cpu.thread(ThreadId(index)));
        let times: Vec<OnCpuTime> =
            (0..timeline.tasks.threads.len() as u32).map(of_thread).collect();
        for (time, samples) in times.iter().zip(&chosen.samples) {
            gaps.extend(time.gaps(samples.iter().map(|sample| sample.time)));
        }
        gaps.sort_unstable();
        let median = gaps.get(gaps.len() / 2).copied().unwrap_or_default();
        // Slices that were made from samples are each of one sample, however long.
        let reach = if timeline.is_schedule_inferred() {
            i64::MAX
        } else {
            median.value().saturating_mul(REACH)
        };
        let reach = Nanos::new(reach);
        Self { chosen, totals, times, reach, frames: FrameTable::new(timeline) }
    }

    /// Whether the thread is one of them.
    pub(crate) fn has(&self, thread: ThreadId) -> bool {
        let has_samples = self.chosen.samples.get(thread.index()).is_some_and(|it| !it.is_empty());
        has_samples || self.totals.get(thread.index()).is_some_and(|it| !it.is_empty())
    }

    /// The threads, in order.
    pub(crate) fn threads(&self) -> Vec<ThreadId> {
        let count = self.chosen.samples.len().max(self.totals.len()) as u32;
        (0..count).map(ThreadId).filter(|thread| self.has(*thread)).collect()
    }

    /// The call tree of one of them; samples are counted inside the window.
    pub(crate) fn calls(
        &self,
        timeline: &Timeline,
        thread: ThreadId,
        window: Window,
    ) -> ThreadCalls {
        let none = (&[][..], &[][..]);
        let samples = self.chosen.samples.get(thread.index()).map_or(none.0, Vec::as_slice);
        let totals = self.totals.get(thread.index()).map_or(none.1, Vec::as_slice);
        let mut tree = SampleTree::new(&timeline.code.samples, &self.frames);
        if let Some(time) = self.times.get(thread.index()) {
            tree.place(samples, time, self.reach, window);
        }
        for total in totals {
            let node = tree.node(total.site, false);
            tree.count(node, total.weight);
        }
        tree.calls
    }

    /// A summary of the samples, without the time that none stands for.
    pub(crate) fn sampling(&self, timeline: &Timeline, window: Window) -> Option<Sampling> {
        let event = timeline.code.samples.event(self.chosen.event?)?;
        let used = || {
            let samples = self.chosen.samples.iter().flatten();
            samples.filter(move |sample| counts(window, sample))
        };
        let count = |test: &dyn Fn(&&StackSample) -> bool| used().filter(|it| test(it)).count();
        let totals = self.totals.iter().flatten().map(|total| total.weight).sum::<u64>();
        Some(Sampling {
            event: timeline.names.get(event.name).to_owned(),
            samples: (used().count() as u64).saturating_add(totals),
            others: self.chosen.others,
            truncated: count(&|sample| sample.is_truncated && sample.site.is_some()) as u64,
            without_stack: count(&|sample| sample.site.is_none()) as u64,
            is_schedule_inferred: timeline.is_schedule_inferred(),
            unsampled: Nanos::ZERO,
        })
    }
}

/// Whether a sample is counted: recordings begin and end with an event, which may be a sample.
fn counts(window: Window, sample: &StackSample) -> bool {
    (window.start..=window.end).contains(&sample.time)
}

/// The call tree of one thread while it is made.
struct SampleTree<'a> {
    samples: &'a StackSamples,
    frames: &'a FrameTable,
    calls: ThreadCalls,
    callees: FxHashMap<(u32, u32), u32>,
    /// By call site and whether its stack is truncated: its node.
    known: FxHashMap<(u32, bool), u32>,
}

impl<'a> SampleTree<'a> {
    fn new(samples: &'a StackSamples, frames: &'a FrameTable) -> Self {
        Self {
            samples,
            frames,
            calls: ThreadCalls::outside(),
            callees: FxHashMap::default(),
            known: FxHashMap::default(),
        }
    }

    /// Says which stack holds when.
    fn place(&mut self, samples: &[StackSample], time: &OnCpuTime, reach: Nanos, window: Window) {
        let Some(first) = samples.first() else { return };
        let unsampled = self.callee(0, FrameTable::UNSAMPLED);
        let mut from = time.back(first.time, reach);
        self.calls.change_to(BootNanos::MIN, unsampled);
        let mut last = None;
        for sample in samples {
            let node = self.node(sample.site, sample.is_truncated);
            if counts(window, sample) {
                self.count(node, 1);
            }
            if let Some(before) = last {
                from = time.back(sample.time, reach).max(before);
                if from > before {
                    self.calls.change_to(before, unsampled);
                }
            }
            self.calls.change_to(from, node);
            last = Some(sample.time);
        }
        if let Some(last) = last {
            // Nothing stands for what comes after the last one: the nearest does, as far as it reaches.
            self.calls.change_to(time.forward(last, reach).max(from), unsampled);
        }
    }

    fn count(&mut self, node: u32, samples: u64) {
        if let Some(node) = self.calls.nodes.get_mut(node as usize) {
            node.samples = node.samples.saturating_add(samples);
        }
    }

    /// The node of a stack.
    fn node(&mut self, site: Option<u32>, is_truncated: bool) -> u32 {
        let Some(site) = site else { return self.callee(0, FrameTable::TRUNCATED) };
        // From the innermost frame out, until something is known.
        let mut path = Vec::new();
        let mut next = Some(site);
        let mut node = None;
        while let Some(site) = next {
            if let Some(known) = self.known.get(&(site, is_truncated)) {
                node = Some(*known);
                break;
            }
            path.push(site);
            // Callers come first: one that does not would go in a circle.
            let caller = self.samples.sites.get(site as usize).and_then(|site| site.caller);
            next = caller.filter(|caller| *caller < site);
        }
        let mut node = node.unwrap_or_else(|| {
            if is_truncated { self.callee(0, FrameTable::TRUNCATED) } else { 0 }
        });
        for site in path.into_iter().rev() {
            if let Some(place) = self.samples.sites.get(site as usize) {
                let row = self.frames.row(place.frame);
                let caller = self.calls.nodes.get(node as usize).and_then(|node| node.frame);
                let goes_on = self.frames.is_unknown(row) && caller == Some(row);
                if !goes_on {
                    node = self.callee(node, row);
                }
            }
            self.known.insert((site, is_truncated), node);
        }
        node
    }

    fn callee(&mut self, caller: u32, row: u32) -> u32 {
        let nodes = &mut self.calls.nodes;
        *self.callees.entry((caller, row)).or_insert_with(|| {
            nodes.push(Node { caller: Some(caller), frame: Some(row), ..Node::ROOT });
            (nodes.len() - 1) as u32
        })
    }
}
