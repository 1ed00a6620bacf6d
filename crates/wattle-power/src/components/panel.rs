//! The panel over time: on, in ambient display, and how bright.

use wattle_timeline::{CounterScope, StateKind, Steps, Timeline, Window};
use wattle_units::BootNanos;

use super::draw::{Rate, Rates};
use super::states::{StateResult, States};
use super::{ambient, display, state_holders};
use crate::Scope;
use crate::note::PowerNote;

/// Known facts about the panel.
pub(super) struct Panel {
    /// 0 off, 1 on, from 2 on ambient.
    state: Steps<u32>,
    /// The part of full brightness.
    brightness: Steps<f64>,
}

impl Panel {
    /// From states; else from the counters that Android writes into traces.
    pub(super) fn from_timeline(timeline: &Timeline) -> Option<Self> {
        let states = |kind| {
            let mut tracks = timeline.system.states.iter();
            let is_it = |t: &&wattle_timeline::StateTrack| {
                t.kind == kind && t.scope == CounterScope::Global && !t.level.is_empty()
            };
            tracks.find(is_it).map(|track| &track.level)
        };
        let state = match states(StateKind::Screen) {
            Some(state) => state.clone(),
            // `Display.STATE_*`: 1 off, 2 on, 3 doze, 4 doze and suspended.
            None => counter(timeline, "ScreenState", |value| (value as u32).saturating_sub(1)),
        };
        if state.is_empty() {
            return None;
        }
        let brightness = if let Some(classes) = states(StateKind::ScreenClass) {
            let share =
                |(time, class): (_, u32)| (time, display::share_of_class(class.min(255) as u8));
            classes.iter().map(share).collect()
        } else if let Some(levels) = states(StateKind::ScreenBrightness) {
            let share = |(time, level)| (time, (f64::from(level) / FULL).min(1.0));
            levels.iter().map(share).collect()
        } else {
            // Of 1, or of 255 before Android 10.
            let share = |value: f64| if value > 1.0 { value / FULL } else { value };
            counter(timeline, "ScreenBrightness", |value| share(value).clamp(0.0, 1.0))
        };
        Some(Self { state, brightness })
    }
}

/// The highest level of Android's brightness setting.
const FULL: f64 = 255.0;

fn counter<T: Copy + PartialEq>(
    timeline: &Timeline,
    name: &str,
    value: impl Fn(f64) -> T,
) -> Steps<T> {
    let named = timeline.names.find(name);
    let is_it = |track: &&wattle_timeline::CounterTrack| {
        Some(track.name) == named && track.scope == CounterScope::Global
    };
    let track = timeline.system.counters.iter().find(is_it);
    let samples = track.into_iter().flat_map(|track| track.time.iter().zip(&track.value));
    samples.map(|(time, sample)| (*time, value(*sample))).collect()
}

/// `screen.on` + `screen.full` × brightness while it is on, `ambient.on` in ambient display; paid by the app in front,
/// where that is known.
pub(super) fn model(states: &States<'_>, rates: Rates<'_>) -> StateResult {
    let Some(panel) = Panel::from_timeline(states.timeline) else { return StateResult::default() };
    let mut found = StateResult::default();
    let (on, full) = display::rates_of(rates, 0);
    let doze = rates.first(ambient::ON);
    let lights = panel.state.values().contains(&1);
    let dozes = panel.state.values().iter().any(|state| *state > 1);
    if lights && (on.is_none() || full.is_none()) {
        found.missing.extend([display::ON, display::FULL]);
    }
    if dozes && doze.is_none() {
        found.missing.push(ambient::ON);
    }
    if lights && panel.brightness.is_empty() && on.is_some() {
        found.notes.push(PowerNote::BrightnessUnknown);
    }
    let rate = |time: BootNanos| -> Rate {
        match panel.state.at(time) {
            Some(1) if full.is_some() => {
                let share = panel.brightness.at(time).unwrap_or(0.0);
                on.unwrap_or_default() + full.unwrap_or_default() * share
            }
            Some(2..) => doze.unwrap_or_default(),
            _ => Rate::default(),
        }
    };
    let mut times: Vec<BootNanos> = panel.state.times().to_vec();
    times.extend(panel.brightness.times());
    times.sort_unstable();
    times.dedup();
    let front =
        states.timeline.system.states.iter().filter(|track| track.kind == StateKind::TopApp);
    let mut stretches: Vec<(Window, Scope)> = Vec::new();
    state_holders::sweep(states.timeline, front, states.window, |held| {
        let only = held.apps.first_key_value().filter(|_| held.apps.len() == 1);
        let scope = only.map_or(Scope::Device, |(uid, _)| Scope::App(*uid));
        stretches.push((held.window, scope));
    });
    for (window, scope) in stretches {
        let mut now = window.start;
        let first = times.partition_point(|time| *time <= now);
        let inside = times.iter().skip(first).take_while(|time| **time < window.end);
        for end in inside.copied().chain([window.end]) {
            found.draw(&scope, Window::new(now, end), rate(now));
            now = end;
        }
    }
    found.used.extend([display::ON, display::FULL, ambient::ON]);
    found
}
