//! Which CPUs share a clock, where only the recording says it.

use wattle_timeline::{CpuId, Timeline};
use wattle_units::Hertz;

use crate::DeviceModel;
use crate::device_model::Cluster;

/// Properties by which two CPUs are compared: number of cores and highest clock of each cluster, slowest first.
pub(crate) struct Topology {
    clusters: Vec<(usize, Hertz)>,
}

/// CPUs in order, cut wherever two neighbours differ in the clocks that the device names, or that were seen, or in
/// capacity; with the highest clock of each.
fn clusters(timeline: &Timeline) -> Vec<(Vec<CpuId>, Hertz)> {
    let mut clusters: Vec<(Vec<CpuId>, Hertz)> = Vec::new();
    let mut last: Option<(Vec<Hertz>, u32)> = None;
    let facts = &timeline.device.cpus;
    for index in 0..timeline.cpus.len().max(facts.len()) {
        let cpu = CpuId(index as u32);
        let named = facts.get(index).map(|f| f.frequencies.clone()).unwrap_or_default();
        let clocks = if named.is_empty() {
            let seen = timeline.cpus.get(cpu.index()).map(|c| c.frequency.values());
            let mut seen = seen.unwrap_or_default().to_vec();
            seen.sort_unstable();
            seen.dedup();
            seen
        } else {
            named
        };
        let capacity = facts.get(index).and_then(|f| f.capacity).unwrap_or_default();
        let highest = clocks.last().copied().unwrap_or_default();
        let key = (clocks, capacity);
        match clusters.last_mut() {
            Some(cluster) if last.as_ref() == Some(&key) => cluster.0.push(cpu),
            _ => clusters.push((vec![cpu], highest)),
        }
        last = Some(key);
    }
    clusters
}

/// The CPUs of each policy, by its number: those of the model where it has any, else what the recording shows.
pub(crate) fn policies(timeline: &Timeline, model: Option<&DeviceModel>) -> Vec<(u32, Vec<CpuId>)> {
    let of_model = model.map(|model| model.policies.as_slice()).unwrap_or_default();
    if !of_model.is_empty() {
        return of_model.iter().map(|policy| (policy.id.0, policy.cpus.clone())).collect();
    }
    let clusters = clusters(timeline).into_iter();
    clusters.filter_map(|(cpus, _)| Some((cpus.first()?.0, cpus))).collect()
}

impl Topology {
    pub(crate) fn of_model(clusters: &[Cluster]) -> Self {
        let cluster = |cluster: &Cluster| {
            (cluster.cpus.len(), cluster.clocks.last().copied().unwrap_or_default())
        };
        let mut clusters: Vec<_> = clusters.iter().map(cluster).collect();
        clusters.sort_by_key(|(_, clock)| *clock);
        Self { clusters }
    }

    /// That of most phones, where nothing is known: eight cores.
    pub(crate) fn usual() -> Self {
        Self { clusters: vec![(4, Hertz::ZERO), (4, Hertz::ZERO)] }
    }

    /// CPUs of one cluster share the frequencies that were seen or that the device names.
    pub(crate) fn of_recording(timeline: &Timeline) -> Self {
        let clusters = clusters(timeline).into_iter();
        let mut clusters: Vec<_> = clusters.map(|(cpus, clock)| (cpus.len(), clock)).collect();
        clusters.sort_by_key(|(_, clock)| *clock);
        Self { clusters }
    }

    /// Returns the dissimilarity of two; 0 for the same.
    pub(crate) fn distance(&self, other: &Self) -> f64 {
        let cores = |t: &Self| t.clusters.iter().map(|(cores, _)| cores).sum::<usize>() as f64;
        let pairs = self.clusters.iter().rev().zip(other.clusters.iter().rev());
        let clocks: f64 = pairs
            .filter(|((_, a), (_, b))| *a > Hertz::ZERO && *b > Hertz::ZERO)
            .map(|((_, a), (_, b))| (a.value() as f64 / b.value() as f64).ln().abs())
            .sum();
        let counts = self.clusters.len().abs_diff(other.clusters.len()) as f64;
        clocks + 0.2 * counts + (cores(self) / cores(other)).ln().abs() * 2.0
    }
}
