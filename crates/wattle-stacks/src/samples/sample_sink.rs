//! Destination of samples: the timeline with a time, totals without one.

use rustc_hash::FxHashMap;
use wattle_timeline::{
    CpuId, EventId, NameRank, SampleEvent, SampleUnit, StackSample, StackTotal, ThreadId,
    TimelineBuilder,
};
use wattle_units::BootNanos;

use crate::limits::MAX_STACK_TOTALS;

/// Threads of whom only a name is known get numbers past those that the kernel gives (`PID_MAX_LIMIT`).
const NAMED_FROM: u32 = (1 << 22) + 1;

/// One sample as a reader found it.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Sample<'a> {
    /// In boot time, nanoseconds; `None` where there is none.
    pub time: Option<i64>,
    pub pid: Option<u32>,
    pub tid: Option<u32>,
    /// Name of the thread; empty if nobody states it.
    pub comm: &'a [u8],
    pub cpu: Option<u32>,
    pub event: EventId,
    /// Weight of the sample, if that is written.
    pub weight: Option<u64>,
    pub site: Option<u32>,
    pub is_truncated: bool,
}

/// Attributes common to equal samples without times.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct TotalKey {
    site: Option<u32>,
    event: EventId,
    pid: Option<u32>,
    tid: u32,
}

/// Takes samples in.
#[derive(Debug, Default)]
pub(crate) struct SampleSink {
    totals: FxHashMap<TotalKey, u64>,
    /// In the order in which they came.
    order: Vec<TotalKey>,
    named: FxHashMap<Box<[u8]>, u32>,
    /// Names and processes of threads without times, told once each.
    told: FxHashMap<u32, Option<u32>>,
    /// Samples with and without times.
    pub timed: u64,
    pub timeless: u64,
    /// Samples for which there was no room.
    pub refused: u64,
}

impl SampleSink {
    /// The event of a name; one without stands for samples.
    pub fn event(name: &[u8], builder: &mut TimelineBuilder) -> EventId {
        let name = if name.is_empty() { b"samples" } else { name };
        let unit = std::str::from_utf8(name).map_or(SampleUnit::Occurrences, SampleUnit::of_event);
        let name = builder.names.intern_bytes(name);
        builder.samples().event(SampleEvent { name, unit })
    }

    /// The number of a thread of which only the name is known.
    pub fn thread_named(&mut self, name: &[u8]) -> u32 {
        if name.is_empty() {
            return 0;
        }
        if let Some(tid) = self.named.get(name) {
            return *tid;
        }
        let tid = NAMED_FROM + (self.named.len() as u32).min(MAX_STACK_TOTALS as u32);
        self.named.insert(name.into(), tid);
        tid
    }

    /// Takes a sample in.
    #[inline]
    pub fn take(&mut self, sample: &Sample<'_>, builder: &mut TimelineBuilder) {
        let tid = sample.tid.unwrap_or_else(|| self.thread_named(sample.comm));
        let pid = sample.pid.or_else(|| (tid >= NAMED_FROM).then_some(tid));
        let Some(time) = sample.time else {
            self.total(sample, pid, tid, builder);
            return;
        };
        self.timed += 1;
        let time = BootNanos::new(time);
        if tid != 0 && is_name(sample.comm) {
            builder.tasks().thread_comm(time, tid, sample.comm);
        }
        let sampled = StackSample {
            time,
            cpu: sample.cpu.map(CpuId),
            thread: ThreadId(tid),
            site: sample.site,
            event: sample.event,
            weight: sample.weight.unwrap_or(0),
            is_truncated: sample.is_truncated,
        };
        builder.samples().sample(pid, sampled);
    }

    fn total(
        &mut self,
        sample: &Sample<'_>,
        pid: Option<u32>,
        tid: u32,
        builder: &mut TimelineBuilder,
    ) {
        self.timeless += 1;
        // A sample of which nobody says what it stands for is one sample.
        let (event, weight) = match sample.weight {
            Some(weight) => (sample.event, weight),
            None => (Self::event(b"", builder), 1),
        };
        let key = TotalKey { site: sample.site, event, pid, tid };
        if let Some(known) = self.totals.get_mut(&key) {
            *known = known.saturating_add(weight);
            return;
        }
        if self.order.len() >= MAX_STACK_TOTALS {
            self.refused += 1;
            return;
        }
        self.totals.insert(key, weight);
        self.order.push(key);
        if tid != 0 && self.told.get(&tid) != Some(&pid) {
            self.told.insert(tid, pid);
            let time = builder.span().map_or(BootNanos::new(0), |(_, last)| last);
            if is_name(sample.comm) {
                let name = builder.names.intern_bytes(sample.comm);
                builder.tasks().thread_name(time, tid, name, NameRank::Kernel);
            }
        }
    }

    /// Gives the totals to the timeline.
    pub fn finish(&mut self, builder: &mut TimelineBuilder) {
        for key in std::mem::take(&mut self.order) {
            let weight = self.totals.get(&key).copied().unwrap_or(0);
            let TotalKey { site, event, pid, tid } = key;
            let thread = ThreadId(tid);
            builder.samples().stack_total(pid, StackTotal { site, weight, event, thread });
        }
        self.totals.clear();
    }
}

/// `:1234` is what perf calls threads whose names it did not hear.
fn is_name(comm: &[u8]) -> bool {
    let digits = comm.strip_prefix(b":");
    !comm.is_empty()
        && !digits.is_some_and(|rest| rest.iter().all(|b| b.is_ascii_digit() || *b == b'-'))
}
