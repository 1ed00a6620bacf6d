//! Energy of a thread until an instant.

use wattle_units::{BootNanos, CompensatedSum};

use super::ThreadPower;
use crate::attribution::call_paths::Place;

/// Counts the energy of a thread, time that probes had left out. Only goes on.
pub(crate) struct Meter<'a> {
    power: &'a ThreadPower,
    next: usize,
    place: Place<'a>,
    now: BootNanos,
    joules: CompensatedSum,
}

impl<'a> Meter<'a> {
    /// From before the first time that anything was drawn; `place` is where the thread is then.
    pub(crate) fn new(power: &'a ThreadPower, place: Place<'a>) -> Self {
        Self { power, next: 0, place, now: BootNanos::MIN, joules: CompensatedSum::default() }
    }

    /// Its energy until then, in joules.
    pub(crate) fn until(&mut self, time: BootNanos) -> f64 {
        while self.now < time {
            while self.place.until() <= self.now {
                self.place.step();
            }
            let changes = self.power.from.get(self.next).copied().unwrap_or(BootNanos::MAX);
            let end = changes.min(self.place.until()).min(time);
            let before = self.next.checked_sub(1).and_then(|index| self.power.power.get(index));
            if let Some(power) = before.filter(|power| **power != 0.0)
                && !self.place.is_taken()
            {
                self.joules.add(power * (end - self.now).value() as f64);
            }
            if end == changes {
                self.next += 1;
            }
            self.now = end;
        }
        self.joules.value()
    }
}
