//! The figure that Navitas shows, defects included: for comparing with what it once showed, and for nothing else.
//!
//! `Σ_cores Σ_f (ticks_exit − ticks_entry) / 3600 · I(core, f)`, shown as mAh. Ticks are 10 ms, so it is a hundred times too much;
//! between two steps of the profile only the difference above the lower one counts; cores beyond the profile's begin again with its
//! first; a counter that began anew counts backwards. Each call is rounded to two digits, and a test is the sum of the outermost
//! calls of all processes in its log. Arithmetic is that of 32-bit floats, as there.

use wattle_power::{ClockCosts, ClockStep};
use wattle_timeline::{CpuId, TimeInState};
use wattle_units::{BootNanos, Hertz};

/// The figure that Navitas calls milliampere-hours of one call, before it rounds.
pub(super) fn of_call(clocks: &[TimeInState], costs: &ClockCosts, at: BootNanos) -> f32 {
    clocks.iter().fold(0.0, |sum: f32, clock| {
        let ticks = clock.after as i64 - clock.before as i64;
        sum + (ticks as f32 / 3600.0) * current(costs, clock.cpu, clock.frequency, at)
    })
}

/// `roundWithAccuracy(2)`: Kotlin rounds ties to even.
pub(super) fn rounded(value: f32) -> f32 {
    (f64::from((value * 100.0).round_ties_even()) / 100.0) as f32
}

/// `getPowerAtSpeed`: milliamperes.
fn current(costs: &ClockCosts, cpu: CpuId, frequency: Hertz, at: BootNanos) -> f32 {
    let steps = cluster(costs, cpu);
    let milliamperes = |step: &ClockStep| costs.current(step, at).milliamperes() as f32;
    let after = steps.partition_point(|step| step.frequency < frequency);
    match (after.checked_sub(1).and_then(|i| steps.get(i)), steps.get(after)) {
        (_, Some(step)) if step.frequency == frequency => milliamperes(step),
        (Some(low), Some(high)) => {
            let kilohertz = |from: Hertz, to: Hertz| (to.value() - from.value()) as f32 / 1000.0;
            let rise = milliamperes(high) - milliamperes(low);
            rise * kilohertz(low.frequency, frequency) / kilohertz(low.frequency, high.frequency)
        }
        (Some(end), None) | (None, Some(end)) => milliamperes(end),
        (None, None) => 0.0,
    }
}

/// `getClusterWithCore`: by counting cores, again from the first after the last.
fn cluster(costs: &ClockCosts, cpu: CpuId) -> &[ClockStep] {
    let count: usize = costs.clusters.iter().map(|cluster| cluster.cpus.len()).sum();
    let mut index = cpu.index().checked_rem(count).unwrap_or(0);
    for cluster in &costs.clusters {
        match index.checked_sub(cluster.cpus.len()) {
            Some(rest) => index = rest,
            None => return &cluster.steps,
        }
    }
    &[]
}
