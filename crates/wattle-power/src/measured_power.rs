//! Measurements of instruments, as mean power over stretches of time: the data that a calibration is fitted to.

use wattle_timeline::{MeterTrack, Timeline, Window};
use wattle_units::{BootNanos, Joules, Nanos, Provenance, Volts, Watts};

use crate::rails::{self, RailNames};
use crate::voltage::Voltage;
use crate::{Component, battery_summary};

/// Power as an instrument measured it.
#[derive(Clone, Debug, PartialEq)]
pub struct Measured {
    /// Source of the measured power, in words (`rails of cpu`, `battery`).
    pub what: String,
    /// The component it is the power of; `None`: the whole device.
    pub component: Option<Component>,
    /// Stretches of constant power, in order of time, with gaps where nothing is known. Those of several rails lie beside
    /// each other.
    channels: Vec<Vec<(Window, Watts)>>,
    /// Assumed, where the battery's voltage is.
    pub provenance: Provenance,
}

/// Which instrument is asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MeasuredBy {
    /// A meter outside the device; by its channel, or the first.
    Meter(Option<String>),
    /// The battery's own gauge.
    Battery,
    /// All rails that are not behind another one.
    Rails,
    /// One rail by its own name or its readable one, else all rails of a component.
    Rail(String),
}

impl From<&str> for MeasuredBy {
    fn from(name: &str) -> Self {
        match name.split_once(':') {
            Some(("meter", channel)) => Self::Meter(Some(channel.to_owned())),
            _ => match name {
                "meter" => Self::Meter(None),
                "battery" => Self::Battery,
                "rails" => Self::Rails,
                other => Self::Rail(other.to_owned()),
            },
        }
    }
}

/// A mean is known where power is for at least this part of the time.
const ENOUGH: f64 = 0.9;

/// Returns the measurements of an instrument of a recording; `None` if the recording does not hold it. The voltage is
/// used where the recording does not contain the battery's.
pub fn measured(timeline: &Timeline, by: &MeasuredBy, voltage: Option<Volts>) -> Option<Measured> {
    let known = |what: &str, component, channels: Vec<Vec<(Window, Watts)>>, provenance| {
        let channels: Vec<_> = channels.into_iter().filter(|channel| !channel.is_empty()).collect();
        let what = what.to_owned();
        (!channels.is_empty()).then_some(Measured { what, component, channels, provenance })
    };
    match by {
        MeasuredBy::Meter(channel) => {
            let named = |meter: &&MeterTrack| {
                channel.as_ref().is_none_or(|name| timeline.names.get(meter.name) == name)
            };
            let meter = timeline.energy.meters.iter().find(named)?;
            let what = format!("meter {}", timeline.names.get(meter.name));
            known(&what, None, vec![of_meter(meter)], Provenance::Measured)
        }
        MeasuredBy::Battery => {
            let voltage = Voltage::new(timeline, voltage);
            let provenance =
                if voltage.assumed { Provenance::Assumed } else { Provenance::Measured };
            known("battery", None, vec![battery_summary::discharge(timeline, &voltage)], provenance)
        }
        MeasuredBy::Rails => {
            let rails = rails::powers(timeline, |_, _| true);
            known("rails", None, rails, Provenance::Measured)
        }
        MeasuredBy::Rail(name) => {
            let exact = |rail: &str, label: Option<&str>| rail == name || label == Some(name);
            let names = RailNames::built_in();
            let rail = timeline
                .energy
                .rails
                .iter()
                .map(|rail| timeline.names.get(rail.name))
                .find(|rail| exact(rail, names.find(rail).map(|known| known.label.as_str())));
            if let Some(rail) = rail {
                let component = names.find(rail).map(|known| known.component.clone());
                let channels = rails::powers(timeline, |other, _| other == rail);
                return known(&format!("rail {rail}"), component, channels, Provenance::Measured);
            }
            let component = Component::from(name.as_str());
            let channels = rails::powers(timeline, |_, of| *of == component);
            known(&format!("rails of {name}"), Some(component), channels, Provenance::Measured)
        }
    }
}

fn of_meter(meter: &MeterTrack) -> Vec<(Window, Watts)> {
    let ends = meter.time.iter().skip(1);
    let stretches = meter.time.iter().zip(ends).zip(&meter.power);
    stretches
        .map(|((from, to), power)| (Window::new(*from, *to), *power))
        .filter(|(window, _)| !window.is_empty())
        .collect()
}

impl Measured {
    /// From its stretches of constant power in order of time, for what was measured elsewhere.
    pub fn new(what: &str, component: Option<Component>, power: Vec<(Window, Watts)>) -> Self {
        let what = what.to_owned();
        Self { what, component, channels: vec![power], provenance: Provenance::Measured }
    }

    /// Mean power over the window; `None` where it is not known for most of it.
    pub fn mean(&self, window: Window) -> Option<Watts> {
        let whole = window.duration().seconds();
        let mean = |channel: &Vec<(Window, Watts)>| {
            let first = channel.partition_point(|(of, _)| of.end <= window.start);
            let inside = channel.iter().skip(first).take_while(|(of, _)| of.start < window.end);
            let (mut known, mut energy) = (Nanos::ZERO, Joules::ZERO);
            for (of, power) in inside {
                let part = of.intersect(window).duration();
                known += part;
                energy += *power * part;
            }
            let seconds = known.seconds();
            (seconds > 0.0 && seconds >= whole * ENOUGH).then(|| energy / known)
        };
        let means: Option<Vec<Watts>> = self.channels.iter().map(mean).collect();
        Some(means?.into_iter().sum())
    }

    /// Stretches of at least this length that begin and end where the instrument read: between two readings it is not
    /// known how power was spread.
    pub fn stretches(&self, least: Nanos) -> Vec<Window> {
        let mut stretches = Vec::new();
        let mut open: Option<Window> = None;
        let finest = self.channels.iter().max_by_key(|channel| {
            channel.iter().map(|(window, _)| window.duration()).sum::<Nanos>()
        });
        for (window, _) in finest.into_iter().flatten() {
            let start = match open {
                Some(before) if before.end == window.start => before.start,
                _ => window.start,
            };
            let whole = Window::new(start, window.end);
            if whole.duration() >= least {
                stretches.push(whole);
                open = None;
            } else {
                open = Some(whole);
            }
        }
        stretches
    }

    /// From the first to the last reading.
    pub fn window(&self) -> Window {
        let all = || self.channels.iter().flatten().map(|(window, _)| *window);
        let start = all().map(|window| window.start).min().unwrap_or(BootNanos::new(0));
        Window::new(start, all().map(|window| window.end).max().unwrap_or(start))
    }
}
