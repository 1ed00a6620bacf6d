//! Curves beside the rails of a recording, for the recordings of the same device that come after.

use wattle_power::{PowerEstimate, PowerTrack, RailCurve, RailRecording, Scope};
use wattle_timeline::{CpuId, Timeline};

use super::activity::{CodeUnits, MeteredRails, RailFit, UnitCounters, expected_numbers, features};
use super::call_paths::CallPaths;
use super::context::Context;
use super::occupancy::Occupancy;
use crate::{AttributionOptions, LedgerError};

/// All rails of a recording beside the curves; nothing where none scaled the power of cores, or too few periods.
///
/// # Errors
///
/// [`LedgerError::TooMany`] when there are more call paths than ids can count.
pub fn rail_curves(
    timeline: &Timeline,
    estimate: &PowerEstimate,
    options: &AttributionOptions,
) -> Result<Vec<RailCurve>, LedgerError> {
    let context = Context::new(timeline, options);
    let paths = CallPaths::new(&context)?;
    let occupancy = Occupancy::new(&context, &paths, &estimate.deep_idle_exit);
    let units = CodeUnits::new(timeline, &paths, &occupancy);
    let rails = &estimate.rail_periods;
    let metered = MeteredRails::new(rails, &estimate.tracks, &estimate.errors, occupancy.awake());
    let counters = UnitCounters::new(timeline, &units, &occupancy);
    let features = counters.as_ref().map(features).unwrap_or_default();
    let Some(fit) = RailFit::new(&metered, (&units, features), &occupancy) else {
        return Ok(Vec::new());
    };
    let mut found = Vec::new();
    for (number, (rail, posterior)) in rails.iter().zip(&fit.posteriors).enumerate() {
        let tracks = metered.tracks_of(number).filter_map(|track| estimate.tracks.get(track));
        let of_track = |track: &PowerTrack| match track.scope {
            Scope::Core(cpu) => Some(cpu),
            _ => None,
        };
        let mut cpus: Vec<CpuId> = tracks.filter_map(of_track).collect();
        cpus.sort_unstable();
        cpus.dedup();
        let source = estimate.errors.sources.get(usize::from(rail.source.0));
        let name = source.map_or("", |source| source.name.as_str());
        if cpus.is_empty() {
            continue;
        }
        found.push(RailCurve {
            rail: name.strip_prefix("rail ").unwrap_or(name).to_owned(),
            cpus,
            recording: RailRecording {
                name: String::new(),
                device: timeline.device.device_name().unwrap_or_default().to_owned(),
                periods: rail.periods.len() as u32,
                expected: expected_numbers(),
                found: posterior.found,
                correlations: posterior.correlations,
            },
        });
    }
    Ok(found)
}
