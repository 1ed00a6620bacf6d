//! Means with which windows of a thread are compared.

use wattle_units::Nanos;

use crate::events::ThreadEvents;

/// Means over all of the time that is looked at, its silence included.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Means {
    /// The thread's time on CPUs by the time that is looked at: 1 is one core all the time.
    pub(crate) cpu_use: f64,
    /// Its events each second.
    pub(crate) rate: f64,
    /// CPU use of a thread of the process, the mean over those that did anything.
    pub(crate) process_cpu_use: f64,
}

impl Means {
    /// `looked` is how long it was looked at; `process` is the CPU time of its process and how many of its threads did anything.
    pub(crate) fn new(events: &ThreadEvents, process: (Nanos, u64), looked: Nanos) -> Self {
        let seconds = looked.seconds();
        if seconds <= 0.0 {
            return Self::default();
        }
        Self {
            cpu_use: events.cpu.total().seconds() / seconds,
            rate: events.begins.len() as f64 / seconds,
            process_cpu_use: process.0.seconds() / seconds / process.1.max(1) as f64,
        }
    }
}
