//! From what happened to a trace.

use std::collections::BTreeSet;

use wattle_sim::SimError;
use wattle_sim::replay::{Replay, ReplayClocks, ReplayProcess, ReplayWindow};
use wattle_units::{BootNanos, Nanos};

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
    let options = &core.options;
    let mut replay = Replay::new(options.hardware.clone(), clocks(core), options.seed);
    for process in distinct(core.journal.processes(), window) {
        replay.add(process);
    }
    let replayed = replay.run(ReplayWindow::new(window.0, window.1), &config.recorded_sources())?;
    let truth = RecordedTruth {
        path: path.to_owned(),
        window,
        unkept: core.journal.unkept(),
        truth: replayed.truth,
        device_model: replayed.device_model,
    };
    Ok((replayed.trace, truth))
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
