//! The energy that the phone has drawn: counters of its rails, and the charge out of its battery.

use std::sync::{Mutex, MutexGuard, PoisonError};

use wattle_units::{BootNanos, Nanos};

/// The shortest stretch that is replayed.
const LEAST: Nanos = Nanos::new(1_000_000);
/// The longest stretch that is replayed. The time before it is taken to be like it.
const MOST: Nanos = Nanos::new(5_000_000_000);
/// Most marks that are kept. Each recording sets one.
const MOST_MARKS: usize = 256;

/// Counters at an instant, or what was added to them.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Reading {
    /// Of each rail, in microjoules.
    pub(crate) rails: Vec<f64>,
    /// Charge out of the battery, in coulombs.
    pub(crate) coulombs: f64,
}

impl Reading {
    /// Adds so many times what was drawn.
    pub(crate) fn add(&mut self, drawn: &Self, times: f64) {
        for (now, drawn) in self.rails.iter_mut().zip(&drawn.rails) {
            *now += drawn * times;
        }
        self.coulombs += drawn.coulombs * times;
    }
}

#[derive(Debug)]
struct MeterState {
    at: BootNanos,
    now: Reading,
    marks: Vec<(BootNanos, Reading)>,
}

/// The meter.
#[derive(Debug)]
pub(crate) struct PowerMeter {
    state: Mutex<MeterState>,
}

impl PowerMeter {
    /// A meter that begins with the rails' first counters.
    pub(crate) fn new(start: &[f64], at: BootNanos) -> Self {
        let now = Reading { rails: start.to_vec(), coulombs: 0.0 };
        Self { state: Mutex::new(MeterState { at, now, marks: Vec::new() }) }
    }

    fn state(&self) -> MutexGuard<'_, MeterState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The counters as they were brought up to date last.
    pub(crate) fn now(&self) -> Reading {
        self.state().now.clone()
    }

    /// Brings it up to date, unless it is younger than that. `drawn`: what was drawn in a stretch of time before `to`.
    ///
    /// Gives the coulombs that have gone since the last time.
    pub(crate) fn advance(
        &self,
        to: BootNanos,
        fresh: Nanos,
        drawn: impl FnOnce(Nanos) -> Option<Reading>,
    ) -> f64 {
        let mut state = self.state();
        let gap = to - state.at;
        if gap < fresh.max(LEAST) {
            return 0.0;
        }
        let length = gap.min(MOST);
        // A stretch that cannot be replayed draws nothing, which the next recording sets right.
        let Some(drawn) = drawn(length) else { return 0.0 };
        let times = gap.value() as f64 / length.value() as f64;
        state.now.add(&drawn, times);
        state.at = to;
        drawn.coulombs * times
    }

    /// Keeps the counters of this moment for a recording that begins in it.
    pub(crate) fn mark(&self, at: BootNanos) {
        let mut state = self.state();
        let mark = (at, state.now.clone());
        if state.marks.len() >= MOST_MARKS {
            state.marks.remove(0);
        }
        state.marks.push(mark);
    }

    /// The counters when a recording began; those of now if it set no mark.
    pub(crate) fn marked(&self, at: BootNanos) -> Reading {
        let state = self.state();
        let found = state.marks.iter().rfind(|(time, _)| *time == at);
        found.map_or_else(|| state.now.clone(), |(_, reading)| reading.clone())
    }

    /// Takes over the counters at the end of a recording, so that nothing that is read later is less. Gives the coulombs that
    /// have gone since the last time.
    pub(crate) fn settle(&self, at: BootNanos, end: &Reading) -> f64 {
        let mut state = self.state();
        let before = state.now.coulombs;
        for (now, end) in state.now.rails.iter_mut().zip(&end.rails) {
            *now = now.max(*end);
        }
        if at > state.at {
            state.now.coulombs = end.coulombs;
            state.at = at;
        }
        state.now.coulombs - before
    }

    /// The counters of rails begin anew, as the phone's clock does.
    pub(crate) fn reboot(&self, start: &[f64], at: BootNanos) {
        let mut state = self.state();
        state.at = at;
        state.now.rails = start.to_vec();
        state.marks.clear();
    }
}

/// Counters of the rails before anything was drawn.
pub(crate) fn first_readings(options: &crate::PhoneOptions) -> Vec<f64> {
    options.hardware.rails.iter().map(|rail| rail.start_microjoules as f64).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reading(rail: f64, coulombs: f64) -> Reading {
        Reading { rails: vec![rail], coulombs }
    }

    #[test]
    fn a_meter_only_grows_and_extends_what_is_too_long_to_replay() {
        let meter = PowerMeter::new(&[100.0], BootNanos::new(0));
        let second = 1_000_000_000;
        // Too short to be looked at.
        let none = meter.advance(BootNanos::new(10), Nanos::new(0), |_| Some(reading(9.0, 9.0)));
        assert_eq!((none, meter.now()), (0.0, reading(100.0, 0.0)));
        let some = meter.advance(BootNanos::new(second), Nanos::new(0), |length| {
            assert_eq!(length, Nanos::new(second));
            Some(reading(5.0, 0.25))
        });
        assert_eq!((some, meter.now()), (0.25, reading(105.0, 0.25)));
        meter.mark(BootNanos::new(second));
        // Twenty seconds, of which five are replayed.
        let long = meter.advance(BootNanos::new(21 * second), Nanos::new(0), |length| {
            assert_eq!(length, MOST);
            Some(reading(10.0, 0.5))
        });
        assert_eq!((long, meter.now()), (2.0, reading(145.0, 2.25)));
        assert_eq!(meter.marked(BootNanos::new(second)), reading(105.0, 0.25));
        // A recording that ends earlier with less takes nothing back.
        assert_eq!(meter.settle(BootNanos::new(20 * second), &reading(120.0, 1.0)), 0.0);
        assert_eq!(meter.now(), reading(145.0, 2.25));
        assert_eq!(meter.settle(BootNanos::new(22 * second), &reading(150.0, 2.5)), 0.25);
        assert_eq!(meter.now(), reading(150.0, 2.5));
    }
}
