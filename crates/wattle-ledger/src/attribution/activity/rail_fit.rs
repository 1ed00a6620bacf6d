//! What each piece of code draws at a clock, from what rails counted while different code ran.
//!
//! In a period `k` of rail `r`, the model says that unit `u` of code drew `x_{k,u}`, that cores idled with `i_k` and that the cluster
//! drew `s_k` besides. The rail counted
//!
//! ```text
//! E_k = g_r · Σ_u (1 + d_u) · x_{k,u} + h_r · i_k + l_r · s_k + c_r · T_k + e_k
//! ```
//! with the slope `g`, `h` and `l` of the curves on this device, a floor `c` that curves lack, and how much more than other code
//! each unit draws, `d_u`, which is the same on all rails. All of them are held near what is expected (`d` near 0 by as much as units
//! of this recording scatter), see [`wattle_fit::Shrinkage`]. What a period of few milliwatts says counts for less: its noise has a
//! part of its own beside the one that grows with its energy.

use rustc_hash::FxHashMap;
use wattle_fit::{Shrinkage, ShrinkageClass, ShrinkageRow};
use wattle_power::{PowerTrack, Scope};
use wattle_timeline::Window;

use super::code_units::{CodeUnits, UnitId};
use super::metered_pieces::MeteredRails;
use crate::attribution::occupancy::{Activity, Occupancy};
use crate::attribution::{walk, work};

/// Fewer periods of all rails together say nothing.
const FEWEST_PERIODS: usize = 8;
/// The most units with a coefficient of their own, those with the most energy; the others draw as the curve says.
const MOST_UNITS: usize = 300;
/// Expected relative deviation of slopes: published curves against rails of the same SoC differ by −91 to +82 % (Pixel 6, 6a).
const SLOPE: f64 = 0.5;
/// Expected size of a floor in watts: 5 to 24 mW on Pixel 6 and 6a.
const FLOOR: f64 = 0.02;
/// Expected deviation of units, of the weight of so many units, until the recording says more.
const UNIT: (f64, f64) = (0.2, 4.0);
/// Noise of a period: a part of its energy, a part of the mean energy of its rail's periods, and microjoules of its two readings.
const NOISE: (f64, f64, f64) = (0.04, 0.01, 10e-6);
/// No factor is below this: everything that executes draws something.
const LEAST: f64 = 0.05;

/// The modelled energies of one period of a rail, in joules.
#[derive(Clone, Debug, Default)]
struct PeriodEnergies {
    /// By unit, ascending.
    units: Vec<(UnitId, f64)>,
    /// Executed by no known unit, or to wake a core.
    others: f64,
    idle: f64,
    shared: f64,
}

/// What one rail says of the curves of its cores.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RailSlopes {
    /// Measured over modelled power of cores that execute the mean code.
    pub(crate) active: f64,
    /// Of idle cores.
    pub(crate) idle: f64,
    /// Of what a cluster draws besides.
    pub(crate) shared: f64,
    /// Power in watts that the curves lack.
    pub(crate) floor: f64,
    /// Relative standard deviations of `idle` and `shared`.
    pub(crate) deviations: (f64, f64),
}

/// Everything that the rails of a recording say of code and curves.
#[derive(Debug)]
pub(crate) struct RailFit {
    /// By rail.
    pub(crate) rails: Vec<RailSlopes>,
    /// By unit: how much it draws at a clock, the mean being 1, and the relative standard deviation of that.
    pub(crate) units: Vec<(f64, f64)>,
    /// Relative standard deviation among the units of this recording.
    pub(crate) scatter: f64,
}

impl RailFit {
    /// From all periods; `None` where they are too few.
    pub(crate) fn new(
        metered: &MeteredRails<'_>,
        (tracks, rails): (&[PowerTrack], usize),
        units: &CodeUnits,
        occupancy: &Occupancy,
    ) -> Option<Self> {
        let periods: usize = (0..rails).map(|rail| metered.periods(rail).len()).sum();
        if periods < FEWEST_PERIODS {
            return None;
        }
        let energies: Vec<Vec<PeriodEnergies>> = (0..rails)
            .map(|rail| period_energies(metered, rail, tracks, units, occupancy))
            .collect();
        let columns = Columns::new(&energies, units);
        let classes = classes(rails);
        let class_of = columns.classes();
        // The first round knows no slopes yet; the second has each unit's energy at the slope of its rail.
        let first =
            Shrinkage::new(&columns.rows(metered, &energies, |_| 1.0), &class_of, &classes)?;
        let slope = |rail: usize| {
            first.coefficients.get(Columns::PER_RAIL * rail).map_or(1.0, |it| it.max(LEAST))
        };
        let fit = Shrinkage::new(&columns.rows(metered, &energies, slope), &class_of, &classes)?;
        Some(columns.found(&fit, rails, units))
    }
}

/// Modelled energies of all periods of a rail.
fn period_energies(
    metered: &MeteredRails<'_>,
    rail: usize,
    tracks: &[PowerTrack],
    units: &CodeUnits,
    occupancy: &Occupancy,
) -> Vec<PeriodEnergies> {
    let periods = metered.periods(rail);
    let mut found = vec![PeriodEnergies::default(); periods.len()];
    let mut sums: FxHashMap<(usize, UnitId), f64> = FxHashMap::default();
    let unscaled = |period: usize| {
        periods.get(period).map_or(0.0, |it| it.modelled.value() / it.measured.value().max(1e-12))
    };
    for track in tracks {
        if metered.of_track(track) != Some(rail) {
            continue;
        }
        let pieces =
            metered.pieces(rail, track).filter_map(|(window, (_, piece))| Some((window, piece?)));
        let core = match &track.scope {
            Scope::Core(cpu) => occupancy.cores.get(cpu.index()),
            _ => None,
        };
        let Some(core) = core else {
            for (window, piece) in pieces {
                let joules = (piece.segment.power * window.duration()).value();
                found[piece.period].shared += joules * unscaled(piece.period);
            }
            continue;
        };
        walk::both(pieces, core.pieces_from(0), |window: Window, piece, (_, occupant)| {
            let joules = (piece.segment.power * window.duration()).value();
            let joules = joules * unscaled(piece.period);
            let unit = units.of(occupant.consumer()).filter(|_| !occupant.is_waking());
            match (unit, occupant.activity()) {
                (Some(unit), Activity::Busy) => {
                    *sums.entry((piece.period, unit)).or_default() += joules;
                }
                (_, Activity::Idle) if !occupant.is_waking() => found[piece.period].idle += joules,
                _ => found[piece.period].others += joules,
            }
        });
    }
    let mut sums: Vec<((usize, UnitId), f64)> = sums.into_iter().collect();
    sums.sort_unstable_by_key(|(key, _)| *key);
    for ((period, unit), joules) in sums {
        work::count();
        found[period].units.push((unit, joules));
    }
    found
}

/// Classes of coefficients: slope, idle, shared, floor, units.
fn classes(rails: usize) -> Vec<ShrinkageClass> {
    let given = |mean, deviation| ShrinkageClass { mean, deviation, learnt_from: None };
    let (deviation, weight) = UNIT;
    let per_rail = [given(1.0, SLOPE), given(1.0, SLOPE), given(1.0, SLOPE), given(0.0, FLOOR)];
    let mut classes = if rails > 0 { per_rail.to_vec() } else { Vec::new() };
    classes.push(ShrinkageClass { mean: 0.0, deviation, learnt_from: Some(weight) });
    classes
}

/// Which column is what: four of each rail, then one for each unit that has one.
struct Columns {
    rails: usize,
    /// By unit: its place after the columns of rails.
    of_unit: Vec<Option<u32>>,
    count: usize,
}

impl Columns {
    const PER_RAIL: usize = 4;

    fn new(energies: &[Vec<PeriodEnergies>], units: &CodeUnits) -> Self {
        let mut all = vec![0.0; units.len()];
        for (unit, joules) in energies.iter().flatten().flat_map(|period| &period.units) {
            if let Some(sum) = all.get_mut(*unit as usize) {
                *sum += joules;
            }
        }
        let mut order: Vec<usize> = (0..all.len()).filter(|unit| all[*unit] > 0.0).collect();
        order.sort_by(|one, other| all[*other].total_cmp(&all[*one]));
        order.truncate(MOST_UNITS);
        let mut of_unit = vec![None; units.len()];
        for (place, unit) in (0..).zip(&order) {
            of_unit[*unit] = Some(place);
        }
        Self { rails: energies.len(), of_unit, count: order.len() }
    }

    fn classes(&self) -> Vec<usize> {
        let of_rails = (0..self.rails * Self::PER_RAIL).map(|column| column % Self::PER_RAIL);
        of_rails.chain(std::iter::repeat_n(Self::PER_RAIL, self.count)).collect()
    }

    fn rows(
        &self,
        metered: &MeteredRails<'_>,
        energies: &[Vec<PeriodEnergies>],
        slope: impl Fn(usize) -> f64,
    ) -> Vec<ShrinkageRow> {
        let mut rows = Vec::new();
        let first_unit = (self.rails * Self::PER_RAIL) as u32;
        for (rail, of_rail) in energies.iter().enumerate() {
            let periods = metered.periods(rail);
            let all: f64 = periods.iter().map(|it| it.measured.value()).sum();
            let mean = all / periods.len().max(1) as f64;
            for (period, energies) in periods.iter().zip(of_rail) {
                let column = (Self::PER_RAIL * rail) as u32;
                let executed: f64 = energies.units.iter().map(|(_, joules)| joules).sum();
                let seconds = period.window.duration().seconds();
                let mut values = vec![
                    (column, executed + energies.others),
                    (column + 1, energies.idle),
                    (column + 2, energies.shared),
                    (column + 3, seconds),
                ];
                let mut of_units: Vec<(u32, f64)> = energies
                    .units
                    .iter()
                    .filter_map(|(unit, joules)| {
                        let place = self.of_unit.get(*unit as usize).copied().flatten()?;
                        Some((first_unit + place, joules * slope(rail)))
                    })
                    .collect();
                of_units.sort_unstable_by_key(|(column, _)| *column);
                values.extend(of_units);
                let measured = period.measured.value();
                let (relative, of_mean, readings) = NOISE;
                let noise = (relative * measured).hypot(of_mean * mean).hypot(readings);
                rows.push(ShrinkageRow { values, measured, noise });
            }
        }
        rows
    }

    fn found(&self, fit: &Shrinkage, rails: usize, units: &CodeUnits) -> RailFit {
        let value = |column: usize| fit.coefficients.get(column).copied().unwrap_or(1.0);
        let relative = |column: usize| fit.variance(column).sqrt() / value(column).max(LEAST);
        let slopes = (0..rails).map(|rail| {
            let first = Self::PER_RAIL * rail;
            RailSlopes {
                active: value(first).max(LEAST),
                idle: value(first + 1).max(LEAST),
                shared: value(first + 2).max(LEAST),
                floor: value(first + 3).max(0.0),
                deviations: (relative(first + 1), relative(first + 2)),
            }
        });
        let first_unit = self.rails * Self::PER_RAIL;
        let scatter = fit.deviations.last().copied().unwrap_or(UNIT.0);
        let of_unit =
            (0..units.len()).map(|unit| match self.of_unit.get(unit).copied().flatten() {
                Some(place) => {
                    let column = first_unit + place as usize;
                    let factor = (1.0 + value(column)).max(LEAST);
                    (factor, fit.variance(column).sqrt() / factor)
                }
                None => (1.0, scatter),
            });
        RailFit { rails: slopes.collect(), units: of_unit.collect(), scatter }
    }
}
