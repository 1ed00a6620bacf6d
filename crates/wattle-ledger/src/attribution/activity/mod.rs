//! Stage 3b: what the code does at a clock.
//!
//! In: the power tracks, the occupancy of each core, and what rails counted. Out: [`ActiveTracks`], the tracks with powers that follow
//! the code where rails tell how much each piece of it draws, and an error source for each piece of code.
//!
//! A curve knows clock and state. At one clock, code that waits for memory draws less than code that multiplies, so a thread's power
//! is curve × activity (DESIGN, rule 16). Where nothing tells the activity, its size is an error of each method; where rails were
//! read while different code ran, it follows from them ([`RailFit`]).

mod code_units;
mod fused_tracks;
mod metered_pieces;
mod rail_fit;
mod unit_sources;

use std::borrow::Cow;

use wattle_power::{Component, ErrorModel, MeterId, PowerEstimate, PowerTrack, Scope};
use wattle_timeline::{Note, Severity, Window};

use self::code_units::UnitId;
use self::fused_tracks::Fusing;
use self::metered_pieces::MeteredRails;
use self::rail_fit::RailFit;
use super::call_paths::CallPaths;
use super::context::Context;
use super::device_users::DeviceUsers;
use super::occupancy::Occupancy;

pub(crate) use self::code_units::CodeUnits;
pub(crate) use self::unit_sources::UnitSources;
use self::unit_sources::Unsure;

/// Relative standard deviation of what methods draw at one clock, where nothing tells it.
const UNKNOWN_ACTIVITY: f64 = 0.2;

/// Power tracks that follow the code, and the errors of code.
pub(crate) struct ActiveTracks<'a> {
    pub(crate) tracks: Cow<'a, [PowerTrack]>,
    pub(crate) errors: ErrorModel,
    pub(crate) units: CodeUnits,
    pub(crate) sources: UnitSources,
    pub(crate) notes: Vec<Note>,
}

impl<'a> ActiveTracks<'a> {
    /// Of an estimate, by what its rails say.
    pub(crate) fn new(
        context: &Context<'_>,
        estimate: &'a PowerEstimate,
        (paths, occupancy): (&CallPaths, &Occupancy),
        users: &DeviceUsers,
    ) -> Self {
        let mut units = CodeUnits::new(context.timeline, paths, occupancy);
        units.add_apps(users.uids());
        let mut errors = estimate.errors.clone();
        let rails = &estimate.rail_periods;
        let metered = MeteredRails::new(rails, &errors);
        let is_inside = |track: &PowerTrack| within(track.window(), context.window);
        let fit = if estimate.tracks.iter().all(is_inside) {
            RailFit::new(&metered, (&estimate.tracks, rails.len()), &units, occupancy)
        } else {
            None
        };
        let tracks = match &fit {
            Some(fit) => {
                let workers = context.workers;
                let fusing =
                    Fusing { metered: &metered, rails, fit, units: &units, occupancy, workers };
                Cow::Owned(fusing.tracks(&estimate.tracks))
            }
            None => Cow::Borrowed(estimate.tracks.as_slice()),
        };
        let deviation = |meter: Option<MeterId>, unit: UnitId| {
            let fitted = fit.as_ref().filter(|_| meter.is_some());
            let of_unit = fitted.and_then(|fit| fit.units.get(unit as usize));
            of_unit.map_or(UNKNOWN_ACTIVITY, |(_, deviation)| *deviation)
        };
        let of_track = |track: &PowerTrack| match (&track.component, &track.scope) {
            (Component::Cpu, Scope::Core(_)) => Some(Unsure::Code(&deviation)),
            _ => users.split_of(track).map(|(_, error)| Unsure::Split(error)),
        };
        let sources = UnitSources::new(&tracks, &units, of_track, &mut errors);
        if let Some(fit) = &fit {
            set_errors(&metered, fit, &tracks, &mut errors);
        }
        let notes = fit.iter().map(note).collect();
        Self { tracks, errors, units, sources, notes }
    }
}

/// Gives what idles and what cores share the errors that the fit has left them.
fn set_errors(
    metered: &MeteredRails<'_>,
    fit: &RailFit,
    tracks: &[PowerTrack],
    errors: &mut ErrorModel,
) {
    for track in tracks {
        let slopes = metered.of_track(track).and_then(|rail| fit.rails.get(rail));
        let Some((idle, shared)) = slopes.map(|slopes| slopes.deviations) else { continue };
        let own = match track.scope {
            Scope::Core(_) => idle,
            Scope::Cores(_) => shared,
            _ => continue,
        };
        for segment in track.segments() {
            let source = errors.sources.get_mut(usize::from(segment.source.0));
            if let Some(source) = source.filter(|source| source.meter.is_some()) {
                source.own = own;
            }
        }
    }
}

fn within(inner: Window, outer: Window) -> bool {
    inner.start >= outer.start && inner.end <= outer.end
}

/// What rails said of code and curves.
fn note(fit: &RailFit) -> Note {
    let slopes: Vec<String> = fit
        .rails
        .iter()
        .map(|rail| format!("{:.2} × the curve + {:.1} mW", rail.active, rail.floor * 1e3))
        .collect();
    let text = format!(
        "power rails fitted to the code that ran: {}; methods differ by {:.0} % at the same clock",
        slopes.join(", "),
        fit.scatter * 100.0
    );
    Note::new(Severity::Info, "rails-fitted", text)
}
