//! Energy that the battery lost and no track accounts for.

use wattle_power::{
    BatterySummary, Component, DrainedBy, ErrorGroup, ErrorModel, ErrorSource, PowerTrack,
};
use wattle_timeline::{Note, Severity, Window};
use wattle_units::{Joules, Nanos};

use super::booked_lines::Lines;
use super::booking_sums::Sink;
use crate::Charge;
use crate::attribution::consumer::{Consumer, Line};

/// The component of *unmetered*.
const BATTERY: &str = "battery";

/// Half the width of a two-sided 90 % interval, in standard deviations of a normal distribution.
const HALF_WIDTH: f64 = 1.644_853_626_951_472_2;

/// The difference of two nearly equal figures has no bounds worth a number; this keeps it one.
const LARGEST_ERROR: f64 = 1e6;

/// The comparison of the battery's figures with the tracks.
pub(crate) enum Unmetered {
    /// It drained more than all tracks together.
    Found {
        /// Drained minus accounted.
        joules: Joules,
        /// Standard deviation of what was drained.
        deviation: Joules,
    },
    /// It drained less: somebody is wrong, and nothing is booked.
    Disagrees {
        /// Accounted minus drained.
        joules: Joules,
    },
    /// The battery's word is about a longer time than the window.
    OtherWindow,
    /// It never discharged, or nothing is missing.
    Nothing,
}

impl Unmetered {
    /// Compares the battery with the tracks, over the stretches in which it discharged. Both were summed up over
    /// the time that the tracks cover: that has to be the window's.
    pub(crate) fn new(battery: &BatterySummary, tracks: &[PowerTrack], window: Window) -> Self {
        let joules = battery.drained.joules - battery.accounted.joules;
        let same_window = battery.covered <= window.duration()
            && tracks
                .iter()
                .filter(|track| !track.is_empty())
                .all(|track| window.start <= track.window().start && track.end() <= window.end);
        if battery.discharging <= Nanos::ZERO || !joules.is_finite() {
            Self::Nothing
        } else if !same_window {
            Self::OtherWindow
        } else if joules > Joules::ZERO {
            let deviation = battery.drained.interval.half_width() / HALF_WIDTH;
            Self::Found { joules, deviation }
        } else if joules < Joules::ZERO {
            Self::Disagrees { joules: -joules }
        } else {
            Self::Nothing
        }
    }

    /// Adds the line of unmetered energy, or returns the reason why there is none.
    pub(crate) fn book(
        self,
        battery: &BatterySummary,
        lines: &mut Lines,
        errors: &mut ErrorModel,
    ) -> Option<Note> {
        match self {
            Self::Found { joules, deviation } => {
                let who = battery.by.name();
                let group = errors.add_group(ErrorGroup {
                    name: who.to_owned(),
                    shared: 0.0,
                    freedom: None,
                });
                let source = errors.add_source(ErrorSource {
                    name: format!("{who}, less what is accounted for"),
                    group,
                    own: (deviation / joules).min(LARGEST_ERROR),
                    meter: None,
                    provenance: battery.drained.provenance,
                });
                let component = Component::Other(BATTERY.to_owned());
                // The other side of the balance, from the battery's own figures.
                let integrated = battery.drained.joules - battery.accounted.joules;
                let mut sink = Sink::default();
                let line = Line { consumer: Consumer::Unmetered, charge: Charge::Device, source };
                sink.add(line, joules.value());
                lines.add(&component, &sink.into_lines(), integrated);
                None
            }
            Self::Disagrees { joules } => {
                let drained = battery.drained.joules;
                let (code, text) = match battery.by {
                    DrainedBy::Battery => (
                        "battery-disagrees",
                        format!("the battery lost {drained} while it discharged"),
                    ),
                    DrainedBy::Meter => {
                        ("meter-disagrees", format!("the power meter measured {drained}"))
                    }
                };
                let text = format!(
                    "{text}, {joules} less than all tracks together drew in that time: either is wrong, nothing is booked as \
                     unmetered"
                );
                Some(Note::new(Severity::Warning, code, text))
            }
            Self::OtherWindow => Some(Note::new(
                Severity::Info,
                "battery-covers-more",
                "the battery's figures are those of a longer time than the window; what is \
                 unmetered inside it is not known",
            )),
            Self::Nothing => None,
        }
    }
}
