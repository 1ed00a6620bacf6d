//! A switch of threads (`PERF_RECORD_SWITCH`, `PERF_RECORD_SWITCH_CPU_WIDE`).

use wattle_wire::ByteOrder;

use super::raw_record::RawRecord;
use super::record_kind;
use super::recorded_events::Events;

/// `PERF_RECORD_MISC_SWITCH_OUT` and `PERF_RECORD_MISC_SWITCH_OUT_PREEMPT`.
const OUT: u16 = 1 << 13;
const PREEMPTED: u16 = 1 << 14;

/// A thread comes to a CPU or leaves it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SwitchRecord {
    /// The CPU.
    pub cpu: u32,
    /// The thread that comes or leaves.
    pub tid: u32,
    /// The thread that comes after one that leaves, where that was recorded.
    pub next: Option<u32>,
    /// Whether the thread leaves.
    pub is_out: bool,
    /// Whether a thread that leaves could have gone on.
    pub is_preempted: bool,
    /// Whether switches of all threads were recorded (`PERF_RECORD_SWITCH_CPU_WIDE`).
    pub is_cpu_wide: bool,
}

impl SwitchRecord {
    /// `None` if the record does not name its CPU or its thread.
    pub(super) fn parse(record: &RawRecord<'_>, events: &Events, order: ByteOrder) -> Option<Self> {
        let event = events.get(events.index_of(record, order)?)?;
        let id = event.layout.sample_id(record, order);
        let is_out = record.misc & OUT != 0;
        let is_cpu_wide = record.kind == record_kind::SWITCH_CPU_WIDE;
        let other = if is_cpu_wide { order.word(record.body, 4) } else { None };
        Some(Self {
            cpu: id.cpu?,
            tid: id.tid?.1,
            next: other.filter(|_| is_out),
            is_out,
            is_preempted: record.misc & PREEMPTED != 0,
            is_cpu_wide,
        })
    }
}
