//! Records of the probes of one process.

use std::collections::BTreeMap;

use super::ProbeClocks;
use super::map_id::ShortId;
use super::probe_record::Record;
use crate::limits::MAX_PROBE_RECORDS;

/// The records of one thread.
#[derive(Debug, Default)]
pub(crate) struct ThreadRecords {
    pub tid: u32,
    /// The last name that was written.
    pub name: Vec<u8>,
    /// In order of time once [`Self::sort`] was called.
    pub records: Vec<Record>,
    /// Records that the runtime could not keep, as the last block says.
    pub lost: u64,
    /// The number that the next block must have.
    next_block: Option<u32>,
    /// Blocks that are missing between others.
    pub missing_blocks: u64,
}

impl ThreadRecords {
    /// A block with this number among the thread's begins.
    pub fn block(&mut self, number: u32) {
        let expected = self.next_block.unwrap_or(0);
        self.missing_blocks += u64::from(number.saturating_sub(expected));
        self.next_block = Some(number.saturating_add(1).max(expected));
    }

    /// Blocks may come late; the records of each are in order.
    pub fn sort(&mut self) {
        if !self.records.is_sorted_by_key(|record| record.time) {
            self.records.sort_by_key(|record| record.time);
        }
    }
}

/// Records of the probes of one process.
#[derive(Debug, Default)]
pub(crate) struct ProcessRecords {
    /// The artifact that it came in: index of its quality.
    pub artifact: usize,
    pub pid: Option<u32>,
    pub map: ShortId,
    /// `/proc/self/cmdline`.
    pub name: Vec<u8>,
    /// The app's package, where the file says it.
    pub package: Vec<u8>,
    pub clocks: Vec<ProbeClocks>,
    /// By the thread's serial in the process.
    pub threads: BTreeMap<u32, ThreadRecords>,
}

/// All that probes recorded, of all processes.
#[derive(Debug, Default)]
pub(crate) struct ProbeLog {
    pub processes: Vec<ProcessRecords>,
    kept: usize,
    /// Records beyond what is kept.
    pub refused: u64,
}

impl ProbeLog {
    /// A thread of a process, by its serial.
    pub fn thread(&mut self, process: usize, serial: u32, tid: u32) -> Option<&mut ThreadRecords> {
        let thread = self.processes.get_mut(process)?.threads.entry(serial).or_default();
        thread.tid = tid;
        Some(thread)
    }

    /// Keeps a record of a thread.
    pub fn keep(&mut self, process: usize, serial: u32, record: Record) {
        if self.kept >= MAX_PROBE_RECORDS {
            self.refused += 1;
            return;
        }
        let thread = self.processes.get_mut(process).and_then(|p| p.threads.get_mut(&serial));
        if let Some(thread) = thread {
            thread.records.push(record);
            self.kept += 1;
        }
    }
}
