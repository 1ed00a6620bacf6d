//! Stage 4: activity, that is, what the code does at a clock.
//!
//! In: the power tracks, the occupancy of each core, and what rails counted. Out: [`ActiveTracks`], the tracks with powers that follow
//! the code where rails tell how much each piece of it draws, and an error source for each piece of code.
//!
//! A curve knows clock and state. At one clock, code that waits for memory draws less than code that multiplies, so a thread's power
//! is curve × activity (DESIGN, rule 16). Where nothing tells the activity, its size is an error of each method; where rails were
//! read while different code ran, it follows from them ([`RailFit`]).

mod code_units;
mod fused_tracks;
mod held_out;
mod metered_pieces;
mod rail_fit;
mod rail_judgement;
mod time_blocks;
mod unit_counters;
mod unit_sources;

use std::borrow::Cow;

use wattle_power::{
    Component, ErrorModel, ErrorSource, MeterId, PowerEstimate, PowerTrack, RailPeriods, Scope,
    SourceId, WindowSet,
};
use wattle_timeline::{Note, Severity, Window};
use wattle_units::Provenance;

use self::code_units::UnitId;
use self::fused_tracks::Fusing;
use super::call_paths::CallPaths;
use super::context::Context;
use super::device_users::DeviceUsers;
use super::occupancy::Occupancy;

pub(crate) use self::code_units::CodeUnits;
pub(crate) use self::metered_pieces::MeteredRails;
pub(crate) use self::rail_fit::{RailFit, expected_numbers};
pub(crate) use self::rail_judgement::judged;
pub(crate) use self::unit_counters::{UnitCounters, features};
pub(crate) use self::unit_sources::UnitSources;
use self::unit_sources::Unsure;

/// Relative standard deviation of what methods draw at one clock, where nothing tells it. Rails of two phones leave 0.21 between the
/// units of code that ran (Pixel 6 and 6a, [`RailFit`]); what they do not tell apart is beside that.
const UNKNOWN_ACTIVITY: f64 = 0.25;

/// Power tracks that follow the code, and the errors of code.
pub(crate) struct ActiveTracks<'a> {
    pub(crate) tracks: Cow<'a, [PowerTrack]>,
    pub(crate) errors: ErrorModel,
    pub(crate) units: CodeUnits,
    pub(crate) sources: UnitSources,
    /// Rates of the units by hardware counters; `None` without counters.
    pub(crate) counters: Option<UnitCounters>,
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
        let awake = if rails.is_empty() { WindowSet::default() } else { occupancy.awake() };
        let metered = MeteredRails::new(rails, &estimate.tracks, &errors, awake);
        let is_inside = |track: &PowerTrack| within(track.window(), context.window);
        let counters = UnitCounters::new(context.timeline, &units, occupancy);
        let of_counters = || counters.as_ref().map(features).unwrap_or_default();
        let fit = if estimate.tracks.iter().all(is_inside) {
            RailFit::new(&metered, (&units, of_counters()), occupancy)
        } else {
            None
        };
        let tracks = match &fit {
            Some(fit) => {
                let fusing = Fusing {
                    metered: &metered,
                    fit,
                    units: &units,
                    occupancy,
                    floors: &floor_sources(fit, rails, &mut errors),
                    workers: context.workers,
                };
                Cow::Owned(fusing.tracks())
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
        Self { tracks, errors, units, sources, counters, notes }
    }
}

/// The error sources of what each rail counts that no curve knows.
fn floor_sources(
    fit: &RailFit,
    rails: &[RailPeriods],
    errors: &mut ErrorModel,
) -> Vec<(SourceId, SourceId)> {
    let mut of_rail = Vec::with_capacity(rails.len());
    for (rail, slopes) in rails.iter().zip(&fit.rails) {
        let Some(of) = errors.sources.get(usize::from(rail.source.0)).cloned() else { continue };
        let name = of.name.clone();
        let mut add = |what: &str, own: f64| {
            let (name, provenance) = (format!("{name}, {what}"), Provenance::Modelled);
            errors.add_source(ErrorSource { name, own, provenance, ..of.clone() })
        };
        let floor = add("beyond the curves", slopes.deviations.floor);
        of_rail.push((floor, add("while cores execute", slopes.deviations.awake)));
    }
    of_rail
}

/// Gives what idles and what cores share the errors that the fit has left them.
fn set_errors(
    metered: &MeteredRails<'_>,
    fit: &RailFit,
    tracks: &[PowerTrack],
    errors: &mut ErrorModel,
) {
    for (track, rail) in tracks.iter().zip(&metered.of_track) {
        let slopes = rail.and_then(|rail| fit.rails.get(rail));
        let Some(errors_of) = slopes.map(|slopes| slopes.deviations) else { continue };
        let own = match track.scope {
            Scope::Core(_) => errors_of.idle,
            Scope::Cores(_) => errors_of.shared,
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

/// The note on what rails said of code and curves.
fn note(fit: &RailFit) -> Note {
    let slopes: Vec<String> = fit
        .rails
        .iter()
        .map(|rail| {
            let more = (rail.floor + rail.awake) * 1e3;
            format!("{:.2} × the curve + {more:.1} mW", rail.active)
        })
        .collect();
    let text = format!(
        "power rails fitted to the code that ran: {}; methods differ by {:.0} % at the same clock",
        slopes.join(", "),
        fit.scatter * 100.0
    );
    Note::new(Severity::Info, "rails-fitted", text)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use wattle_power::Scope;
    use wattle_timeline::CpuId;

    use crate::attribution::consumer::Consumer;
    use crate::attribution::test_recording::TestRecording;

    const MILLI: i64 = 1_000_000;

    /// 120 periods of 50 ms in which thread 1 runs for `a` and thread 2 for `b` ms, at 1 W by the model; idle at 0.05 W. The rail counts
    /// `factors` times as much of each.
    fn recording(factors: [f64; 2]) -> (TestRecording, [f64; 2]) {
        let (mut slices, mut idle, mut power, mut rail) =
            (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        let mut truth = [0.0; 2];
        for period in 0..120_i64 {
            let (a, b) = (5 + (period * 7) % 17, 3 + (period * 11) % 23);
            let start = period * 50 * MILLI;
            let (first, second) = (start + a * MILLI, start + (a + b) * MILLI);
            let end = start + 50 * MILLI;
            slices.extend([(start, first, 1), (first, second, 2), (second, end, 0)]);
            idle.extend([(start, -1), (second, 0)]);
            power.extend([(second, 1.0), (end, 0.05)]);
            let drawn = [a as f64 * 1e-3 * factors[0], b as f64 * 1e-3 * factors[1]];
            rail.push((end, drawn[0] + drawn[1] + 0.05 * (50 - a - b) as f64 * 1e-3));
            truth[0] += drawn[0];
            truth[1] += drawn[1];
        }
        let recording = TestRecording::new(2, 120 * 50 * MILLI)
            .cpu(&slices, &idle)
            .track(Scope::Core(CpuId(0)), &power)
            .rail(&rail);
        (recording, truth)
    }

    fn by_thread(recording: &TestRecording) -> BTreeMap<u32, f64> {
        let bookings = recording.bookings();
        let mut sums = BTreeMap::new();
        for (key, sum) in bookings.lines.entries() {
            if let Consumer::Path(path) = key.consumer() {
                *sums.entry(path).or_default() += sum.value();
            }
        }
        sums
    }

    #[test]
    fn rails_tell_what_code_draws() {
        for factors in [[1.0, 1.0], [1.5, 0.7], [0.6, 2.0]] {
            let (recording, truth) = recording(factors);
            let found = by_thread(&recording);
            for (path, truth) in (1..).zip(truth) {
                let off = found[&path] / truth - 1.0;
                assert!(off.abs() < 0.03, "{factors:?}: thread {path} is {off} off");
            }
        }
    }

    #[test]
    fn each_period_has_what_its_rail_counted() {
        let (recording, _) = recording([1.5, 0.7]);
        let active = recording.active();
        for rail in &recording.estimate.rail_periods {
            for period in &rail.periods {
                let tracks = active.tracks.iter();
                let sum: f64 = tracks.map(|track| track.energy(period.window).value()).sum();
                let off = sum / period.measured.value() - 1.0;
                assert!(off.abs() < 1e-12, "{:?}: {off}", period.window);
            }
        }
    }

    /// Without rails the tracks stay as they are, and each method has an error of its own.
    #[test]
    fn without_rails_code_has_an_error() {
        let recording = TestRecording::new(1, 100)
            .cpu(&[(0, 100, 1)], &[])
            .track(Scope::Core(CpuId(0)), &[(100, 1.0)]);
        let active = recording.active();
        assert_eq!(&*active.tracks, recording.estimate.tracks.as_slice());
        let bookings = recording.bookings();
        let (key, _) = bookings.lines.entries()[0];
        let source = &bookings.errors.sources[usize::from(key.source().0)];
        assert_eq!(source.own, super::UNKNOWN_ACTIVITY);
    }
}
