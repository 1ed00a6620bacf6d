//! The energy that the phone has drawn: counters of its rails, and the charge of its battery.
//!
//! Both follow from what happened on the phone: stretches of time are replayed in the simulator, as for a recording, and a
//! recording begins with the counters that everything before it has left. So they agree wherever they are read, and grow with
//! the energy that is drawn.

use std::sync::{Mutex, MutexGuard, PoisonError};

use wattle_sim::Truth;
use wattle_sim::replay::{RecordedSources, ReplayWindow};
use wattle_units::{BootNanos, Nanos, Volts, Watts};

use crate::core::Core;
use crate::recording::replay_of;

/// A gauge is not read anew within this time.
const FRESH: Nanos = Nanos::new(1_000_000_000);
/// The shortest stretch that is replayed.
const LEAST: Nanos = Nanos::new(1_000_000);
/// The longest stretch that is replayed. What comes before it is taken to be like it.
const MOST: Nanos = Nanos::new(5_000_000_000);
/// Most marks that are kept. Each recording sets one.
const MOST_MARKS: usize = 256;
/// Current of a charger into the battery while the phone does little, in amperes.
const CHARGER_AMPERES: f64 = 0.412;

/// Counters at an instant.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Reading {
    /// Of each rail, in microjoules.
    pub(crate) rails: Vec<f64>,
    /// Charge out of the battery since the phone was started, in coulombs.
    pub(crate) coulombs: f64,
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
    /// A meter that begins with what the hardware's counters begin with.
    pub(crate) fn new(start: &[f64], at: BootNanos) -> Self {
        let now = Reading { rails: start.to_vec(), coulombs: 0.0 };
        Self { state: Mutex::new(MeterState { at, now, marks: Vec::new() }) }
    }

    fn state(&self) -> MutexGuard<'_, MeterState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The counters of the rails, in microjoules, at most a second old; the battery is brought to the same time.
    pub(crate) fn read(&self, core: &Core) -> Vec<f64> {
        let mut state = self.state();
        let now = core.clock.boot();
        if now - state.at >= FRESH {
            advance(&mut state, core, now);
        }
        state.now.rails.clone()
    }

    /// Keeps the counters of this moment for a recording that begins in it.
    pub(crate) fn mark(&self, core: &Core, at: BootNanos) {
        let mut state = self.state();
        advance(&mut state, core, at);
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

    /// Charge out of the battery so far, in coulombs.
    pub(crate) fn now_coulombs(&self) -> f64 {
        self.state().now.coulombs
    }

    /// Takes over what a recording's trace says of its end, so that nothing that is read later is less.
    pub(crate) fn settle(&self, core: &Core, start: &Reading, truth: &Truth) {
        let mut state = self.state();
        let mut end = start.clone();
        add(&mut end, core, truth);
        let before = state.now.coulombs;
        for (now, end) in state.now.rails.iter_mut().zip(&end.rails) {
            *now = now.max(*end);
        }
        // A charger gives, so its counter may fall; else it only grows.
        if truth.end > state.at {
            state.now.coulombs = end.coulombs;
            state.at = truth.end;
        } else if !core.state().battery.charging {
            state.now.coulombs = before.max(end.coulombs);
        }
        let moved = state.now.coulombs - before;
        let mut phone = core.state();
        let amperes = phone.battery.amperes;
        phone.battery.draw(moved, amperes);
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
pub(crate) fn first_readings(core: &crate::PhoneOptions) -> Vec<f64> {
    core.hardware.rails.iter().map(|rail| rail.start_microjoules as f64).collect()
}

/// Replays what has happened since the last time.
fn advance(state: &mut MeterState, core: &Core, to: BootNanos) {
    let gap = to - state.at;
    if gap < LEAST {
        return;
    }
    let length = gap.min(MOST);
    let mut sources = RecordedSources::default();
    (sources.scheduling, sources.rails, sources.battery) = (false, false, false);
    (sources.process_stats, sources.packages) = (false, false);
    let window = ReplayWindow::new(to - length, to);
    // A stretch that cannot be replayed draws nothing, which the next recording sets right.
    let Ok(replayed) = replay_of(core, window, None).run(window, &sources) else { return };
    let mut moved = Reading { rails: vec![0.0; state.now.rails.len()], coulombs: 0.0 };
    let amperes = add(&mut moved, core, &replayed.truth);
    let scale = gap.value() as f64 / length.value() as f64;
    for (now, moved) in state.now.rails.iter_mut().zip(&moved.rails) {
        *now += moved * scale;
    }
    state.now.coulombs += moved.coulombs * scale;
    state.at = to;
    core.state().battery.draw(moved.coulombs * scale, amperes);
}

/// Adds what was drawn in a stretch. Gives the mean current out of the battery in amperes.
fn add(reading: &mut Reading, core: &Core, truth: &Truth) -> f64 {
    for (now, rail) in reading.rails.iter_mut().zip(&truth.rails) {
        *now += rail.joules.value() * 1e6;
    }
    let seconds = (truth.end - truth.start).value() as f64 * 1e-9;
    let joules = truth.battery.map_or(0.0, |battery| battery.value());
    let amperes =
        battery_now(core).map_or(0.0, |battery| battery.amperes(joules / seconds.max(1e-9)));
    reading.coulombs += amperes * seconds;
    amperes
}

/// The battery of the hardware, as it is now.
pub(crate) fn battery_now(core: &Core) -> Option<wattle_sim::BatterySpec> {
    let mut battery = core.options.hardware.battery.clone()?;
    let state = core.state();
    battery.voltage = Volts::new(state.battery.volts);
    battery.capacity_coulombs = state.battery.capacity_uah as f64 * 3.6e-3;
    battery.charge_coulombs = state.battery.coulombs();
    if state.battery.charging {
        battery.charger = Watts::new(CHARGER_AMPERES * state.battery.volts) + battery.rest;
    }
    Some(battery)
}
