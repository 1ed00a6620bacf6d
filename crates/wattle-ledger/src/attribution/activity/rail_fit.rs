//! The power of each piece of code at a clock, from what rails counted while different code ran.
//!
//! In a period `k` of rail `r`, the model says that unit `u` of code drew `x_{k,u,f}` at clock `f` of the curve, that cores idled with `i_k` and that the cluster
//! drew `s_k` besides. The rail counted
//!
//! ```text
//! E_k = g_r · Σ_{u,f} (1 + d_u + q_f) · x_{k,u,f} + h_r · i_k + l_r · s_k + c_r · T_k + v_r · B_k + e_k
//! ```
//! with the slope `g`, `h` and `l` of the curves on this device, a floor `c` that curves lack, power `v` that they lack while any core
//! executes (`B_k`: what serves all clusters and no table has), how far the curve is off at each of its clocks, `q_f`, and how much more than other code
//! each unit draws, `d_u`, which is the same on all rails. Where hardware counters were recorded, `d_u` has a part that follows from
//! instructions and cache misses of the unit, `b·z_u`, with `b` fitted here, too. All of them are held near what is expected (`d` near 0 by as much as units
//! of this recording scatter), see [`wattle_fit::Shrinkage`]. What a period of few milliwatts says counts for less: its noise has a
//! part of its own beside the one that grows with its energy.

use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::FxHashMap;
use wattle_fit::{Shrinkage, ShrinkageClass, ShrinkageRow, normal_above, order};
use wattle_power::{RAIL_NUMBERS, RailNumber, RailPeriod, Scope, SourceId};
use wattle_timeline::Window;
use wattle_units::sum_by_key;

use super::code_units::{CodeUnits, UnitId};
use super::metered_pieces::MeteredRails;
use super::time_blocks::TimeBlocks;
use crate::attribution::occupancy::{Activity, Occupancy};
use crate::attribution::{walk, work};

/// Shorter periods, in seconds, are looked at together.
const SHORTEST: f64 = 0.04;
/// Fewer periods of all rails together say nothing.
const FEWEST_PERIODS: usize = 8;
/// The most units with a coefficient of their own, those with the most energy; the others draw as the curve says.
const MOST_UNITS: usize = 300;
/// Nor has one a coefficient with a smaller part of the energy: no period shows what it draws.
const LEAST_ENERGY: f64 = 1e-3;
/// Expected relative deviation of slopes: published curves against rails of the same SoC differ by −91 to +82 % (Pixel 6, 6a).
const SLOPE: f64 = 0.5;
/// Expected size of a floor in watts: 5 to 24 mW on Pixel 6 and 6a.
const FLOOR: f64 = 0.02;
/// Smaller floors, in watts, have no relative error that says anything.
const LEAST_FLOOR: f64 = 1e-4;
/// Expected deviation of units, of the weight of so many units, until the recording says more.
const UNIT: (f64, f64) = (0.2, 4.0);
/// The same of the numbers of a curve among each other: published curves of one SoC differ by 5 to 10 % beyond what they have in common.
const CLOCK: (f64, f64) = (0.07, 4.0);
/// Expected size of what one standard deviation of a counter's logarithm adds.
const FEATURE: f64 = 0.2;
/// Noise of a period: a part of its energy, a part of the mean energy of its rail's periods, and microjoules of its two readings.
const NOISE: (f64, f64, f64) = (0.04, 0.05, 10e-6);
/// Periods that are off by more deviations than this count for less: stamps that are wrong by a part of a period give some of them what
/// their neighbours drew (Huber).
const OUTLIER: f64 = 2.0;
/// No slope is below this: everything that executes draws something.
const LEAST: f64 = 0.05;
/// Bounds of what a unit draws at a clock, the mean being 1: no code switches three times as much as other code.
const OF_UNIT: (f64, f64) = (0.3, 2.5);

/// The energies of one period of a rail, in joules by the model but for what was measured.
#[derive(Clone, Debug, Default)]
pub(super) struct PeriodEnergies {
    /// From its begin to its end; of several periods to the end of the last.
    pub(super) window: Window,
    /// The block of time that it is in.
    pub(super) block: usize,
    /// Its length in seconds.
    pub(super) seconds: f64,
    /// Energy that the rail counted.
    pub(super) measured: f64,
    /// By unit, ascending.
    pub(super) units: Vec<(UnitId, f64)>,
    /// Energy of units by the number of the curve, ascending.
    pub(super) clocks: Vec<(SourceId, f64)>,
    /// Executed by no known unit, or to wake a core.
    pub(super) others: f64,
    pub(super) idle: f64,
    pub(super) shared: f64,
    /// Seconds in which any core executed.
    pub(super) awake: f64,
}

impl PeriodEnergies {
    /// Adds the energies of another period.
    fn join(&mut self, other: &Self) {
        self.window.end = other.window.end;
        self.seconds += other.seconds;
        self.measured += other.measured;
        add(&mut self.units, &other.units);
        add(&mut self.clocks, &other.clocks);
        self.others += other.others;
        self.idle += other.idle;
        self.shared += other.shared;
        self.awake += other.awake;
    }
}

/// Adds sums by key; they stay in order.
fn add<K: Copy + Ord>(sums: &mut Vec<(K, f64)>, others: &[(K, f64)]) {
    sums.extend(others);
    sum_by_key(sums);
}

/// The curves of a rail's cores, as the rail says.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RailSlopes {
    /// Measured over modelled power of cores that execute the mean code.
    pub(crate) active: f64,
    /// Of idle cores.
    pub(crate) idle: f64,
    /// Of what a cluster draws besides.
    pub(crate) shared: f64,
    /// Power in watts that the curves lack, always and while any core executes.
    pub(crate) floor: f64,
    pub(crate) awake: f64,
    /// Relative standard deviations.
    pub(crate) deviations: SlopeErrors,
}

/// Relative standard deviations of what a rail says.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SlopeErrors {
    pub(crate) idle: f64,
    pub(crate) shared: f64,
    pub(crate) floor: f64,
    pub(crate) awake: f64,
}

/// The numbers of a rail as they are expected with what it counted, in the order of [`wattle_power::RailCorrection`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct RailPosterior {
    pub(crate) found: [RailNumber; RAIL_NUMBERS],
    /// Correlations below the diagonal, by rows.
    pub(crate) correlations: [f64; RAIL_NUMBERS * (RAIL_NUMBERS - 1) / 2],
}

/// Everything that the rails of a recording say of code and curves.
#[derive(Debug)]
pub(crate) struct RailFit {
    /// By rail.
    pub(crate) rails: Vec<RailSlopes>,
    pub(crate) posteriors: Vec<RailPosterior>,
    /// By unit: how much it draws at a clock, the mean being 1, and the relative standard deviation of that.
    pub(crate) units: Vec<(f64, f64)>,
    /// By number of a curve how much more is drawn at its clock, the mean being 0.
    pub(crate) clocks: FxHashMap<SourceId, f64>,
    /// Relative standard deviation among the units of this recording.
    pub(crate) scatter: f64,
}

impl RailFit {
    /// From all periods; `None` where they are too few. `features`: by unit what counters say of it, empty without counters.
    pub(crate) fn new(
        metered: &MeteredRails<'_>,
        (units, features): (&CodeUnits, Vec<[f64; 2]>),
        occupancy: &Occupancy,
    ) -> Option<Self> {
        let energies = rail_energies(metered, units, occupancy)?;
        let columns = Columns::new(&energies, units, features);
        Some(Regression::new(&columns, &energies, |_| true)?.read(units))
    }

    /// The power of a unit at a clock of a curve, the mean being 1.
    pub(crate) fn factor(&self, unit: UnitId, source: SourceId) -> f64 {
        let of_unit = self.units.get(unit as usize).map_or(1.0, |(factor, _)| *factor);
        let of_clock = self.clocks.get(&source).copied().unwrap_or_default();
        (of_unit + of_clock).max(LEAST)
    }

    /// The energy of a period of a rail by the fit alone.
    pub(super) fn expected(&self, rail: usize, period: &PeriodEnergies) -> f64 {
        let Some(slopes) = self.rails.get(rail) else { return f64::NAN };
        let of_unit = |unit: UnitId| self.units.get(unit as usize).map_or(1.0, |it| it.0);
        let units: f64 = period.units.iter().map(|(unit, joules)| joules * of_unit(*unit)).sum();
        let of_clock = |source: SourceId| self.clocks.get(&source).copied().unwrap_or_default();
        let clocks: f64 = period.clocks.iter().map(|(it, joules)| joules * of_clock(*it)).sum();
        slopes.active * (units + clocks + period.others)
            + slopes.idle * period.idle
            + slopes.shared * period.shared
            + slopes.floor * period.seconds
            + slopes.awake * period.awake
    }
}

/// The energies of all periods by rail, short ones joined; `None` where they are too few.
pub(super) fn rail_energies(
    metered: &MeteredRails<'_>,
    units: &CodeUnits,
    occupancy: &Occupancy,
) -> Option<Vec<Vec<PeriodEnergies>>> {
    let rails = metered.count();
    let periods: usize = (0..rails).map(|rail| metered.periods(rail).len()).sum();
    let all = (0..rails).flat_map(|rail| metered.periods(rail));
    let blocks = TimeBlocks::new(all.map(|period| period.window));
    let of_rail = |rail| {
        let mut found = joined(period_energies(metered, rail, units, occupancy));
        for period in &mut found {
            period.block = blocks.number(period.window);
        }
        found
    };
    (periods >= FEWEST_PERIODS).then(|| (0..rails).map(of_rail).collect())
}

/// The regression of what rails counted in some of their periods.
pub(super) struct Regression<'a> {
    columns: &'a Columns,
    pub(super) fit: Shrinkage,
    /// By rail: the periods that were used, and by all of them, rail after rail, their rows.
    pub(super) used: Vec<Vec<&'a PeriodEnergies>>,
    rows: Vec<ShrinkageRow>,
    /// By rail: the slope at which its units have their energy, and the mean energy of the periods that were used.
    of_rail: Vec<(f64, f64)>,
}

impl<'a> Regression<'a> {
    /// Of the periods that are to be used.
    pub(super) fn new(
        columns: &'a Columns,
        energies: &'a [Vec<PeriodEnergies>],
        is_used: impl Fn(&PeriodEnergies) -> bool,
    ) -> Option<Self> {
        let used: Vec<Vec<&'a PeriodEnergies>> =
            energies.iter().map(|all| all.iter().filter(|it| is_used(it)).collect()).collect();
        let mean = |of_rail: &Vec<&PeriodEnergies>| {
            let all: f64 = of_rail.iter().map(|period| period.measured).sum();
            all / of_rail.len().max(1) as f64
        };
        let mut of_rail: Vec<(f64, f64)> = used.iter().map(|it| (1.0, mean(it))).collect();
        let (classes, class_of) = (classes(), columns.classes());
        // The first round knows no slopes yet; the second has each unit's energy at the slope of its rail.
        let first = Shrinkage::new(&columns.rows(&used, &of_rail), &class_of, &classes)?;
        for (rail, (slope, _)) in of_rail.iter_mut().enumerate() {
            let found = first.coefficients.get(Columns::PER_RAIL * rail);
            *slope = found.map_or(1.0, |it| it.max(LEAST));
        }
        let mut rows = columns.rows(&used, &of_rail);
        let second = Shrinkage::after(&first, &rows, &class_of, &classes)?;
        doubt_outliers(&mut rows, &second);
        let fit = Shrinkage::after(&second, &rows, &class_of, &classes)?;
        Some(Self { columns, fit, used, rows, of_rail })
    }

    /// The coefficients as slopes of rails and factors of units.
    pub(super) fn read(&self, units: &CodeUnits) -> RailFit {
        self.columns.found(&self.fit, self.of_rail.len(), units)
    }

    /// The same without the periods of a block, the sizes of errors being those of all.
    pub(super) fn without(&self, block: usize) -> Option<Self> {
        let of_rows = self.used.iter().flatten().zip(&self.rows);
        let kept = of_rows.filter(|(period, _)| period.block != block);
        let rows: Vec<ShrinkageRow> = kept.map(|(_, row)| row.clone()).collect();
        let fit = self.fit.on_rows(&rows, &self.columns.classes(), &classes())?;
        let kept = |of_rail: &Vec<&'a PeriodEnergies>| -> Vec<&'a PeriodEnergies> {
            of_rail.iter().filter(|period| period.block != block).copied().collect()
        };
        let (used, of_rail) = (self.used.iter().map(kept).collect(), self.of_rail.clone());
        Some(Self { columns: self.columns, fit, used, rows, of_rail })
    }

    /// A period that the regression need not have seen, as a row: noise is that of a period of this energy.
    pub(super) fn row(&self, rail: usize, period: &PeriodEnergies, energy: f64) -> ShrinkageRow {
        let (slope, mean) = self.of_rail.get(rail).copied().unwrap_or((1.0, 0.0));
        self.columns.row((rail, slope), period, noise(energy, mean))
    }
}

/// Expected noise of a period with this energy, of a rail whose periods have that mean energy.
fn noise(energy: f64, mean: f64) -> f64 {
    let (relative, of_mean, readings) = NOISE;
    (relative * energy).hypot(of_mean * mean).hypot(readings)
}

/// Periods that are at least [`SHORTEST`] long, neighbours joined: of shorter ones, stamps that are a little wrong move a large part of
/// the energy.
fn joined(periods: Vec<PeriodEnergies>) -> Vec<PeriodEnergies> {
    let mut found: Vec<PeriodEnergies> = Vec::new();
    for period in periods {
        match found.last_mut().filter(|last| last.seconds < SHORTEST) {
            Some(last) => last.join(&period),
            None => found.push(period),
        }
    }
    found
}

/// Raises the noise of periods that a fit is far from.
fn doubt_outliers(rows: &mut [ShrinkageRow], fit: &Shrinkage) {
    let off = |row: &ShrinkageRow| (row.measured - row.expected(&fit.coefficients)) / row.noise;
    let residuals: Vec<f64> = rows.iter().map(|row| off(row).abs()).collect();
    // The median of absolute residuals of normal ones is 0.6745 of their deviation.
    let sorted = order::sorted(&residuals);
    let scale = sorted.get(sorted.len() / 2).copied().unwrap_or_default() / 0.6745;
    for (row, residual) in rows.iter_mut().zip(residuals) {
        let deviations = residual / scale.max(1e-9);
        if deviations > OUTLIER {
            row.noise *= deviations / OUTLIER;
        }
    }
}

/// The energies of all periods of a rail.
fn period_energies(
    metered: &MeteredRails<'_>,
    rail: usize,
    units: &CodeUnits,
    occupancy: &Occupancy,
) -> Vec<PeriodEnergies> {
    let empty = |period: &RailPeriod| PeriodEnergies {
        window: period.window,
        seconds: period.window.duration().seconds(),
        measured: period.measured.value(),
        ..PeriodEnergies::default()
    };
    let mut found: Vec<PeriodEnergies> = metered.periods(rail).iter().map(empty).collect();
    metered.each_awake(rail, |window, at| found[at].awake += window.duration().seconds());
    let mut sums: FxHashMap<(usize, UnitId), f64> = FxHashMap::default();
    let mut clocks: FxHashMap<(usize, SourceId), f64> = FxHashMap::default();
    for track in metered.tracks_of(rail).filter_map(|track| metered.tracks.get(track)) {
        let pieces = metered.pieces(rail, track);
        let pieces = pieces
            .filter_map(|(window, (segment, piece))| Some((window, (segment.source, piece?))));
        let core = match &track.scope {
            Scope::Core(cpu) => occupancy.cores.get(cpu.index()),
            _ => None,
        };
        let Some(core) = core else {
            for (window, (_, piece)) in pieces {
                found[piece.period].shared += (piece.modelled * window.duration()).value();
            }
            continue;
        };
        walk::both(pieces, core.pieces_from(0), |window, (source, piece), (_, occupant)| {
            let joules = (piece.modelled * window.duration()).value();
            let unit = units.of(occupant.consumer()).filter(|_| !occupant.is_waking());
            match (unit, occupant.activity()) {
                (Some(unit), Activity::Busy) => {
                    *sums.entry((piece.period, unit)).or_default() += joules;
                    *clocks.entry((piece.period, source)).or_default() += joules;
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
    let mut clocks: Vec<((usize, SourceId), f64)> = clocks.into_iter().collect();
    clocks.sort_unstable_by_key(|(key, _)| *key);
    for ((period, source), joules) in clocks {
        found[period].clocks.push((source, joules));
    }
    found
}

/// Classes of coefficients: slope, idle, shared, floor, awake, units, counters, clocks.
fn classes() -> [ShrinkageClass; Columns::PER_RAIL + 3] {
    let given = |mean, deviation| ShrinkageClass { mean, deviation, learnt_from: None };
    let learnt =
        |(deviation, weight)| ShrinkageClass { mean: 0.0, deviation, learnt_from: Some(weight) };
    let (slope, floor) = (given(1.0, SLOPE), given(0.0, FLOOR));
    [slope, slope, slope, floor, floor, learnt(UNIT), given(0.0, FEATURE), learnt(CLOCK)]
}

/// The numbers of a rail as they are expected before it counted anything.
pub(crate) fn expected_numbers() -> [RailNumber; RAIL_NUMBERS] {
    let classes = classes();
    std::array::from_fn(|number| RailNumber {
        value: classes[number].mean,
        deviation: classes[number].deviation,
    })
}

/// Relative error of a number that is taken as `value`, or as the least that it can be, where the fit leaves a normal distribution
/// with this mean and deviation: how far the part of that above the least is from what is taken, over the mean of that part. A number
/// near its least is not unknown to many times itself, as its deviation over its value would say.
fn relative_error(value: f64, deviation: f64, least: f64) -> f64 {
    let (mean, above) = normal_above(value, deviation, least);
    above.hypot(mean - value.max(least)) / mean
}

/// The numbers of the rail whose columns begin here.
fn posterior(fit: &Shrinkage, first: usize) -> RailPosterior {
    let found = std::array::from_fn(|number| RailNumber {
        value: fit.coefficients.get(first + number).copied().unwrap_or_default(),
        deviation: fit.variance(first + number).sqrt(),
    });
    let below = (0..RAIL_NUMBERS).flat_map(|row| (0..row).map(move |column| (row, column)));
    let mut correlations = [0.0; RAIL_NUMBERS * (RAIL_NUMBERS - 1) / 2];
    for (correlation, (row, column)) in correlations.iter_mut().zip(below) {
        let both = found[row].deviation * found[column].deviation;
        let covariance = fit.covariance(first + row, first + column);
        *correlation = (covariance / both.max(1e-300)).clamp(-1.0, 1.0);
    }
    RailPosterior { found, correlations }
}

/// Which column is what: five of each rail, then one for each unit that has one, one for each counter, and one for each clock.
pub(super) struct Columns {
    rails: usize,
    features: Vec<[f64; 2]>,
    /// By unit: its place after the columns of rails.
    of_unit: Vec<Option<u32>>,
    count: usize,
    /// By number of a curve: its place after all others.
    of_clock: BTreeMap<SourceId, u32>,
}

impl Columns {
    const PER_RAIL: usize = RAIL_NUMBERS;

    pub(super) fn new(
        energies: &[Vec<PeriodEnergies>],
        units: &CodeUnits,
        features: Vec<[f64; 2]>,
    ) -> Self {
        let mut all = vec![0.0; units.len()];
        for (unit, joules) in energies.iter().flatten().flat_map(|period| &period.units) {
            if let Some(sum) = all.get_mut(*unit as usize) {
                *sum += joules;
            }
        }
        let least = LEAST_ENERGY * all.iter().sum::<f64>();
        let mut order: Vec<usize> = (0..all.len()).filter(|unit| all[*unit] > least).collect();
        order.sort_by(|one, other| all[*other].total_cmp(&all[*one]));
        order.truncate(MOST_UNITS);
        let mut of_unit = vec![None; units.len()];
        for (place, unit) in (0..).zip(&order) {
            of_unit[*unit] = Some(place);
        }
        let clocks = energies.iter().flatten().flat_map(|period| &period.clocks);
        let sources: BTreeSet<SourceId> = clocks.map(|(source, _)| *source).collect();
        let of_clock = sources.into_iter().zip(0..).collect();
        Self { rails: energies.len(), features, of_unit, count: order.len(), of_clock }
    }

    fn classes(&self) -> Vec<usize> {
        let of_rails = (0..self.rails * Self::PER_RAIL).map(|column| column % Self::PER_RAIL);
        let units = std::iter::repeat_n(Self::PER_RAIL, self.count);
        let features = std::iter::repeat_n(Self::PER_RAIL + 1, self.feature_count());
        let clocks = std::iter::repeat_n(Self::PER_RAIL + 2, self.of_clock.len());
        of_rails.chain(units).chain(features).chain(clocks).collect()
    }

    /// The column of a number of a curve.
    fn clock(&self, source: SourceId) -> Option<usize> {
        let place = *self.of_clock.get(&source)? as usize;
        Some(self.first_feature() + self.feature_count() + place)
    }

    /// The number of counters.
    fn feature_count(&self) -> usize {
        if self.features.is_empty() { 0 } else { 2 }
    }

    /// The column of the first counter.
    fn first_feature(&self) -> usize {
        self.rails * Self::PER_RAIL + self.count
    }

    /// The features of a unit by counters.
    fn features_of(&self, unit: UnitId) -> [f64; 2] {
        self.features.get(unit as usize).copied().unwrap_or_default()
    }

    fn rows(&self, periods: &[Vec<&PeriodEnergies>], of_rail: &[(f64, f64)]) -> Vec<ShrinkageRow> {
        let numbered = periods.iter().zip(of_rail).enumerate();
        let of_all = numbered.flat_map(|(rail, (periods, (slope, mean)))| {
            periods
                .iter()
                .map(move |period| self.row((rail, *slope), period, noise(period.measured, *mean)))
        });
        of_all.collect()
    }

    /// The row of a period of a rail, with the energy of units at this slope.
    fn row(
        &self,
        (rail, slope): (usize, f64),
        energies: &PeriodEnergies,
        noise: f64,
    ) -> ShrinkageRow {
        let first_unit = (self.rails * Self::PER_RAIL) as u32;
        let column = (Self::PER_RAIL * rail) as u32;
        let executed: f64 = energies.units.iter().map(|(_, joules)| joules).sum();
        let mut values = vec![
            (column, executed + energies.others),
            (column + 1, energies.idle),
            (column + 2, energies.shared),
            (column + 3, energies.seconds),
            (column + 4, energies.awake),
        ];
        let mut of_units: Vec<(u32, f64)> = energies
            .units
            .iter()
            .filter_map(|(unit, joules)| {
                let place = self.of_unit.get(*unit as usize).copied().flatten()?;
                Some((first_unit + place, joules * slope))
            })
            .collect();
        of_units.sort_unstable_by_key(|(column, _)| *column);
        values.extend(of_units);
        if !self.features.is_empty() {
            let mut sums = [0.0; 2];
            for (unit, joules) in &energies.units {
                let of_unit = self.features_of(*unit);
                sums[0] += joules * slope * of_unit[0];
                sums[1] += joules * slope * of_unit[1];
            }
            let first = self.first_feature() as u32;
            values.extend([(first, sums[0]), (first + 1, sums[1])]);
        }
        values.extend(
            energies
                .clocks
                .iter()
                .filter_map(|(source, joules)| Some((self.clock(*source)? as u32, joules * slope))),
        );
        ShrinkageRow { values, measured: energies.measured, noise }
    }

    fn found(&self, fit: &Shrinkage, rails: usize, units: &CodeUnits) -> RailFit {
        let value = |column: usize| fit.coefficients.get(column).copied().unwrap_or(1.0);
        let relative = |column: usize, least: f64| {
            relative_error(value(column), fit.variance(column).sqrt(), least)
        };
        let slopes = (0..rails).map(|rail| {
            let first = Self::PER_RAIL * rail;
            RailSlopes {
                active: value(first).max(LEAST),
                idle: value(first + 1).max(LEAST),
                shared: value(first + 2).max(LEAST),
                floor: value(first + 3).max(0.0),
                awake: value(first + 4).max(0.0),
                deviations: SlopeErrors {
                    idle: relative(first + 1, LEAST),
                    shared: relative(first + 2, LEAST),
                    floor: relative(first + 3, LEAST_FLOOR),
                    awake: relative(first + 4, LEAST_FLOOR),
                },
            }
        });
        let first_unit = self.rails * Self::PER_RAIL;
        let scatter = fit.deviations.get(Self::PER_RAIL).copied().unwrap_or(UNIT.0);
        let of_unit = (0..units.len()).map(|unit| {
            let place = self.of_unit.get(unit).copied().flatten();
            let own = place.map(|place| first_unit + place as usize);
            let (more, variance) = self.deviation(fit, own, unit as UnitId, scatter);
            let factor = (1.0 + more).clamp(OF_UNIT.0, OF_UNIT.1);
            (factor, variance.max(0.0).sqrt() / factor)
        });
        let clocks = self.of_clock.keys().filter_map(|source| {
            let column = self.clock(*source)?;
            Some((*source, fit.coefficients.get(column).copied()?))
        });
        let clocks = clocks.collect();
        let posteriors = (0..rails).map(|rail| posterior(fit, Self::PER_RAIL * rail)).collect();
        RailFit { rails: slopes.collect(), posteriors, units: of_unit.collect(), clocks, scatter }
    }

    /// The power of a unit beyond the mean, `d + b·z`, and its variance.
    fn deviation(
        &self,
        fit: &Shrinkage,
        own: Option<usize>,
        unit: UnitId,
        scatter: f64,
    ) -> (f64, f64) {
        let of = |column: usize| fit.coefficients.get(column).copied().unwrap_or_default();
        let (mut more, mut variance) =
            own.map_or((0.0, scatter.powi(2)), |own| (of(own), fit.variance(own)));
        if self.features.is_empty() {
            return (more, variance);
        }
        let first = self.first_feature();
        let features = self.features_of(unit);
        for (column, value) in (first..).zip(features) {
            more += value * of(column);
            variance += own.map_or(0.0, |own| 2.0 * value * fit.covariance(own, column));
            for (other, with) in (first..).zip(features) {
                variance += value * with * fit.covariance(column, other);
            }
        }
        (more, variance)
    }
}
