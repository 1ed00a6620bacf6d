//! Tracks of cores with what rails say of the code that ran.

use wattle_power::{Component, PowerTrack, Scope, SourceId};
use wattle_timeline::{CpuId, Window};
use wattle_units::{CompensatedSum, Watts};

use super::code_units::CodeUnits;
use super::metered_pieces::MeteredRails;
use super::rail_fit::{RailFit, RailSlopes};
use crate::attribution::occupancy::{Activity, CoreOccupancy, Occupancy};
use crate::attribution::walk;

/// The inputs of all tracks.
pub(crate) struct Fusing<'a> {
    pub(crate) metered: &'a MeteredRails<'a>,
    pub(crate) fit: &'a RailFit,
    pub(crate) units: &'a CodeUnits,
    pub(crate) occupancy: &'a Occupancy,
    /// By rail: the sources of its two floors.
    pub(crate) floors: &'a [(SourceId, SourceId)],
    pub(crate) workers: usize,
}

impl Fusing<'_> {
    /// The tracks with powers that follow the code, each period of a rail with the energy that the rail counted; and the floor
    /// of each rail.
    pub(crate) fn tracks(&self) -> Vec<PowerTrack> {
        let numbered = self.metered.tracks.iter().zip(&self.metered.of_track);
        let numbered: Vec<(&PowerTrack, Option<usize>)> =
            numbered.map(|(track, rail)| (track, *rail)).collect();
        let mut fused = wattle_workers::ordered(self.workers, &numbered, |(track, rail)| {
            rail.map_or_else(|| (*track).clone(), |rail| self.by_code(track, rail))
        });
        for (rail, slopes) in self.fit.rails.iter().enumerate() {
            let periods = self.metered.periods(rail);
            let of_rail: Vec<usize> = self.metered.tracks_of(rail).collect();
            let mut sums = vec![CompensatedSum::default(); periods.len()];
            for track in &of_rail {
                for (window, (segment, piece)) in self.metered.pieces(rail, &fused[*track]) {
                    if let Some(piece) = piece {
                        sums[piece.period].add((segment.power * window.duration()).value());
                    }
                }
            }
            let mut awake = vec![0.0; periods.len()];
            self.metered
                .each_awake(rail, |window, period| awake[period] += window.duration().seconds());
            let factors: Vec<f64> = periods
                .iter()
                .zip(sums.iter().zip(&awake))
                .map(|(period, (sum, awake))| {
                    let floor = slopes.floor * period.window.duration().seconds();
                    let expected = sum.value() + floor + slopes.awake * awake;
                    if expected > 0.0 { period.measured.value() / expected } else { 1.0 }
                })
                .collect();
            let scaled = wattle_workers::ordered(self.workers, &of_rail, |track| {
                self.scaled(&fused[*track], rail, &factors)
            });
            for (track, scaled) in of_rail.into_iter().zip(scaled) {
                fused[track] = scaled;
            }
            fused.extend(self.floor(rail, *slopes, &factors));
            fused.extend(self.awake(rail, *slopes, &factors));
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
        let pieces = self.metered.pieces(rail, track).map(|(window, (segment, piece))| {
            let power = piece.map_or(segment.power, |piece| piece.modelled);
            (window, (power, segment.source))
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
                (Some(unit), Activity::Busy) => slopes.active * self.fit.factor(unit, source),
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

    /// Power that a rail counts and no curve knows, whatever runs.
    fn floor(&self, rail: usize, slopes: RailSlopes, factors: &[f64]) -> Option<PowerTrack> {
        let (source, _) = *self.floors.get(rail)?;
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

    /// Power that a rail counts and no curve knows, while any core executes: of hardware that serves them all.
    fn awake(&self, rail: usize, slopes: RailSlopes, factors: &[f64]) -> Option<PowerTrack> {
        let (_, source) = *self.floors.get(rail)?;
        let start = self.metered.periods(rail).first()?.window.start;
        let cores = self.occupancy.cores.len() as u32;
        if slopes.awake <= 0.0 || cores == 0 {
            return None;
        }
        let scope = Scope::Cores((0..cores).map(CpuId).collect());
        let mut track = PowerTrack::new(Component::Cpu, scope, start);
        self.metered.each_awake(rail, |window, period| {
            track.push_until(window.start, Watts::ZERO, source);
            let factor = factors.get(period).copied().unwrap_or_default();
            track.push_until(window.end, Watts::new(slopes.awake * factor), source);
        });
        (!track.is_empty()).then_some(track)
    }
}
