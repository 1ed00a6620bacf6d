//! Rail periods beside what is estimated of them without their own measurement.

use std::collections::BTreeMap;

use wattle_power::{ErrorModel, PowerEstimate, SourceId};
use wattle_units::{Estimate, Interval, Joules, Provenance};

use super::code_units::CodeUnits;
use super::held_out::{Reach, predict, windows};
use super::metered_pieces::MeteredRails;
use super::rail_fit::{Columns, PeriodEnergies, RailFit, Regression, rail_energies};
use super::time_blocks::BLOCKS;
use super::unit_counters::{self, UnitCounters};
use crate::attribution::context::Context;
use crate::attribution::occupancy::Occupancy;
use crate::judged_rail::{JudgedRail, JudgedStretch};

/// All rails that scale modelled tracks; empty where they are too few for a fit.
pub(crate) fn judged(
    context: &Context<'_>,
    estimate: &PowerEstimate,
    units: &CodeUnits,
    occupancy: &Occupancy,
) -> Vec<JudgedRail> {
    let errors = &estimate.errors;
    let metered =
        MeteredRails::new(&estimate.rail_periods, &estimate.tracks, errors, occupancy.awake());
    let counters = UnitCounters::new(context.timeline, units, occupancy);
    let features = counters.as_ref().map(unit_counters::features).unwrap_or_default();
    let Some(energies) = rail_energies(&metered, units, occupancy) else { return Vec::new() };
    let columns = Columns::new(&energies, units, features);
    let fits = (0..BLOCKS).map(|held_out| {
        let regression = Regression::new(&columns, &energies, |it| it.block != held_out)?;
        Some((regression.read(units), Reach::new(&regression, units), regression))
    });
    let judge = Judge { plain: PlainErrors::new(errors), fits: fits.collect() };
    let of_rails = energies.iter().enumerate().map(|(rail, periods)| {
        let sources = sources_by_period(&metered, rail, periods);
        let name = metered.source(rail).and_then(|id| errors.sources.get(usize::from(id.0)));
        let name = name.map_or("", |source| source.name.as_str());
        let all: Vec<&PeriodEnergies> = periods.iter().collect();
        let whole: BTreeMap<SourceId, f64> = joined(sources.values());
        let stretch = |periods: &[&PeriodEnergies], is_window: bool| {
            let of_periods = periods.iter().filter_map(|it| sources.get(&it.window.start.value()));
            judge.stretch(rail, periods, &joined(of_periods), is_window)
        };
        JudgedRail {
            rail: name.strip_prefix("rail ").unwrap_or(name).to_owned(),
            measured: Joules::new(periods.iter().map(|period| period.measured).sum()),
            plain: judge.plain.estimate(&whole),
            periods: all.iter().map(|period| stretch(&[period], false)).collect(),
            windows: windows(&all).iter().map(|window| stretch(window, true)).collect(),
        }
    });
    of_rails.collect()
}

/// Sums by source.
fn joined<'a>(parts: impl Iterator<Item = &'a BTreeMap<SourceId, f64>>) -> BTreeMap<SourceId, f64> {
    let mut sums = BTreeMap::new();
    for (source, joules) in parts.flatten() {
        *sums.entry(*source).or_default() += joules;
    }
    sums
}

/// The model's energies of the periods by source, by the start of each.
fn sources_by_period(
    metered: &MeteredRails<'_>,
    rail: usize,
    periods: &[PeriodEnergies],
) -> BTreeMap<i64, BTreeMap<SourceId, f64>> {
    let mut found: BTreeMap<i64, BTreeMap<SourceId, f64>> = BTreeMap::new();
    for track in metered.tracks_of(rail).filter_map(|track| metered.tracks.get(track)) {
        for (window, (segment, piece)) in metered.pieces(rail, track) {
            let at = periods.partition_point(|period| period.window.start <= window.start);
            let period = at.checked_sub(1).and_then(|at| periods.get(at));
            let Some((period, piece)) = period.zip(piece) else { continue };
            let of_period = found.entry(period.window.start.value()).or_default();
            *of_period.entry(segment.source).or_default() +=
                (piece.modelled * window.duration()).value();
        }
    }
    found
}

/// The errors of the model before any rail fixed it.
struct PlainErrors(ErrorModel);

impl PlainErrors {
    fn new(errors: &ErrorModel) -> Self {
        let mut plain = errors.clone();
        for source in &mut plain.sources {
            source.meter = None;
        }
        Self(plain)
    }

    fn estimate(&self, energies: &BTreeMap<SourceId, f64>) -> Estimate {
        self.0.whole(energies.iter().map(|(source, joules)| (*source, Joules::new(*joules))))
    }
}

struct Judge<'a> {
    plain: PlainErrors,
    /// By block that was held out.
    fits: Vec<Option<(RailFit, Reach, Regression<'a>)>>,
}

impl Judge<'_> {
    /// Neighbouring periods of one block.
    fn stretch(
        &self,
        rail: usize,
        periods: &[&PeriodEnergies],
        sources: &BTreeMap<SourceId, f64>,
        is_window: bool,
    ) -> JudgedStretch {
        let first = periods.first().copied().cloned().unwrap_or_default();
        let fit = self.fits.get(first.block).and_then(Option::as_ref);
        let fitted = fit.map(|(fit, reach, regression)| {
            let predicted = predict(regression, fit, rail, periods);
            let half = reach.half_width(rail, predicted, is_window);
            let (low, high) = ((predicted.expected - half).max(0.0), predicted.expected + half);
            Estimate {
                joules: Joules::new(predicted.expected),
                interval: Interval { low: Joules::new(low), high: Joules::new(high) },
                provenance: Provenance::Modelled,
            }
        });
        JudgedStretch {
            start: first.window.start,
            seconds: periods.iter().map(|period| period.seconds).sum(),
            block: first.block,
            measured: Joules::new(periods.iter().map(|period| period.measured).sum()),
            plain: self.plain.estimate(sources),
            fitted,
        }
    }
}
