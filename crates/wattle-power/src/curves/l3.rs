//! Accesses of the L3 cache, from ARM's DSU performance counters.

use wattle_timeline::{CounterTrack, Timeline};
use wattle_units::BootNanos;

/// Accesses a nanosecond from each instant on.
#[derive(Default)]
pub(super) struct Rates {
    pub(super) times: Vec<BootNanos>,
    pub(super) values: Vec<f64>,
}

/// Rate of an event of the DSU (`l3d_cache`, `bus_access`). Counters named `…/_cpu0` hold the count of the
/// period that begins with the sample, counters named `arm_dsu_0-…` run on.
pub(super) fn rates(timeline: &Timeline, event: &str) -> Rates {
    let find = |name: String| -> Option<&CounterTrack> {
        let name = timeline.names.find(&name)?;
        timeline.system.counters.iter().find(|counter| counter.name == name)
    };
    let (counter, running) = match find(format!("arm_dsu_0/{event}/_cpu0")) {
        Some(counter) => (Some(counter), false),
        None => (find(format!("arm_dsu_0-{event}")), true),
    };
    let Some(counter) = counter else { return Rates::default() };
    let mut rates = Rates::default();
    let samples = counter.time.iter().zip(&counter.value);
    for ((time, value), (next_time, next)) in samples.clone().zip(samples.clone().skip(1)) {
        let duration = (*next_time - *time).value();
        if duration <= 0 {
            continue;
        }
        let count = if running { next - value } else { *value };
        rates.times.push(*time);
        rates.values.push((count / duration as f64).max(0.0));
    }
    if let Some(last) = counter.time.last().filter(|last| rates.times.last() < Some(last)) {
        rates.times.push(*last);
        rates.values.push(0.0);
    }
    rates
}
