//! Where in a record its number, time, thread and CPU are, by its event (`evsel__calc_id_pos`, `struct sample_id`).

use super::attr::Attr;
use super::attr::sampled::{ADDR, CPU, ID, IDENTIFIER, IP, STREAM_ID, TID, TIME};
use super::kind;
use super::record::Record;
use crate::trace_dat::Order;

/// Places for one event.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Layout {
    /// Of a sample, from the beginning of its body.
    sample_id: Option<usize>,
    sample_time: Option<usize>,
    /// Of other records, from the end.
    id: Option<usize>,
    time: Option<usize>,
    tid: Option<usize>,
    cpu: Option<usize>,
}

/// What stands at the end of a record.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Trailer {
    pub tid: Option<(u32, u32)>,
    pub cpu: Option<u32>,
}

impl Layout {
    pub fn of(attr: &Attr) -> Self {
        // A field's place is behind those before it that are there.
        let sum = |fields: &[u64]| 8 * fields.iter().filter(|field| attr.has(**field)).count();
        let place = |field: u64, before: &[u64]| attr.has(field).then(|| sum(before));
        let front = place(IDENTIFIER, &[]);
        let sample_id = front.or_else(|| place(ID, &[IP, TID, TIME, ADDR]));
        let sample_time = place(TIME, &[IDENTIFIER, IP, TID]);
        let mut layout = Self { sample_id, sample_time, ..Self::default() };
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

    /// The number of the counter that the record is of.
    #[inline]
    pub fn id(&self, record: &Record<'_>, order: Order) -> Option<u64> {
        if record.kind == kind::SAMPLE {
            return order.long(record.body, self.sample_id?);
        }
        order.long(record.body, record.body.len().checked_sub(self.id?)?)
    }

    /// When it was.
    #[inline]
    pub fn time(&self, record: &Record<'_>, order: Order) -> Option<u64> {
        match record.kind {
            kind::SAMPLE => order.long(record.body, self.sample_time?),
            kind::UNWINDING_RESULT => order.long(record.body, 0),
            kind::FORK | kind::EXIT if self.time.is_none() => order.long(record.body, 16),
            _ => order.long(record.body, record.body.len().checked_sub(self.time?)?),
        }
    }

    /// What stands at the end of a record that is no sample.
    pub fn trailer(&self, record: &Record<'_>, order: Order) -> Trailer {
        let at = |place: Option<usize>| record.body.len().checked_sub(place?);
        let word = |at| order.word(record.body, at);
        Trailer {
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
        let attr = Attr::parse(&attr, Order::default()).expect("long enough");
        let layout = Layout::of(&attr);
        let long = |value: u64| value.to_le_bytes();
        let trailer = [long(7 | 8 << 32), long(99), long(5), long(3)].concat();
        let body = [&[0; 16][..], &trailer].concat();
        let record = Record { kind: kind::COMM, misc: 0, body: &body, at: 0, behind: &[] };
        assert_eq!(layout.id(&record, Order::default()), Some(5));
        assert_eq!(layout.time(&record, Order::default()), Some(99));
        assert_eq!(
            layout.trailer(&record, Order::default()),
            Trailer { tid: Some((7, 8)), cpu: Some(3) }
        );
        let sample = Record {
            kind: kind::SAMPLE,
            body: &[long(1), long(7), long(99), long(5)].concat(),
            ..record
        };
        assert_eq!(layout.id(&sample, Order::default()), Some(5));
        assert_eq!(layout.time(&sample, Order::default()), Some(99));
    }
}
