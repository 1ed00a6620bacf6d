//! Tracks of cores with what rails say of the code that ran.

use wattle_power::{Component, PowerTrack, RailPeriods, Scope, SourceId};
use wattle_timeline::Window;
use wattle_units::{CompensatedSum, Watts};

use super::code_units::CodeUnits;
use super::metered_pieces::MeteredRails;
use super::rail_fit::{RailFit, RailSlopes};
use crate::attribution::occupancy::{Activity, CoreOccupancy, Occupancy};
use crate::attribution::walk;

/// The inputs of all tracks.
pub(crate) struct Fusing<'a> {
    pub(crate) metered: &'a MeteredRails<'a>,
    pub(crate) rails: &'a [RailPeriods],
    pub(crate) fit: &'a RailFit,
    pub(crate) units: &'a CodeUnits,
    pub(crate) occupancy: &'a Occupancy,
    pub(crate) workers: usize,
}

impl Fusing<'_> {
    /// The tracks with powers that follow the code, each period of a rail with the energy that the rail counted; and the floor
    /// of each rail.
    pub(crate) fn tracks(&self, tracks: &[PowerTrack]) -> Vec<PowerTrack> {
        let mut fused = wattle_workers::ordered(self.workers, tracks, |track| {
            match self.metered.of_track(track) {
                Some(rail) => self.by_code(track, rail),
                None => track.clone(),
            }
        });
        for (rail, slopes) in self.fit.rails.iter().enumerate() {
            let periods = self.metered.periods(rail);
            let mut sums = vec![CompensatedSum::default(); periods.len()];
            for track in fused.iter().filter(|track| self.metered.of_track(track) == Some(rail)) {
                for (window, (_, piece)) in self.metered.pieces(rail, track) {
                    if let Some(piece) = piece {
                        sums[piece.period].add((piece.segment.power * window.duration()).value());
                    }
                }
            }
            let factors: Vec<f64> = periods
                .iter()
                .zip(&sums)
                .map(|(period, sum)| {
                    let floor = slopes.floor * period.window.duration().seconds();
                    let expected = sum.value() + floor;
                    if expected > 0.0 { period.measured.value() / expected } else { 1.0 }
                })
                .collect();
            fused = wattle_workers::ordered(self.workers, &fused, |track| {
                if self.metered.of_track(track) == Some(rail) {
                    self.scaled(track, rail, &factors)
                } else {
                    track.clone()
                }
            });
            fused.extend(self.floor(rail, *slopes, &factors));
        }
        fused
    }

    /// The track with the model's own energies, each times what rails say of it.
    fn by_code(&self, track: &PowerTrack, rail: usize) -> PowerTrack {
        let Some(slopes) = self.fit.rails.get(rail) else { return track.clone() };
        let core = match &track.scope {
            Scope::Core(cpu) => self.occupancy.cores.get(cpu.index()),
            _ => None,
        };
        let periods = self.metered.periods(rail);
        let unscaled = |period: usize| {
            let of = periods.get(period);
            of.map_or(1.0, |it| it.modelled.value() / it.measured.value().max(1e-12))
        };
        let pieces = self.metered.pieces(rail, track).map(|(window, (segment, piece))| {
            let model = piece.map_or(1.0, |piece| unscaled(piece.period));
            (window, (segment.power * model, segment.source))
        });
        let mut fused =
            PowerTrack::new(track.component.clone(), track.scope.clone(), track.window().start);
        match core {
            Some(core) => self.by_occupant(pieces, core, *slopes, &mut fused),
            None => {
                for (window, (power, source)) in pieces {
                    fused.push_until(window.end, power * slopes.shared, source);
                }
            }
        }
        fused
    }

    fn by_occupant(
        &self,
        pieces: impl Iterator<Item = (Window, (Watts, SourceId))>,
        core: &CoreOccupancy,
        slopes: RailSlopes,
        fused: &mut PowerTrack,
    ) {
        walk::both(pieces, core.pieces_from(0), |window, (power, source), (_, occupant)| {
            let unit = self.units.of(occupant.consumer()).filter(|_| !occupant.is_waking());
            let factor = match (unit, occupant.activity()) {
                (Some(unit), Activity::Busy) => {
                    let of = self.fit.units.get(unit as usize);
                    slopes.active * of.map_or(1.0, |(factor, _)| *factor)
                }
                (_, Activity::Idle) if !occupant.is_waking() => slopes.idle,
                _ => slopes.active,
            };
            fused.push_until(window.end, power * factor, source);
        });
    }

    /// The track with the powers of each period times the period's factor.
    fn scaled(&self, track: &PowerTrack, rail: usize, factors: &[f64]) -> PowerTrack {
        let mut scaled =
            PowerTrack::new(track.component.clone(), track.scope.clone(), track.window().start);
        for (window, (segment, piece)) in self.metered.pieces(rail, track) {
            let factor = piece.and_then(|piece| factors.get(piece.period)).copied();
            scaled.push_until(window.end, segment.power * factor.unwrap_or(1.0), segment.source);
        }
        scaled
    }

    /// What a rail counts that no curve knows, whatever runs.
    fn floor(&self, rail: usize, slopes: RailSlopes, factors: &[f64]) -> Option<PowerTrack> {
        let source = self.rails.get(rail)?.source;
        let periods = self.metered.periods(rail);
        let start = periods.first()?.window.start;
        if slopes.floor <= 0.0 {
            return None;
        }
        let mut floor = PowerTrack::new(Component::Cpu, Scope::Floor, start);
        for (period, factor) in periods.iter().zip(factors) {
            floor.push_until(period.window.start, Watts::ZERO, source);
            floor.push_until(period.window.end, Watts::new(slopes.floor * factor), source);
        }
        Some(floor)
    }
}
