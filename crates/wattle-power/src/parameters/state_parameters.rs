//! States of the device as parameters.

use wattle_timeline::{CounterScope, StateKind, StateTrack, Steps, Timeline, Uid};
use wattle_units::BootNanos;

use super::parameter::combined;
use super::{ParameterOwner, ParameterPart};

/// A kind as it is written in names: `wifi_radio` for `WifiRadio`.
pub(super) fn kind_name(kind: StateKind) -> String {
    let mut name = String::new();
    for letter in format!("{kind:?}").chars() {
        if letter.is_ascii_uppercase() && !name.is_empty() {
            name.push('_');
        }
        name.push(letter.to_ascii_lowercase());
    }
    name
}

/// The device's state; without it, what apps did, shared equally at each instant among those that did it.
pub(super) fn parts(
    timeline: &Timeline,
    wanted: impl Fn(&StateTrack) -> bool,
    value: impl Fn(u32) -> f64,
) -> Vec<ParameterPart> {
    let tracks: Vec<&StateTrack> =
        timeline.system.states.iter().filter(|track| wanted(track)).collect();
    let level = |track: &StateTrack| -> Steps<Option<f64>> {
        track.level.iter().map(|(time, level)| (time, Some(value(level)))).collect()
    };
    if let Some(device) = tracks.iter().find(|track| track.scope == CounterScope::Global) {
        return vec![ParameterPart::new(ParameterOwner::Device, level(device))];
    }
    // Several tracks of one app (two sensors, two locks) are one: the app uses it or not.
    let mut apps: Vec<(Uid, Steps<Option<f64>>)> = Vec::new();
    for track in tracks {
        let CounterScope::Uid(uid) = track.scope else { continue };
        let known = level(track);
        let start = timeline.window.start;
        let from_start: Steps<Option<f64>> = match known.first() {
            Some((first, _)) if first > start => {
                [(start, Some(0.0))].into_iter().chain(known.iter()).collect()
            }
            _ => known,
        };
        match apps.iter_mut().find(|(known, _)| *known == uid) {
            Some((_, value)) => *value = combined(value, &from_start, f64::max),
            None => apps.push((uid, from_start)),
        }
    }
    shared(apps)
}

/// Each app's level divided by how many have one.
fn shared(apps: Vec<(Uid, Steps<Option<f64>>)>) -> Vec<ParameterPart> {
    if apps.len() < 2 {
        let part = |(uid, value)| ParameterPart::new(ParameterOwner::App(uid), value);
        return apps.into_iter().map(part).collect();
    }
    let mut times: Vec<BootNanos> =
        apps.iter().flat_map(|(_, v)| v.times().iter().copied()).collect();
    times.sort_unstable();
    times.dedup();
    let mut values: Vec<Steps<Option<f64>>> =
        apps.iter().map(|_| Steps::with_capacity(times.len())).collect();
    for time in times {
        let levels: Vec<f64> =
            apps.iter().map(|(_, value)| value.at(time).flatten().unwrap_or(0.0)).collect();
        let holders = levels.iter().filter(|level| **level > 0.0).count().max(1) as f64;
        for (value, level) in values.iter_mut().zip(levels) {
            value.push(time, Some(level / holders));
        }
    }
    let parts = apps.into_iter().zip(values);
    parts.map(|((uid, _), value)| ParameterPart::new(ParameterOwner::App(uid), value)).collect()
}

fn of_kind(timeline: &Timeline, kind: StateKind, value: impl Fn(u32) -> f64) -> Vec<ParameterPart> {
    parts(timeline, |track| track.kind == kind, value)
}

/// 1 while the panel is on, else 0.
pub(super) fn screen_on(timeline: &Timeline) -> Vec<ParameterPart> {
    of_kind(timeline, StateKind::Screen, |level| f64::from(u8::from(level == 1)))
}

/// The middle of one of Android's five classes of brightness, as Android's own power model takes it.
fn of_class(class: u32) -> f64 {
    (f64::from(class.min(4)) + 0.5) / 5.0
}

/// 0 to 1 while the panel is on, else 0: by the level, else by Android's class.
pub(super) fn brightness(timeline: &Timeline) -> Vec<ParameterPart> {
    let level =
        of_kind(timeline, StateKind::ScreenBrightness, |level| f64::from(level.min(255)) / 255.0);
    let known =
        if level.is_empty() { of_kind(timeline, StateKind::ScreenClass, of_class) } else { level };
    let (Some(known), on) = (known.into_iter().next(), screen_on(timeline).into_iter().next())
    else {
        return Vec::new();
    };
    let value = match on {
        Some(on) => combined(&known.value, &on.value, |brightness, on| brightness * on),
        None => known.value,
    };
    vec![ParameterPart::new(ParameterOwner::Device, value)]
}
