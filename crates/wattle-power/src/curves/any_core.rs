//! A model of a core of which nobody knows which one it is.
//!
//! If threads are known to have run, and not on which CPU, their power is the mean of all cores of the device model: each core
//! is as likely as any other. Its interval reaches from the core with the lowest power to the one with the highest: at the clock
//! that samples of cycles show, else at any clock of the model's tables. Idle power is left out: nothing is known of idle CPUs.

use wattle_timeline::CpuId;
use wattle_units::{Hertz, Watts};

use super::curve_error_sources::widened;
use crate::{DeviceModel, Policy, PolicyId, StatePower, student};

/// A clock that exceeds the highest of a core by this part, or lies below its lowest by it, was not that core's.
const CLOCK_TOLERANCE: f64 = 0.03;

/// Largest and smallest power are at most this many standard deviations of a logarithm away: a table with a power near zero
/// would else make the interval say nothing.
const LARGEST_DEVIATION: f64 = 3.0;

/// The power of a core that executes, and of the cores that it may be.
#[derive(Clone, Copy, Debug)]
struct CoreRange {
    lowest: Watts,
    mean: Watts,
    highest: Watts,
}

impl CoreRange {
    /// The standard deviation of the logarithm with which a two-sided 90 % interval about the mean reaches both ends.
    fn deviation(self) -> f64 {
        let below = (self.mean.value() / self.lowest.value()).ln();
        let above = (self.highest.value() / self.mean.value()).ln();
        let reach = [below, above].into_iter().filter(|it| it.is_finite()).fold(0.0, f64::max);
        (reach / student::NORMAL).min(LARGEST_DEVIATION)
    }
}

/// The model with so many virtual CPUs in the place of its own, each of which is any of its cores; `is_clocked` where their
/// clocks are known. A model without CPUs is the same as it is.
pub(crate) fn any_core(model: &DeviceModel, cpus: usize, is_clocked: bool) -> DeviceModel {
    let ranges: Vec<(Hertz, CoreRange)> = if is_clocked {
        let mut clocks: Vec<Hertz> = model.policies.iter().flat_map(Policy::frequencies).collect();
        clocks.sort_unstable();
        clocks.dedup();
        clocks.into_iter().filter_map(|clock| Some((clock, at_clock(model, clock)?))).collect()
    } else {
        at_any_clock(model).into_iter().collect()
    };
    let deviation = ranges.iter().map(|(_, range)| range.deviation()).fold(0.0, f64::max);
    let points: Vec<(Hertz, StatePower)> = ranges
        .iter()
        .map(|(clock, range)| {
            let core = [range.mean, Watts::ZERO, Watts::ZERO];
            (*clock, StatePower { core, ..StatePower::default() })
        })
        .collect();
    let numbers = (0..cpus as u32).map(CpuId).collect();
    let source = format!("the mean of the cores of {}", model.name);
    let Some(policy) = Policy::new(PolicyId(0), numbers, &points, &source) else {
        return model.clone();
    };
    let mut any =
        widened(model, deviation, "the core with the lowest and the one with the highest power");
    any.policies = vec![policy];
    any.dsu = None;
    any
}

/// The cores that may run at a clock.
fn at_clock(model: &DeviceModel, clock: Hertz) -> Option<CoreRange> {
    let reaches = |policy: &&Policy| {
        let mut clocks = policy.frequencies();
        let lowest = clocks.next().map_or(0.0, |clock| clock.value() as f64);
        let highest = clocks.last().map_or(lowest, |clock| clock.value() as f64);
        let clock = clock.value() as f64;
        (lowest * (1.0 - CLOCK_TOLERANCE)..=highest * (1.0 + CLOCK_TOLERANCE)).contains(&clock)
    };
    let powers = model.policies.iter().filter(reaches).map(|policy| {
        let after = policy.rows.partition_point(|row| row.frequency < clock);
        let near = policy.rows.get(after.saturating_sub(1)..).unwrap_or_default().iter().take(2);
        let near = near.flat_map(|row| &row.cells).map(|cell| policy.power(clock, cell.on));
        let mean = policy.power(clock, policy.lowest_dependency());
        (policy.cpus.len(), mean, near.collect())
    });
    range(powers)
}

/// All cores at any clock, at the middle one in the mean.
fn at_any_clock(model: &DeviceModel) -> Option<(Hertz, CoreRange)> {
    let middle = |policy: &Policy| policy.frequencies().nth(policy.frequencies().len() / 2);
    let powers = model.policies.iter().filter_map(|policy| {
        let mean = policy.power(middle(policy)?, policy.lowest_dependency());
        let all = policy.rows.iter().flat_map(|row| &row.cells).map(|cell| cell.power);
        Some((policy.cpus.len(), mean, all.collect()))
    });
    let range = range(powers)?;
    let clock = model.policies.iter().filter_map(middle).max()?;
    Some((clock, range))
}

/// The range over clusters, each with its number of cores, its usual state and all states that it may be in. A core bears its part of
/// what its cluster draws in the mean; nothing of it at the lowest power, all of it at the highest.
fn range(
    clusters: impl Iterator<Item = (usize, StatePower, Vec<StatePower>)>,
) -> Option<CoreRange> {
    let (mut cores, mut sum) = (0.0, Watts::ZERO);
    let mut ends: Option<(Watts, Watts)> = None;
    for (count, mean, states) in clusters {
        let count = count.max(1) as f64;
        cores += count;
        sum += (mean.core[0] + mean.shared * (1.0 / count)) * count;
        for state in states.iter().chain([&mean]) {
            let (low, high) = (state.core[0], state.core[0] + state.shared);
            ends = Some(ends.map_or((low, high), |known| (known.0.min(low), known.1.max(high))));
        }
    }
    let (lowest, highest) = ends?;
    Some(CoreRange { lowest, mean: sum * (1.0 / cores), highest })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{DependsOn, library};

    /// The power of one virtual CPU at the clock, and its interval, in milliwatts.
    fn one_core(model: &DeviceModel, clock: Option<Hertz>) -> [f64; 3] {
        let any = any_core(model, 1, clock.is_some());
        let policy = &any.policies[0];
        let at = clock.or_else(|| policy.frequencies().next()).expect("a clock");
        let power = policy.power(at, DependsOn::default()).core[0].value() * 1e3;
        let shared = any.error_sizes()[0].as_ref().expect("an error").shared;
        let factor = (student::NORMAL * shared).exp();
        [power / factor, power, power * factor]
    }

    #[test]
    fn every_core_at_every_clock_is_in_the_interval() {
        let models = library().iter().filter(|model| !model.policies.is_empty());
        let mut checked = 0;
        for model in models {
            let [low, power, high] = one_core(model, None);
            assert!(power > 0.0 && power <= 8000.0 * 4.0, "{}: {power} mW", model.name);
            for policy in &model.policies {
                for clock in policy.frequencies() {
                    let state = policy.power(clock, policy.lowest_dependency());
                    let alone = state.core[0].value() * 1e3;
                    let is_in = (low * 0.999..=high * 1.001).contains(&alone);
                    // A power of nearly zero is no core that executes.
                    assert!(is_in || alone < 1.0, "{}: {alone} mW, {low}..{high}", model.name);
                    let [low, _, high] = one_core(model, Some(clock));
                    let is_in = (low * 0.999..=high * 1.001).contains(&alone);
                    assert!(is_in || alone < 1.0, "{} at {clock}: {alone} mW", model.name);
                    checked += 1;
                }
            }
        }
        assert!(checked > 300, "{checked} clocks");
    }

    #[test]
    fn a_model_without_cpus_stays_as_it_is() {
        let model = DeviceModel::named("nothing");
        assert_eq!(any_core(&model, 3, false), model);
    }
}
