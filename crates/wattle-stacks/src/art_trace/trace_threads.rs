//! Who the threads of a trace are.
//!
//! Dalvik numbers them from 1, the Android runtime until version 12 writes the low 16 bits of the kernel's number (and the whole one in its
//! list), from 13 on it numbers them from 1 again, and packets have the kernel's.

use wattle_timeline::{MethodThread, NameId, Names};

use super::trace_file::MethodTrace;
use crate::art_events::RecordLayout;

/// Name that the runtime gives an app's first thread.
const MAIN: &[u8] = b"main";

/// The threads of one trace.
#[derive(Debug)]
pub(super) struct Threads<'a> {
    trace: &'a MethodTrace,
    /// Whether numbers are the kernel's.
    is_kernel: bool,
    /// Whether they are cut to 16 bits in records.
    is_cut: bool,
    /// The process.
    pub pid: Option<u32>,
}

/// One of them.
#[derive(Clone, Copy, Debug)]
pub(super) struct ThreadFacts {
    pub thread: MethodThread,
    pub name: Option<NameId>,
    pub is_main: bool,
    /// Whether the trace's own list has it.
    pub is_listed: bool,
}

impl<'a> Threads<'a> {
    pub fn new(trace: &'a MethodTrace) -> Self {
        let keys = &trace.keys;
        let has_packets = trace.header.is_some_and(|header| header.layout == RecordLayout::Packets);
        let mut numbers = keys.threads.iter().map(|(number, _)| *number);
        // No app has the kernel's number 1.
        let has_first =
            numbers.any(|number| number == 1) || trace.log.threads.iter().any(|it| it.number == 1);
        let is_kernel = has_packets || !has_first;
        let mut mains = keys.threads.iter().filter(|(_, name)| &**name == MAIN);
        let only_main = mains.next().filter(|_| mains.next().is_none());
        // The first thread has the number of its process.
        let of_main = only_main.map(|(number, _)| *number).filter(|_| is_kernel);
        Self { trace, is_kernel, is_cut: !has_packets, pid: keys.pid.or(of_main) }
    }

    /// The thread that records number so.
    pub fn get(&self, number: u32, names: &mut Names) -> ThreadFacts {
        let listed = &self.trace.keys.threads;
        let known = listed.iter().find(|(known, _)| *known == number).or_else(|| {
            let is_it = |known: u32| self.is_kernel && self.is_cut && known & 0xffff == number;
            listed.iter().find(|(known, _)| is_it(*known))
        });
        let text = known.map(|(_, name)| &**name).filter(|name| !name.is_empty());
        let name = text.map(|name| names.intern_bytes(name));
        let tid = known.map_or(number, |(known, _)| *known);
        let thread = if self.is_kernel {
            MethodThread::Kernel(tid)
        } else {
            MethodThread::Named { number, pid: self.pid, name }
        };
        let is_main = if self.is_kernel { Some(tid) == self.pid } else { text == Some(MAIN) };
        ThreadFacts { thread, name, is_main, is_listed: known.is_some() }
    }
}
