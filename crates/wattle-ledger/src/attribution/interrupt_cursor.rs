//! The interrupts of one CPU, one after the other.

use wattle_timeline::{InterruptKind, InterruptSlice, InterruptSlices, NameId};
use wattle_units::BootNanos;

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
