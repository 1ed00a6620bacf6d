//! From what happened to a trace.

use std::collections::BTreeSet;

use wattle_sim::replay::{Replay, ReplayClocks, ReplayProcess, ReplayWindow};
use wattle_sim::{BatterySpec, SimError};
use wattle_units::{BootNanos, Nanos};

use super::meter_replay;
use crate::core::Core;
use crate::recorded_truth::RecordedTruth;
use crate::trace_config::RecordingConfig;

/// Clocks of the phone in the words of the replay.
pub(crate) fn clocks(core: &Core) -> ReplayClocks {
    let ppm = core.options.clock.drift_ppm;
    let now = core.clock.boot();
    let drifted = (now.value() as f64 * ppm * 1e-6).round() as i64;
    ReplayClocks {
        real_at_boot: Nanos::new(core.clock.wall_at(now) - now.value() - drifted),
        real_drift_ppm: ppm,
        real_steps: Vec::new(),
        monotonic_behind: Nanos::new(now.value() - core.clock.monotonic_at(now)),
        monotonic_drift_ppm: 0.0,
    }
}

/// The trace of a window, with what is true of it.
pub(super) fn replay(
    core: &Core,
    config: &RecordingConfig,
    path: &str,
    window: (BootNanos, BootNanos),
) -> Result<(Vec<u8>, RecordedTruth), SimError> {
    let begin = core.meter.marked(window.0);
    let stretch = ReplayWindow::new(window.0, window.1);
    let mut battery = meter_replay::battery_now(core);
    if let Some(battery) = &mut battery {
        // The charge then: what has gone since is missing in the battery of now.
        battery.charge_coulombs += core.meter.now().coulombs - begin.coulombs;
    }
    let mut replay = replay_of(core, stretch, battery);
    replay.set_rails(begin.rails.iter().map(|microjoules| *microjoules as u64));
    let replayed = replay.run(stretch, &config.recorded_sources())?;
    meter_replay::settle(core, &begin, &replayed.truth);
    let truth = RecordedTruth {
        path: path.to_owned(),
        window,
        unkept: core.journal.unkept(),
        truth: replayed.truth,
        device_model: replayed.device_model,
    };
    Ok((replayed.trace, truth))
}

/// The phone's processes in a stretch of time, ready to be run.
pub(super) fn replay_of(
    core: &Core,
    stretch: ReplayWindow,
    battery: Option<BatterySpec>,
) -> Replay {
    let mut hardware = core.options.hardware.clone();
    hardware.battery = battery;
    hardware.brightness = core.state().settings.brightness();
    let mut replay = Replay::new(hardware, clocks(core), core.options.seed);
    for process in distinct(core.journal.processes(), (stretch.start, stretch.end)) {
        replay.add(process);
    }
    replay
}

/// Processes of a window, each number once: of several that had one, the last.
fn distinct(processes: Vec<ReplayProcess>, window: (BootNanos, BootNanos)) -> Vec<ReplayProcess> {
    let mut seen = BTreeSet::new();
    let mut kept = Vec::new();
    for mut process in processes.into_iter().rev() {
        let lived = process.start < window.1 && process.end.is_none_or(|end| end > window.0);
        if !lived || seen.contains(&process.pid) {
            continue;
        }
        seen.insert(process.pid);
        process.threads.retain(|thread| thread.tid == process.pid || seen.insert(thread.tid));
        for thread in &mut process.threads {
            // What was noted later may have happened earlier: usage is noticed afterwards.
            thread.actions.sort_by_key(|action| action.at);
        }
        kept.push(process);
    }
    kept.reverse();
    kept
}
