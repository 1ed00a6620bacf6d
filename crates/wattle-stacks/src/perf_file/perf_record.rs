//! Records by their kinds, with their fields.

use wattle_wire::ByteOrder;

use super::mapping_record::MappingRecord;
use super::raw_record::RawRecord;
use super::record_kind;
use super::recorded_events::Events;
use super::sample_record::Sample;
use super::switch_record::SwitchRecord;
use super::task_records::{TaskRecord, ThreadName};

/// A record with its fields.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum PerfRecord<'a> {
    /// A sample.
    Sample {
        /// Index of its event in [`Events::list`].
        event: usize,
        /// Its fields.
        sample: Sample<'a>,
    },
    /// A sample of a counter that no event of the file has.
    SampleOfUnknownEvent,
    /// A file was mapped into a process.
    Mapping(MappingRecord<'a>),
    /// A thread took a name.
    ThreadName(ThreadName<'a>),
    /// A thread began.
    Fork(TaskRecord),
    /// A thread ended.
    Exit(TaskRecord),
    /// The kernel dropped records or samples, because its buffer was full.
    Lost {
        /// Their number.
        count: u64,
        /// The CPU whose buffer it was, where it is known.
        cpu: Option<u32>,
    },
    /// A thread came to a CPU or left it.
    Switch(SwitchRecord),
    /// simpleperf's result of unwinding the next sample: 0, or the number of an error.
    UnwindingResult(u64),
    /// The kernel dropped samples for a while, because they took too much time.
    Throttled,
    /// A record of another kind, or a switch without a thread or a CPU.
    Other,
}

impl<'a> PerfRecord<'a> {
    /// The fields of a record; `None` if it ends before they do.
    #[inline]
    pub(super) fn parse(record: &RawRecord<'a>, events: &Events, order: ByteOrder) -> Option<Self> {
        Some(match record.kind {
            record_kind::SAMPLE => {
                let event = events.index_of(record, order);
                let known = event.filter(|_| !events.is_foreign(record, order));
                let Some(event) = known else { return Some(Self::SampleOfUnknownEvent) };
                let attr = &events.get(event)?.attr;
                Self::Sample { event, sample: Sample::parse(record.body, attr, order)? }
            }
            record_kind::MMAP | record_kind::MMAP2 => {
                Self::Mapping(MappingRecord::parse(record, order)?)
            }
            record_kind::COMM => Self::ThreadName(ThreadName::parse(record, order)?),
            record_kind::FORK => Self::Fork(TaskRecord::parse(record, order)?),
            record_kind::EXIT => Self::Exit(TaskRecord::parse(record, order)?),
            record_kind::LOST | record_kind::LOST_SAMPLES => {
                let mut cursor = record.cursor(order);
                if record.kind == record_kind::LOST {
                    // The number of the counter.
                    cursor.u64()?;
                }
                let count = cursor.u64()?;
                let event = events.index_of(record, order).and_then(|event| events.get(event));
                let cpu = event.and_then(|event| event.layout.sample_id(record, order).cpu);
                Self::Lost { count, cpu }
            }
            record_kind::SWITCH | record_kind::SWITCH_CPU_WIDE => {
                SwitchRecord::parse(record, events, order).map_or(Self::Other, Self::Switch)
            }
            record_kind::UNWINDING_RESULT => {
                // Two times before it.
                Self::UnwindingResult(order.long(record.body, 16)?)
            }
            record_kind::THROTTLE => Self::Throttled,
            _ => Self::Other,
        })
    }
}
