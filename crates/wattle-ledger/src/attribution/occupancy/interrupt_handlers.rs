//! Which interrupt handler runs on a core at each instant.

use std::collections::BTreeMap;

use wattle_timeline::{InterruptKind, InterruptSlice, InterruptSlices, NameId, Timeline};
use wattle_units::BootNanos;

/// The handler that stands for wakes in which neither a task nor a handler ran.
const WITHOUT_TASK: &str = "wake without a task";

/// All handlers by name, numbered in order of their names.
#[derive(Debug)]
pub(crate) struct Handlers {
    names: Vec<String>,
    number: BTreeMap<NameId, u32>,
    without_task: u32,
}

impl Handlers {
    /// Those of all CPUs.
    pub(crate) fn new(timeline: &Timeline) -> Self {
        let ids: std::collections::BTreeSet<NameId> =
            timeline.cpus.iter().flat_map(|cpu| cpu.interrupts.name.iter().copied()).collect();
        let mut names: Vec<String> =
            ids.iter().map(|id| timeline.names.get(*id).to_owned()).collect();
        names.push(WITHOUT_TASK.to_owned());
        names.sort();
        names.dedup();
        let find = |name: &str| names.partition_point(|other| other.as_str() < name) as u32;
        let number = ids.iter().map(|id| (*id, find(timeline.names.get(*id)))).collect();
        let without_task = find(WITHOUT_TASK);
        Self { names, number, without_task }
    }

    /// Number of a handler.
    pub(crate) fn number(&self, name: NameId) -> u32 {
        self.number.get(&name).copied().unwrap_or(self.without_task)
    }

    /// Number of the one that stands for wakes without a task.
    pub(crate) fn without_task(&self) -> u32 {
        self.without_task
    }

    /// The number of handlers.
    pub(crate) fn len(&self) -> usize {
        self.names.len()
    }

    /// A handler's name.
    pub(crate) fn name(&self, number: u32) -> &str {
        self.names.get(number as usize).map_or("", |name| name)
    }
}

/// Goes through the interrupts of one CPU: hard ones come out of soft ones, and of hard ones inside each
/// other the innermost runs.
pub(crate) struct InterruptCursor<'a> {
    slices: &'a InterruptSlices,
    next: usize,
    hard: Vec<(BootNanos, NameId)>,
    soft: Vec<(BootNanos, NameId)>,
}

impl<'a> InterruptCursor<'a> {
    pub(crate) fn new(slices: &'a InterruptSlices) -> Self {
        Self { slices, next: 0, hard: Vec::new(), soft: Vec::new() }
    }

    /// Goes to the instant, which is not before the last one.
    pub(crate) fn advance(&mut self, time: BootNanos) {
        close(&mut self.hard, time);
        close(&mut self.soft, time);
        while let Some(slice) = self.get(self.next)
            && slice.window.start <= time
        {
            self.next += 1;
            let stack = match slice.kind {
                InterruptKind::Hard => &mut self.hard,
                InterruptKind::Soft => &mut self.soft,
            };
            // A handler that seems to outlive the one it interrupted lost its exit.
            let end = stack.last().map_or(slice.window.end, |(end, _)| slice.window.end.min(*end));
            if end > time {
                stack.push((end, slice.name));
            }
        }
    }

    /// Whose handler runs.
    pub(crate) fn running(&self) -> Option<NameId> {
        self.hard.last().or(self.soft.last()).map(|(_, name)| *name)
    }

    /// Until when that holds.
    pub(crate) fn until(&self) -> BootNanos {
        let starts = self.slices.start.get(self.next).copied();
        let ends = [self.hard.last(), self.soft.last()].map(|top| top.map(|(end, _)| *end));
        [starts, ends[0], ends[1]].into_iter().flatten().min().unwrap_or(BootNanos::MAX)
    }

    fn get(&self, index: usize) -> Option<InterruptSlice> {
        Some(InterruptSlice {
            window: wattle_timeline::Window::new(
                *self.slices.start.get(index)?,
                *self.slices.end.get(index)?,
            ),
            kind: *self.slices.kind.get(index)?,
            name: *self.slices.name.get(index)?,
        })
    }
}

fn close(stack: &mut Vec<(BootNanos, NameId)>, time: BootNanos) {
    while let Some((end, _)) = stack.last()
        && *end <= time
    {
        stack.pop();
    }
}
