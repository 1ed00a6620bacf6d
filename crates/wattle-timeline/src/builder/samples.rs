//! Sampled stacks while they are being read.

use rustc_hash::FxHashMap;

use super::task_lives::ThreadTable;
use crate::{CallSite, Frame, StackSample, StackSamples};

#[derive(Debug, Default)]
pub(crate) struct SampleLog {
    samples: StackSamples,
    frames: FxHashMap<Frame, u32>,
    sites: FxHashMap<CallSite, u32>,
}

impl SampleLog {
    pub fn frame(&mut self, frame: Frame) -> u32 {
        *self.frames.entry(frame).or_insert_with(|| {
            self.samples.frames.push(frame);
            self.samples.frames.len() as u32 - 1
        })
    }

    pub fn site(&mut self, site: CallSite) -> u32 {
        *self.sites.entry(site).or_insert_with(|| {
            self.samples.sites.push(site);
            self.samples.sites.len() as u32 - 1
        })
    }

    pub fn push(&mut self, sample: StackSample) {
        self.samples.samples.push(sample);
    }

    pub fn finish(mut self, threads: &ThreadTable<'_>) -> StackSamples {
        for sample in &mut self.samples.samples {
            sample.thread = threads.thread(sample.thread.0, sample.time.value());
        }
        self.samples.samples.sort_by_key(|sample| sample.time);
        self.samples
    }
}
