//! Places of a record's number, time, thread and CPU, by its event (`evsel__calc_id_pos`, `struct sample_id`).

use super::event_attr::EventAttr;
use super::event_attr::sampled::{ADDR, CPU, ID, IDENTIFIER, IP, STREAM_ID, TID, TIME};
use super::raw_record::RawRecord;
use super::record_kind;
use wattle_wire::ByteOrder;

/// Places of what identifies a record, for one event.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SampleIdLayout {
    /// Of a sample, from the beginning of its body.
    sample_id: Option<usize>,
    sample_time: Option<usize>,
    sample_tid: Option<usize>,
    sample_cpu: Option<usize>,
    /// Of other records, from the end.
    id: Option<usize>,
    time: Option<usize>,
    tid: Option<usize>,
    cpu: Option<usize>,
}

/// The end of a record that is no sample: its thread and its CPU.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SampleId {
    /// Process and thread.
    pub tid: Option<(u32, u32)>,
    /// The CPU.
    pub cpu: Option<u32>,
}

impl SampleIdLayout {
    /// The places for an event.
    pub fn new(attr: &EventAttr) -> Self {
        // A field's place is behind those before it that are there.
        let sum = |fields: &[u64]| 8 * fields.iter().filter(|field| attr.has(**field)).count();
        let place = |field: u64, before: &[u64]| attr.has(field).then(|| sum(before));
        let front = place(IDENTIFIER, &[]);
        let sample_id = front.or_else(|| place(ID, &[IP, TID, TIME, ADDR]));
        let sample_time = place(TIME, &[IDENTIFIER, IP, TID]);
        let sample_tid = place(TID, &[IDENTIFIER, IP]);
        let sample_cpu = place(CPU, &[IDENTIFIER, IP, TID, TIME, ADDR, ID, STREAM_ID]);
        let mut layout = Self { sample_id, sample_time, sample_tid, sample_cpu, ..Self::default() };
        if attr.sample_id_all() {
            // From the end, so the field itself counts, too.
            let end = place(IDENTIFIER, &[IDENTIFIER]);
            layout.id = end.or_else(|| place(ID, &[ID, STREAM_ID, CPU]));
            layout.cpu = place(CPU, &[CPU, IDENTIFIER]);
            layout.time = place(TIME, &[TIME, ID, STREAM_ID, CPU, IDENTIFIER]);
            layout.tid = place(TID, &[TID, TIME, ID, STREAM_ID, CPU, IDENTIFIER]);
        }
        layout
    }

    /// Number of the record's counter.
    #[inline]
    pub fn id(&self, record: &RawRecord<'_>, order: ByteOrder) -> Option<u64> {
        if record.kind == record_kind::SAMPLE {
            return order.long(record.body, self.sample_id?);
        }
        order.long(record.body, record.body.len().checked_sub(self.id?)?)
    }

    /// Time of the record, by the clock of the recording.
    #[inline]
    pub fn time(&self, record: &RawRecord<'_>, order: ByteOrder) -> Option<u64> {
        match record.kind {
            record_kind::SAMPLE => order.long(record.body, self.sample_time?),
            record_kind::UNWINDING_RESULT => order.long(record.body, 0),
            record_kind::FORK | record_kind::EXIT if self.time.is_none() => {
                order.long(record.body, 16)
            }
            _ => order.long(record.body, record.body.len().checked_sub(self.time?)?),
        }
    }

    /// Thread and CPU of a record of any kind.
    pub fn owner(&self, record: &RawRecord<'_>, order: ByteOrder) -> SampleId {
        if record.kind != record_kind::SAMPLE {
            return self.sample_id(record, order);
        }
        let word = |at| order.word(record.body, at);
        SampleId {
            tid: self.sample_tid.and_then(|at| Some((word(at)?, word(at + 4)?))),
            cpu: self.sample_cpu.and_then(word),
        }
    }

    /// Thread and CPU at the end of a record that is no sample.
    pub fn sample_id(&self, record: &RawRecord<'_>, order: ByteOrder) -> SampleId {
        let at = |place: Option<usize>| record.body.len().checked_sub(place?);
        let word = |at| order.word(record.body, at);
        SampleId {
            tid: at(self.tid).and_then(|at| Some((word(at)?, word(at + 4)?))),
            cpu: at(self.cpu).and_then(word),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_behind_what_is_there() {
        let mut attr = vec![0; 64];
        let all = IP | TID | TIME | ID | CPU;
        attr[24..32].copy_from_slice(&all.to_le_bytes());
        attr[40..48].copy_from_slice(&(1_u64 << 18).to_le_bytes());
        let attr = EventAttr::parse(&attr, ByteOrder::default()).expect("long enough");
        let layout = SampleIdLayout::new(&attr);
        let long = |value: u64| value.to_le_bytes();
        let trailer = [long(7 | 8 << 32), long(99), long(5), long(3)].concat();
        let body = [&[0; 16][..], &trailer].concat();
        let record =
            RawRecord { kind: record_kind::COMM, misc: 0, body: &body, at: 0, behind: &[] };
        assert_eq!(layout.id(&record, ByteOrder::default()), Some(5));
        assert_eq!(layout.time(&record, ByteOrder::default()), Some(99));
        assert_eq!(
            layout.owner(&record, ByteOrder::default()),
            SampleId { tid: Some((7, 8)), cpu: Some(3) }
        );
        let sample = RawRecord {
            kind: record_kind::SAMPLE,
            body: &[long(1), long(7 | 9 << 32), long(99), long(5), long(2)].concat(),
            ..record
        };
        assert_eq!(
            layout.owner(&sample, ByteOrder::default()),
            SampleId { tid: Some((7, 9)), cpu: Some(2) }
        );
        assert_eq!(layout.id(&sample, ByteOrder::default()), Some(5));
        assert_eq!(layout.time(&sample, ByteOrder::default()), Some(99));
    }
}
