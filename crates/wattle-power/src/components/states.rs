//! Components by their states over time: what is modelled of a recording without totals.

use std::collections::BTreeMap;

use wattle_timeline::{StateKind, StateTrack, Timeline, Window};

use super::draw::{Rate, Rates};
use super::figure_errors::Sources;
use super::tracks::Tracks;
use super::{
    Uncovered, audio, awake_states, bluetooth, camera, cellular, flashlight, gnss, gpu_utilisation,
    panel, sensors, state_holders, storage, traffic, video, wifi,
};
use crate::note::PowerNote;
use crate::voltage::Voltage;
use crate::{Component, Figures, PowerTrack, Scope};

/// Inputs that states are modelled from.
pub(super) struct States<'a> {
    pub(super) timeline: &'a Timeline,
    pub(super) figures: &'a Figures,
    pub(super) voltage: &'a Voltage,
    pub(super) window: Window,
    pub(super) uncovered: Uncovered<'a>,
}

/// Result of one model.
#[derive(Default)]
pub(super) struct StateResult {
    /// Of each thing that draws by itself: in order of time for each account.
    layers: Vec<Vec<(Scope, Window, Rate)>>,
    pub(super) used: Vec<&'static str>,
    pub(super) missing: Vec<&'static str>,
    pub(super) notes: Vec<PowerNote>,
}

impl StateResult {
    pub(super) fn draw(&mut self, scope: &Scope, window: Window, rate: Rate) {
        if window.is_empty() || rate.is_zero() {
            return;
        }
        if self.layers.is_empty() {
            self.layers.push(Vec::new());
        }
        if let Some(layer) = self.layers.last_mut() {
            if let Some((last, until, same)) = layer.last_mut()
                && (&*last, until.end, *same) == (scope, window.start, rate)
            {
                until.end = window.end;
                return;
            }
            layer.push((scope.clone(), window, rate));
        }
    }

    /// Begins another layer: it is drawn by something else, at the same time.
    pub(super) fn begin(&mut self) {
        self.layers.push(Vec::new());
    }

    /// By several holders equally, or the device's own.
    pub(super) fn share(&mut self, held: &state_holders::StateStretch<'_>, rate: Rate) {
        if held.apps.is_empty() {
            if held.device.is_some_and(|level| level > 0) {
                self.draw(&Scope::Device, held.window, rate);
            }
            return;
        }
        let part = rate * (1.0 / held.apps.len() as f64);
        for uid in held.apps.keys() {
            self.draw(&Scope::App(*uid), held.window, part);
        }
    }
}

/// A model of one component.
type Model = fn(&States<'_>, Rates<'_>) -> StateResult;

const MODELS: [(&str, Component, Model); 15] = [
    ("awake states", Component::Cpu, awake_states::model),
    ("display states", Component::Display, panel::model),
    ("wifi traffic", Component::Wifi, |states, rates| {
        traffic::model(states, rates, &traffic::WIFI)
    }),
    ("cellular traffic", Component::Cellular, |states, rates| {
        traffic::model(states, rates, &traffic::CELLULAR)
    }),
    ("phone calls", Component::Cellular, |states, rates| {
        let rate = cellular::active(rates);
        on_off(states, StateKind::PhoneCall, rate, cellular::ACTIVE)
    }),
    ("bluetooth states", Component::Bluetooth, |states, rates| {
        let rate = rates.first("bluetooth.on");
        let rate = rate.or_else(|| rates.radio(bluetooth::IDLE, 0, bluetooth::VOLTAGE));
        on_off(states, StateKind::Bluetooth, rate, "bluetooth.on")
    }),
    ("wifi scans", Component::Wifi, |states, rates| {
        let rate = rates.radio(wifi::SCAN, 0, wifi::VOLTAGE);
        let rate = rate.or_else(|| rates.radio(wifi::RX, 0, wifi::VOLTAGE));
        on_off(states, StateKind::WifiScan, rate, wifi::SCAN)
    }),
    ("gnss states", Component::Gnss, gnss_states),
    ("camera states", Component::Camera, |states, rates| {
        on_off(states, StateKind::Camera, rates.first(camera::FIGURE), camera::FIGURE)
    }),
    ("flashlight states", Component::Camera, |states, rates| {
        let rate = rates.first(flashlight::FIGURE);
        on_off(states, StateKind::Flashlight, rate, flashlight::FIGURE)
    }),
    ("audio states", Component::Audio, |states, rates| {
        on_off(states, StateKind::Audio, rates.first(audio::FIGURE), audio::FIGURE)
    }),
    ("video states", Component::Video, |states, rates| {
        on_off(states, StateKind::Video, rates.first(video::FIGURE), video::FIGURE)
    }),
    ("sensor states", Component::Sensors, sensor_states),
    ("storage bytes", Component::Storage, storage::model),
    ("gpu utilisation", Component::Gpu, gpu_utilisation::model),
];

/// Tracks by states.
#[derive(Default)]
pub(super) struct Modelled {
    pub(super) tracks: Vec<PowerTrack>,
    pub(super) missing: BTreeMap<&'static str, Vec<&'static str>>,
    pub(super) notes: Vec<PowerNote>,
}

pub(super) fn model(states: &States<'_>, sources: &mut Sources<'_>) -> Modelled {
    let measured_voltage = states.voltage.is_measured();
    let rates = Rates { figures: states.figures, measured_voltage };
    let mut modelled = Modelled::default();
    for (name, component, model) in &MODELS {
        let found = model(states, rates);
        if !found.missing.is_empty() {
            modelled.missing.entry(component_name(component)).or_default().extend(found.missing);
        }
        modelled.notes.extend(found.notes);
        for layer in found.layers.into_iter().filter(|layer| !layer.is_empty()) {
            let source = sources.of_figures(name, &found.used, states.figures);
            let mut tracks = Tracks::new(component.clone(), source, states.voltage);
            for (scope, window, rate) in layer {
                tracks.draw(&scope, window.start, window.end, rate);
            }
            modelled.tracks.extend(tracks.finish());
        }
    }
    modelled
}

fn component_name(component: &Component) -> &'static str {
    match component {
        Component::Cpu => "awake",
        Component::Display => "display",
        Component::Wifi => "wifi",
        Component::Cellular => "cellular",
        Component::Bluetooth => "bluetooth",
        Component::Gnss => "gnss",
        Component::Camera => "camera",
        Component::Audio => "audio",
        Component::Video => "video",
        Component::Sensors => "sensors",
        Component::Gpu => "gpu",
        _ => "storage",
    }
}

/// The tracks of one kind of state that are ever above 0.
pub(super) fn of_kind(timeline: &Timeline, kind: StateKind) -> Vec<&StateTrack> {
    let is_on = |track: &&StateTrack| {
        track.kind == kind && track.level.values().iter().any(|level| *level > 0)
    };
    timeline.system.states.iter().filter(is_on).collect()
}

/// One rate while a state holds.
fn on_off(
    states: &States<'_>,
    kind: StateKind,
    rate: Option<Rate>,
    figure: &'static str,
) -> StateResult {
    let mut found = StateResult::default();
    let tracks = of_kind(states.timeline, kind);
    if tracks.is_empty() {
        return found;
    }
    let Some(rate) = rate else {
        found.missing.push(figure);
        return found;
    };
    found.used.push(figure);
    state_holders::sweep(states.timeline, tracks.into_iter(), states.window, |held| {
        found.share(&held, rate);
    });
    found
}

/// `gps.on`, or by the quality of the signal.
fn gnss_states(states: &States<'_>, rates: Rates<'_>) -> StateResult {
    let by_quality = |level| rates.radio(gnss::BY_QUALITY, level, gnss::VOLTAGE);
    let on = rates.first(gnss::ON);
    let quality = states.timeline.system.states.iter().find(|t| t.kind == StateKind::GnssQuality);
    let (Some(quality), None) = (quality, on) else {
        // Without a word on the signal: the last, the better one's.
        let rate = on.or_else(|| by_quality(usize::MAX));
        return on_off(states, StateKind::Gnss, rate, gnss::ON);
    };
    let mut found = StateResult::default();
    let tracks = of_kind(states.timeline, StateKind::Gnss);
    if tracks.is_empty() {
        return found;
    }
    if by_quality(0).is_none() {
        found.missing.extend([gnss::ON, gnss::BY_QUALITY]);
        return found;
    }
    found.used.push(gnss::BY_QUALITY);
    state_holders::sweep(states.timeline, tracks.into_iter(), states.window, |held| {
        let mut now = held.window.start;
        let cuts = quality.level.segments(held.window).map(|s| (s.window.end, Some(s.value)));
        let first = quality.level.first().map_or(held.window.end, |(time, _)| time);
        let unknown = (first.min(held.window.end), None);
        for (end, level) in std::iter::once(unknown).chain(cuts) {
            if end <= now {
                continue;
            }
            let level = level.map_or(usize::MAX, |level: u32| level as usize);
            let part = state_holders::StateStretch { window: Window::new(now, end), ..held };
            found.share(&part, by_quality(level).unwrap_or_default());
            now = end;
        }
    });
    found
}

/// Each sensor by the current that its driver states, by the sensor's tag.
fn sensor_states(states: &States<'_>, rates: Rates<'_>) -> StateResult {
    let mut found = StateResult::default();
    let mut by_tag: BTreeMap<_, Vec<&StateTrack>> = BTreeMap::new();
    for track in of_kind(states.timeline, StateKind::Sensor) {
        by_tag.entry(track.tag).or_default().push(track);
    }
    for (tag, tracks) in by_tag {
        let name = tag.map_or("any", |tag| states.timeline.names.get(tag));
        let handle = name.parse::<i32>().ok().map(sensors::figure);
        let figure = handle.unwrap_or_else(|| format!("sensor.{name}"));
        let Some(rate) = rates.first(&figure) else {
            found.missing.push("sensor.<handle>");
            continue;
        };
        found.begin();
        state_holders::sweep(states.timeline, tracks.into_iter(), states.window, |held| {
            found.share(&held, rate);
        });
    }
    found
}
