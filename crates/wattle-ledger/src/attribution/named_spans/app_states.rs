//! Foreground and background of apps over time.
//!
//! From `oom_score_adj` of an app's processes (ftrace, process statistics) where any of them has it; else from the apps in front and the
//! foreground services that batterystats or statsd name; on top behind a screen that is off is background. Time before the first report, and apps without any, are *unknown*.

use std::collections::BTreeMap;

use wattle_timeline::{
    CounterScope, CounterTrack, ProcessId, StateKind, StateTrack, Steps, Timeline, Window,
};
use wattle_units::BootNanos;

use super::NamedSpan;
use super::app_groups::{AppGroup, AppGroups};
use crate::{AppState, SpanSubject};

/// The counter of a process that says how important it is held.
const OOM_SCORE: &str = "oom_score_adj";

/// The states of all apps, one entry for each app and state; none where the recording has no state of any app.
pub(super) fn find(timeline: &Timeline, window: Window, apps: &AppGroups) -> Vec<NamedSpan> {
    let mut tracks: BTreeMap<&str, Vec<Steps<AppState>>> = BTreeMap::new();
    if let Some(name) = timeline.names.find(OOM_SCORE) {
        for counter in timeline.system.counters.iter().filter(|counter| counter.name == name) {
            let CounterScope::Process(process) = counter.scope else { continue };
            if let Some(app) = apps.of(process) {
                tracks.entry(&app.name).or_default().push(scores(timeline, counter, process));
            }
        }
    }
    let is_screen = |state: &&StateTrack| {
        state.kind == StateKind::Screen && state.scope == CounterScope::Global
    };
    let screen = timeline.system.states.iter().find(is_screen);
    for state in &timeline.system.states {
        let when_on = match state.kind {
            StateKind::TopApp => AppState::Foreground,
            StateKind::ForegroundApp => AppState::Visible,
            StateKind::ForegroundService => AppState::Perceptible,
            _ => continue,
        };
        // Without a service in the foreground an app can be anything.
        let when_off = match state.kind {
            StateKind::ForegroundService => AppState::Unknown,
            _ => AppState::Background,
        };
        let of_tag = || apps.named(timeline.names.get(state.tag?));
        let app = match state.scope {
            CounterScope::Uid(uid) => apps.of_uid(uid).or_else(of_tag),
            CounterScope::Process(process) => apps.of(process),
            _ => of_tag(),
        };
        let Some(app) = app else { continue };
        // Behind a screen that is off the last app stays on top of all others (Android's `TOP_SLEEPING`).
        let is_seen = |time| {
            state.kind != StateKind::TopApp
                || screen.is_none_or(|screen| screen.level.at(time) != Some(0))
        };
        let mut times: Vec<BootNanos> = state.level.times().to_vec();
        if let Some(screen) = screen.filter(|_| state.kind == StateKind::TopApp) {
            let first = times.first().copied();
            times.extend(screen.level.times().iter().filter(|time| Some(**time) > first));
            times.sort_unstable();
            times.dedup();
        }
        let at = |time: BootNanos| {
            let is_on = state.level.at(time).is_some_and(|level| level > 0);
            (time, if is_on && is_seen(time) { when_on } else { when_off })
        };
        let steps = Steps::from_changes(times.into_iter().map(at).collect());
        tracks.entry(&app.name).or_default().push(steps);
    }
    if tracks.is_empty() {
        return Vec::new();
    }
    let of_app = |app: &AppGroup| {
        let known = tracks.get(app.name.as_str()).map(Vec::as_slice).unwrap_or_default();
        by_state(known, window)
            .into_iter()
            .map(|(state, windows)| NamedSpan {
                subject: SpanSubject::State { state: Some(state) },
                app: Some(app.name.clone()),
                own: app.owners(),
                windows,
                cut: false,
            })
            .collect::<Vec<_>>()
    };
    apps.groups.iter().flat_map(of_app).collect()
}

/// The importance of a process over time. It ends with the process.
fn scores(timeline: &Timeline, counter: &CounterTrack, process: ProcessId) -> Steps<AppState> {
    let changes = counter.time.iter().zip(&counter.value);
    let mut changes: Vec<(BootNanos, AppState)> =
        changes.map(|(time, value)| (*time, AppState::from_oom_score(*value as i32))).collect();
    let end = timeline.tasks.processes.get(process.index()).and_then(|process| process.end);
    if let Some(end) = end {
        changes.retain(|(time, _)| *time < end);
        changes.push((end, AppState::Unknown));
    }
    Steps::from_changes(changes)
}

/// The windows of each state: at each instant the greatest importance of all tracks.
fn by_state(tracks: &[Steps<AppState>], window: Window) -> BTreeMap<AppState, Vec<Window>> {
    let mut changes: Vec<BootNanos> = vec![window.start];
    changes.extend(tracks.iter().flat_map(Steps::times).filter(|time| window.contains(**time)));
    changes.sort_unstable();
    changes.dedup();
    let mut states: BTreeMap<AppState, Vec<Window>> = BTreeMap::new();
    let mut ends = changes.iter().skip(1).copied().chain([window.end]);
    let mut last = None;
    for start in &changes {
        let piece = Window::new(*start, ends.next().unwrap_or(window.end));
        if piece.is_empty() {
            continue;
        }
        let known = tracks.iter().filter_map(|track| track.at(*start)).min();
        let state = known.unwrap_or(AppState::Unknown);
        let windows = states.entry(state).or_default();
        match windows.last_mut() {
            Some(before) if last == Some(state) => before.end = piece.end,
            _ => windows.push(piece),
        }
        last = Some(state);
    }
    states
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_greatest_importance_counts_at_each_instant() {
        use AppState::{Background, Cached, Foreground, Unknown};
        let steps = |changes: &[(i64, AppState)]| -> Steps<AppState> {
            changes.iter().map(|(time, state)| (BootNanos::new(*time), *state)).collect()
        };
        let tracks = [
            steps(&[(10, Foreground), (20, Cached), (80, Unknown)]),
            steps(&[(15, Background), (40, Cached)]),
        ];
        let window = Window::new(BootNanos::new(0), BootNanos::new(100));
        let found: Vec<_> = by_state(&tracks, window)
            .into_iter()
            .map(|(state, windows)| {
                let pieces = windows.iter().map(|it| (it.start.value(), it.end.value()));
                (state, pieces.collect::<Vec<_>>())
            })
            .collect();
        let expected = [
            (Foreground, vec![(10, 20)]),
            (Background, vec![(20, 40)]),
            (Cached, vec![(40, 100)]),
            (Unknown, vec![(0, 10)]),
        ];
        assert_eq!(found, expected);
    }
}
