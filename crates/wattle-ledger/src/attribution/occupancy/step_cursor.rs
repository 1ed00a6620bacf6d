//! Values that hold until they change, gone through in order of time.

use std::borrow::Cow;

use wattle_timeline::{IdleState, Steps};
use wattle_units::{BootNanos, Nanos};

/// Idle states of a core that leaves state 1 earlier than the kernel can say, at most at the event before: its
/// power tracks have it active from then on.
pub(super) fn leaving_earlier(idle: &Steps<IdleState>, exit: Nanos) -> Cow<'_, Steps<IdleState>> {
    if exit <= Nanos::ZERO {
        return Cow::Borrowed(idle);
    }
    let mut earlier = Steps::with_capacity(idle.len());
    let mut last: Option<(BootNanos, IdleState)> = None;
    for (time, state) in idle.iter() {
        let from = match last {
            Some((before, IdleState(1))) if state.is_active() => (time - exit).max(before),
            _ => time,
        };
        earlier.push(from, state);
        last = Some((time, state));
    }
    Cow::Owned(earlier)
}

/// Goes through a value over time.
pub(super) struct StepCursor<'a, T> {
    times: &'a [BootNanos],
    values: &'a [T],
    next: usize,
}

impl<'a, T: Copy + PartialEq> StepCursor<'a, T> {
    pub(super) fn new(steps: &'a Steps<T>) -> Self {
        Self { times: steps.times(), values: steps.values(), next: 0 }
    }

    pub(super) fn advance(&mut self, time: BootNanos) {
        while self.until() <= time && self.next < self.times.len() {
            self.next += 1;
        }
    }

    pub(super) fn value(&self) -> Option<T> {
        self.values.get(self.next.checked_sub(1)?).copied()
    }

    pub(super) fn until(&self) -> BootNanos {
        self.times.get(self.next).copied().unwrap_or(BootNanos::MAX)
    }
}
