//! The events of one thread.

use wattle_timeline::{CpuId, Window};
use wattle_units::BootNanos;

use super::CpuTime;

/// A stretch of a thread on a CPU, as far as it is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Run {
    pub(crate) window: Window,
    pub(crate) cpu: CpuId,
    /// It had slept before, as far as is known: it was not only off the CPU because others had it.
    pub(crate) is_wakeup: bool,
}

/// Events of one thread in the time that is looked at.
#[derive(Clone, Debug, Default)]
pub(crate) struct ThreadEvents {
    /// Stretches on CPUs in order of time, none overlapping another.
    pub(crate) runs: Vec<Run>,
    /// When events began, stretches and disk operations alike, in order.
    pub(crate) begins: Vec<BootNanos>,
    /// When stretches began before which it had slept, in order.
    pub(crate) wakeups: Vec<BootNanos>,
    /// When disk operations began, in order.
    pub(crate) disk: Vec<BootNanos>,
    pub(crate) cpu: CpuTime,
}

impl ThreadEvents {
    /// Of stretches and the beginnings of disk operations, each in order of time.
    pub(crate) fn new(runs: Vec<Run>, disk: Vec<BootNanos>) -> Self {
        let cpu = CpuTime::new(runs.iter().map(|run| run.window));
        let mut begins: Vec<BootNanos> = runs.iter().map(|run| run.window.start).collect();
        if !disk.is_empty() {
            begins.extend(&disk);
            begins.sort_unstable();
        }
        let wakeups = runs.iter().filter(|run| run.is_wakeup).map(|run| run.window.start);
        Self { wakeups: wakeups.collect(), runs, begins, disk, cpu }
    }

    /// Whether nothing happened.
    pub(crate) fn is_empty(&self) -> bool {
        self.begins.is_empty()
    }

    /// Events as stretches of time in order of start; disk operations have no length.
    pub(crate) fn spans(&self) -> Vec<Window> {
        let mut spans: Vec<Window> = self.runs.iter().map(|run| run.window).collect();
        if !self.disk.is_empty() {
            spans.extend(self.disk.iter().map(|begin| Window::new(*begin, *begin)));
            spans.sort_by_key(|span| span.start);
        }
        spans
    }
}

/// Counts the instants, in order, that lie within the window.
pub(crate) fn count_within(times: &[BootNanos], window: Window) -> u64 {
    let first = times.partition_point(|time| *time < window.start);
    let end = times.partition_point(|time| *time < window.end);
    end.saturating_sub(first) as u64
}
