//! The phone's meter, brought up to date.
//!
//! Rails and battery follow from what happened on the phone: stretches of time are replayed in the simulator, as for a
//! recording, and a recording begins with the counters that everything before it has left. So they agree wherever they are read,
//! and grow with the energy that is drawn.

use wattle_sim::replay::{RecordedSources, ReplayWindow};
use wattle_sim::{BatterySpec, Truth};
use wattle_units::{BootNanos, Joules, Nanos, Volts, Watts};

use super::replayed_trace::replay_of;
use crate::core::Core;
use crate::power_meter::Reading;

/// A gauge is not read anew within this time.
const FRESH: Nanos = Nanos::new(1_000_000_000);
/// Current of a charger into the battery while the phone does little, in amperes.
const CHARGER_AMPERES: f64 = 0.412;

/// The counters of the rails, in microjoules, at most a second old; the battery is brought to the same time.
pub(crate) fn read_rails(core: &Core) -> Vec<f64> {
    advance(core, core.clock.boot(), FRESH);
    core.meter.now().rails
}

/// Keeps the counters of this moment for a recording that begins in it.
pub(super) fn mark(core: &Core, at: BootNanos) {
    advance(core, at, Nanos::ZERO);
    core.meter.mark(at);
}

/// Takes over the end of a recording.
pub(super) fn settle(core: &Core, begin: &Reading, truth: &Truth) {
    let mut end = begin.clone();
    let (drawn, amperes) = drawn(core, truth);
    end.add(&drawn, 1.0);
    let coulombs = core.meter.settle(truth.end, &end);
    core.state().battery.draw(coulombs, amperes);
}

fn advance(core: &Core, to: BootNanos, fresh: Nanos) {
    let mut sources = RecordedSources::default();
    (sources.scheduling, sources.rails, sources.battery) = (false, false, false);
    (sources.process_stats, sources.packages) = (false, false);
    let mut current = None;
    let coulombs = core.meter.advance(to, fresh, |length| {
        let window = ReplayWindow::new(to - length, to);
        let replayed = replay_of(core, window, battery_now(core)).run(window, &sources).ok()?;
        let (drawn, amperes) = drawn(core, &replayed.truth);
        current = Some(amperes);
        Some(drawn)
    });
    if let Some(amperes) = current {
        core.state().battery.draw(coulombs, amperes);
    }
}

/// The energy of a stretch, and the mean current out of the battery in amperes.
fn drawn(core: &Core, truth: &Truth) -> (Reading, f64) {
    let rails = truth.rails.iter().map(|rail| rail.joules.value() * 1e6).collect();
    let seconds = (truth.end - truth.start).value() as f64 * 1e-9;
    let watts = truth.battery.map_or(0.0, Joules::value) / seconds.max(1e-9);
    let amperes = battery_now(core).map_or(0.0, |battery| battery.amperes(watts));
    (Reading { rails, coulombs: amperes * seconds }, amperes)
}

/// The battery of the hardware, as it is now.
pub(super) fn battery_now(core: &Core) -> Option<BatterySpec> {
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
