//! Awake and asleep over time.
//!
//! `cpu.suspend` always, `cpu.idle` beside it while the device is awake: by those that hold a wakelock, equally at each
//! instant, else by nobody: the floor of being switched on.

use wattle_timeline::{CounterScope, StateKind, StateTrack, Steps, Window};
use wattle_units::BootNanos;

use super::awake::{AWAKE, SUSPEND};
use super::draw::Rates;
use super::state_holders;
use super::states::{StateResult, States, of_kind};
use crate::Scope;

pub(super) fn model(states: &States<'_>, rates: Rates<'_>) -> StateResult {
    let mut found = StateResult::default();
    if !states.uncovered.cpu {
        return found;
    }
    let Some(awake) = awake(states) else { return found };
    let (idle, suspend) = (rates.first(AWAKE), rates.first(SUSPEND));
    for (figure, rate) in [(AWAKE, idle), (SUSPEND, suspend)] {
        match rate {
            Some(_) => found.used.push(figure),
            None => found.missing.push(figure),
        }
    }
    if let Some(suspend) = suspend {
        let since = awake.first().map_or(states.window.end, |(time, _)| time);
        let known = Window::new(since, states.window.end).intersect(states.window);
        found.draw(&Scope::Floor, known, suspend);
    }
    let Some(idle) = idle else { return found };
    found.begin();
    let locks = of_kind(states.timeline, StateKind::Wakelock);
    let apps: Vec<&StateTrack> = locks
        .into_iter()
        .filter(|track| state_holders::owner(states.timeline, track.scope).is_some())
        .collect();
    state_holders::sweep(states.timeline, apps.into_iter(), states.window, |held| {
        for segment in awake.segments(held.window).filter(|segment| segment.value) {
            if held.apps.is_empty() {
                found.draw(&Scope::Floor, segment.window, idle);
            } else {
                found.share(&state_holders::StateStretch { window: segment.window, ..held }, idle);
            }
        }
    });
    found
}

/// By what Android says of the CPU, else by what the kernel says of suspend; `None` where neither says anything.
fn awake(states: &States<'_>) -> Option<Steps<bool>> {
    let mut tracks = states.timeline.system.states.iter();
    let running = tracks
        .find(|track| track.kind == StateKind::CpuRunning && track.scope == CounterScope::Global);
    if let Some(running) = running.filter(|track| !track.level.is_empty()) {
        return Some(running.level.iter().map(|(time, level)| (time, level > 0)).collect());
    }
    let suspended = &states.timeline.suspend.suspended;
    let first = suspended.first()?;
    // What is suspended was awake before.
    let before: Option<(BootNanos, bool)> =
        (first.1 && first.0 > states.window.start).then_some((states.window.start, true));
    let steps = suspended.iter().map(|(time, suspended)| (time, !suspended));
    Some(before.into_iter().chain(steps).collect())
}
