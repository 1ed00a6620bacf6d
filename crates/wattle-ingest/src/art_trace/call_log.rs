//! The calls of all threads of one trace, while its records are read.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

use super::action::Action;
use super::clock::unwrapped;
use super::method_table::MethodTable;
use super::thread_log::{Moment, ThreadLog};
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

    /// A record of fixed length, whose times have 32 bits and count microseconds. `cpu` is `None` where one clock was read.
    #[inline]
    pub fn record(&mut self, number: u32, word: u32, time: u32, cpu: Option<u32>) {
        let index = self.thread(number);
        let Some(thread) = self.threads.get(index) else { return };
        // Of a thread that nothing was heard of yet time is near to that of the others.
        let near = if thread.len() == 0 { self.latest } else { thread.last.time };
        let time = unwrapped(time, near);
        let cpu = cpu.map_or(0, |cpu| unwrapped(cpu, thread.last.cpu));
        self.event(index, u64::from(word), Moment { time, cpu });
    }

    /// A record of the thread at the index.
    #[inline]
    pub fn event(&mut self, index: usize, word: u64, at: Moment) {
        let Some(action) = Action::of(word) else {
            self.counts.senseless += 1;
            return;
        };
        match action {
            Action::Enter => self.counts.enters += 1,
            Action::Exit => self.counts.exits += 1,
            Action::Unroll => self.counts.unrolls += 1,
        }
        let method = self.methods.index(word & !Action::MASK);
        let Some(thread) = self.threads.get_mut(index) else { return };
        self.latest = self.latest.max(at.time);
        let has_room = self.room > 0;
        self.room -= usize::from(has_room && action == Action::Enter);
        thread.event(action, method, at, has_room);
    }

    /// There are no more records.
    pub fn finish(&mut self) {
        self.threads.iter_mut().for_each(ThreadLog::finish);
    }
}
