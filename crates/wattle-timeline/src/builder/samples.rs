//! Sampled stacks while a recording is read.

use rustc_hash::{FxHashMap, FxHashSet};

use super::extent::Extent;
use super::stack_sites::StackSites;
use super::task_lives::ThreadTable;
use super::task_log::TaskLog;
use crate::{
    CallSite, EventId, Frame, MappedRange, NameId, SampleEvent, StackCopy, StackSample,
    StackSamples, StackTotal, ThreadId,
};

#[derive(Debug, Default)]
pub(crate) struct SampleLog {
    samples: StackSamples,
    frames: FxHashMap<Frame, u32>,
    sites: StackSites,
    build_ids: FxHashSet<(NameId, NameId)>,
}

impl SampleLog {
    fn frame(&mut self, frame: Frame) -> u32 {
        *self.frames.entry(frame).or_insert_with(|| {
            self.samples.frames.push(frame);
            self.samples.frames.len() as u32 - 1
        })
    }

    fn site(&mut self, site: CallSite) -> u32 {
        self.sites.number(site, &mut self.samples.sites)
    }

    fn event(&mut self, event: SampleEvent) -> EventId {
        let events = &mut self.samples.events;
        let known = events.iter().position(|known| *known == event);
        let index = known.unwrap_or_else(|| {
            // A file may claim any number of events; one that holds more than fit tells nothing by the rest.
            if events.len() < usize::from(u16::MAX) {
                events.push(event);
            }
            events.len() - 1
        });
        EventId(index as u16)
    }

    pub fn finish(mut self, threads: &ThreadTable<'_>) -> StackSamples {
        for sample in &mut self.samples.samples {
            sample.thread = threads.thread(sample.thread.0, sample.time.value());
        }
        for total in &mut self.samples.totals {
            if !total.thread.is_idle() {
                total.thread = threads.thread(total.thread.0, i64::MAX);
            }
        }
        self.renumber_copies();
        self.samples.samples.sort_by_key(|sample| sample.time);
        self.samples
    }

    /// Gives copied stacks the numbers that their samples have in order of time.
    fn renumber_copies(&mut self) {
        if self.samples.copies.list.is_empty() {
            return;
        }
        let samples = &self.samples.samples;
        let mut order: Vec<usize> = (0..samples.len()).collect();
        order.sort_by_key(|index| samples.get(*index).map(|sample| sample.time));
        let mut rank = vec![0_u32; order.len()];
        for (new, old) in (0..).zip(order) {
            if let Some(rank) = rank.get_mut(old) {
                *rank = new;
            }
        }
        for copy in &mut self.samples.copies.list {
            copy.sample = rank.get(copy.sample as usize).copied().unwrap_or(u32::MAX);
        }
    }
}

/// Adds sampled stacks: see [`super::TimelineBuilder::samples`].
#[derive(Debug)]
pub struct SampleBuilder<'a> {
    pub(super) extent: &'a mut Extent,
    pub(super) tasks: &'a mut TaskLog,
    pub(super) log: &'a mut SampleLog,
}

impl SampleBuilder<'_> {
    /// A frame of a stack, interned.
    pub fn frame(&mut self, frame: Frame) -> u32 {
        self.log.frame(frame)
    }

    /// A call site, interned; the caller comes first.
    pub fn call_site(&mut self, site: CallSite) -> u32 {
        self.log.site(site)
    }

    /// An event that triggers samples, interned.
    pub fn event(&mut self, event: SampleEvent) -> EventId {
        self.log.event(event)
    }

    /// A sampled stack, with the kernel's number of its thread.
    pub fn sample(&mut self, pid: Option<u32>, sample: StackSample) {
        self.extent.reach(sample.time);
        match pid {
            Some(pid) => self.tasks.member(sample.time.value(), sample.thread.0, pid),
            None => self.tasks.mention_thread(sample.time.value(), sample.thread.0),
        }
        self.log.samples.samples.push(sample);
    }

    /// Adds the mappings of a process, in order of addresses; the number that its copied stacks refer to them by.
    pub fn address_space(&mut self, ranges: Vec<MappedRange>) -> u32 {
        let spaces = &mut self.log.samples.copies.spaces;
        spaces.push(ranges);
        spaces.len() as u32 - 1
    }

    /// Keeps the bytes of a copied stack; the number of the first one.
    pub fn stack_bytes(&mut self, bytes: &[u8]) -> usize {
        let all = &mut self.log.samples.copies.bytes;
        all.extend_from_slice(bytes);
        all.len() - bytes.len()
    }

    /// The copied stack of the sample that was added last.
    pub fn stack_copy(&mut self, copy: StackCopy) {
        let last = self.log.samples.samples.len().checked_sub(1);
        if let Some(sample) = last.and_then(|last| u32::try_from(last).ok()) {
            self.log.samples.copies.list.push(StackCopy { sample, ..copy });
        }
    }

    /// The weight of a stack without times, of the thread with the kernel's number; 0 where no thread is known.
    pub fn stack_total(&mut self, pid: Option<u32>, total: StackTotal) {
        if total.thread != ThreadId::IDLE {
            let time = self.extent.span().map_or(0, |(_, last)| last.value());
            match pid {
                Some(pid) => self.tasks.member(time, total.thread.0, pid),
                None => self.tasks.mention_thread(time, total.thread.0),
            }
        }
        self.log.samples.totals.push(total);
    }

    /// The build id of a mapping, in hexadecimal.
    pub fn build_id(&mut self, mapping: NameId, id: NameId) {
        if self.log.build_ids.insert((mapping, id)) {
            self.log.samples.build_ids.push((mapping, id));
        }
    }
}
