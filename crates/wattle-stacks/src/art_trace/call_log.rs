//! The calls of all threads of one trace, while its records are read.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

use super::method_table::MethodTable;
use super::thread_log::{Moment, ThreadLog};
use crate::art_events::{EventTime, MethodEvent, MethodSink, TraceAction, unwrapped};
use crate::limits::MAX_METHOD_CALLS;

/// Threads of one trace.
#[derive(Debug, Default)]
pub(super) struct CallLog {
    pub methods: MethodTable,
    pub threads: Vec<ThreadLog>,
    by_number: FxHashMap<u32, usize>,
    /// The one of the last record, which is most often that of the next.
    recent: (u32, usize),
    /// The latest time of any thread.
    latest: i64,
    room: usize,
    pub counts: Counts,
}

/// Records by what they say.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Counts {
    pub enters: u64,
    pub exits: u64,
    pub unrolls: u64,
    /// The action that is not used, or a thread that cannot be.
    pub senseless: u64,
}

impl Counts {
    pub fn records(&self) -> u64 {
        self.enters + self.exits + self.unrolls + self.senseless
    }

    /// As the quality of an artifact has them.
    pub fn events(&self) -> BTreeMap<String, u64> {
        let all = [
            ("method entry", self.enters),
            ("method exit", self.exits),
            ("method unroll", self.unrolls),
        ];
        let some = all.into_iter().filter(|(_, count)| *count > 0);
        some.map(|(name, count)| (name.to_owned(), count)).collect()
    }
}

impl CallLog {
    pub fn new() -> Self {
        Self { room: MAX_METHOD_CALLS, ..Self::default() }
    }

    /// The thread with the number.
    #[inline]
    pub fn thread(&mut self, number: u32) -> usize {
        if self.recent.0 == number && self.recent.1 < self.threads.len() {
            return self.recent.1;
        }
        let next = self.threads.len();
        let index = *self.by_number.entry(number).or_insert(next);
        if index == next {
            self.threads.push(ThreadLog::new(number));
        }
        self.recent = (number, index);
        index
    }

    /// Times since the trace began. Those of 32 bits are brought near to what is known.
    #[inline]
    fn moment(&self, index: usize, time: EventTime) -> Moment {
        match time {
            EventTime::Nanos { time, cpu } => Moment { time, cpu },
            EventTime::Micros { time, cpu } => {
                let Some(thread) = self.threads.get(index) else { return Moment::default() };
                // Of a thread that nothing was heard of yet time is near to that of the others.
                let near = if thread.len() == 0 { self.latest } else { thread.last.time };
                let time = unwrapped(time, near);
                let cpu = cpu.map_or(0, |cpu| unwrapped(cpu, thread.last.cpu));
                Moment { time, cpu }
            }
        }
    }

    /// There are no more records.
    pub fn finish(&mut self) {
        self.threads.iter_mut().for_each(ThreadLog::finish);
    }
}

/// The log of one file while it is read, and where its progress goes.
pub(super) struct CallSink<'a> {
    pub log: CallLog,
    pub progress: &'a mut dyn FnMut(u64),
}

impl MethodSink for CallSink<'_> {
    fn method(&mut self, id: u64, line: &[u8]) {
        self.log.methods.describe(id, line);
    }

    #[inline]
    fn event(&mut self, event: MethodEvent) {
        let log = &mut self.log;
        let index = log.thread(event.thread);
        let Some(action) = event.action else {
            log.counts.senseless += 1;
            return;
        };
        let at = log.moment(index, event.time);
        match action {
            TraceAction::Enter => log.counts.enters += 1,
            TraceAction::Exit => log.counts.exits += 1,
            TraceAction::Unroll => log.counts.unrolls += 1,
        }
        let method = log.methods.index(event.method);
        let Some(thread) = log.threads.get_mut(index) else { return };
        log.latest = log.latest.max(at.time);
        let has_room = log.room > 0;
        log.room -= usize::from(has_room && action == TraceAction::Enter);
        thread.event(action, method, at, has_room);
    }

    fn senseless_record(&mut self) {
        self.log.counts.senseless += 1;
    }

    fn progress(&mut self, offset: u64) {
        (self.progress)(offset);
    }
}
