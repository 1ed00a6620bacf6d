//! Rates of each unit of code by hardware counters.
//!
//! Counters are read where threads are switched, so one interval between two readings of a CPU can hold several methods. What each of
//! them contributes is found as the rates under which all intervals are most likely: `r_u ← r_u · Σ_i (t_iu · c_i / Σ_v t_iv r_v) /
//! Σ_i t_iu` for counts `c_i` and times `t_iu`, which is expectation maximisation for Poisson counts (Shepp and Vardi, *Maximum
//! likelihood reconstruction for emission tomography*, 1982). Rates stay above zero, and every count is given to somebody.

use rustc_hash::FxHashMap;
use wattle_timeline::{CounterTrack, CpuId, Timeline, Window};

use super::code_units::{CodeUnits, UnitId};
use crate::attribution::occupancy::{Activity, CoreOccupancy, Occupancy};
use crate::attribution::{core_counters, walk, work};

/// Rounds after which rates hardly change.
const ROUNDS: usize = 12;
/// A unit with less than this part of all cycles is not described.
const LEAST_SHARE: f64 = 1e-4;

/// Rates of one unit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct UnitRates {
    /// Instructions for each cycle.
    pub(crate) instructions: f64,
    /// Cache misses for each cycle.
    pub(crate) misses: f64,
    /// Cycles for each nanosecond.
    pub(crate) clock: f64,
}

/// Rates by unit; `None` for one that was not counted.
#[derive(Debug, Default)]
pub(crate) struct UnitCounters {
    pub(crate) of_unit: Vec<Option<UnitRates>>,
    /// Misses in a nanosecond over all units.
    mean_misses: f64,
}

/// One interval between two readings of a CPU's counters.
#[derive(Debug, Default)]
struct Counted {
    /// Time of each unit, in nanoseconds.
    times: Vec<(UnitId, f64)>,
    /// Cycles, instructions, misses.
    counts: [f64; 3],
}

impl UnitCounters {
    /// From the counters of all CPUs; `None` where a recording does not hold cycles, instructions and misses.
    pub(crate) fn new(
        timeline: &Timeline,
        units: &CodeUnits,
        occupancy: &Occupancy,
    ) -> Option<Self> {
        let mut counted = Vec::new();
        for (cpu, core) in (0..).map(CpuId).zip(&occupancy.cores) {
            if let Some(counters) = core_counters::of_core(timeline, cpu) {
                counted_on(core, units, counters, &mut counted);
            }
        }
        if counted.is_empty() {
            return None;
        }
        let times = times(&counted, units.len());
        let [cycles, instructions, misses] =
            [0, 1, 2].map(|counter| contributions(&counted, &times, counter));
        let all: f64 = cycles.iter().sum();
        let of_unit = (0..units.len()).map(|unit| {
            let is_known = cycles[unit] > all * LEAST_SHARE && times[unit] > 0.0;
            is_known.then(|| UnitRates {
                instructions: instructions[unit] / cycles[unit],
                misses: misses[unit] / cycles[unit],
                clock: cycles[unit] / times[unit],
            })
        });
        let time: f64 = times.iter().sum();
        let mean_misses = misses.iter().sum::<f64>() / time.max(1.0);
        Some(Self { of_unit: of_unit.collect(), mean_misses })
    }

    /// The same of the mean code, for units that were not counted.
    pub(crate) fn mean_misses_in_time(&self) -> f64 {
        self.mean_misses
    }

    /// The use of memory by a unit beside others in the same time: its misses in a nanosecond.
    pub(crate) fn misses_in_time(&self, unit: UnitId) -> Option<f64> {
        let rates = self.of_unit.get(unit as usize).copied().flatten()?;
        Some(rates.misses * rates.clock)
    }
}

/// The intervals of one CPU.
fn counted_on(
    core: &CoreOccupancy,
    units: &CodeUnits,
    [cycles, instructions, misses]: [&CounterTrack; 3],
    counted: &mut Vec<Counted>,
) {
    let readings = cycles.time.len().min(instructions.time.len()).min(misses.time.len());
    let first = counted.len();
    let mut windows = Vec::with_capacity(readings);
    for (at, after) in (0..readings).zip(1..readings) {
        let window = Window { start: cycles.time[at], end: cycles.time[after] };
        let rise = |track: &CounterTrack| track.value[after] - track.value[at];
        let counts = [rise(cycles), rise(instructions), rise(misses)];
        let is_sound = !window.is_empty() && counts.iter().all(|count| *count >= 0.0);
        if is_sound {
            windows.push((window, counted.len()));
            counted.push(Counted { times: Vec::new(), counts });
        }
    }
    walk::both(windows, core.pieces_from(0), |window, interval, (_, occupant)| {
        if occupant.activity() != Activity::Busy {
            return;
        }
        let Some(unit) = units.of(occupant.consumer()) else { return };
        let time = window.duration().value() as f64;
        let times = &mut counted[interval].times;
        match times.iter_mut().find(|(known, _)| *known == unit) {
            Some((_, sum)) => *sum += time,
            None => times.push((unit, time)),
        }
    });
    let mut at = first;
    counted.retain(|interval| {
        at += 1;
        at <= first || !interval.times.is_empty()
    });
}

/// By unit the time in all intervals, in nanoseconds.
fn times(counted: &[Counted], units: usize) -> Vec<f64> {
    let mut times = vec![0.0; units];
    for (unit, time) in counted.iter().flat_map(|it| &it.times) {
        times[*unit as usize] += time;
    }
    times
}

/// The contribution of each unit to a counter.
fn contributions(counted: &[Counted], times: &[f64], counter: usize) -> Vec<f64> {
    let mut rates = vec![1.0; times.len()];
    let mut given = vec![0.0; times.len()];
    for _ in 0..ROUNDS {
        given.fill(0.0);
        for interval in counted {
            work::count();
            let weight = |(unit, time): &(UnitId, f64)| time * rates[*unit as usize];
            let all: f64 = interval.times.iter().map(weight).sum();
            if all > 0.0 {
                for part in &interval.times {
                    given[part.0 as usize] += interval.counts[counter] * weight(part) / all;
                }
            }
        }
        for ((rate, given), time) in rates.iter_mut().zip(&given).zip(times) {
            *rate = if *time > 0.0 { given / time } else { 0.0 };
        }
    }
    given
}

/// Logarithms of rates as features: mean 0 and standard deviation 1 over the units that were counted, 0 for others.
pub(crate) fn features(counters: &UnitCounters) -> Vec<[f64; 2]> {
    let known: FxHashMap<usize, [f64; 2]> = counters
        .of_unit
        .iter()
        .enumerate()
        .filter_map(|(unit, rates)| {
            let rates = (*rates)?;
            let values = [rates.instructions.max(1e-4).ln(), rates.misses.max(1e-7).ln()];
            Some((unit, values))
        })
        .collect();
    let count = known.len().max(1) as f64;
    let [first, second] = [0, 1].map(|feature| {
        let mean = known.values().map(|it| it[feature]).sum::<f64>() / count;
        let square = known.values().map(|it| (it[feature] - mean).powi(2)).sum::<f64>() / count;
        (mean, square.sqrt().max(1e-6))
    });
    let standard = |value: f64, (mean, deviation): (f64, f64)| (value - mean) / deviation;
    (0..counters.of_unit.len())
        .map(|unit| match known.get(&unit) {
            // Beyond some deviations a logarithm says more of few counts than of code.
            Some([one, two]) => {
                [standard(*one, first).clamp(-2.5, 2.5), standard(*two, second).clamp(-2.5, 2.5)]
            }
            None => [0.0, 0.0],
        })
        .collect()
}
