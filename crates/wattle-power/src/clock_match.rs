//! Models by the clocks of a recording's CPUs.

use std::collections::BTreeSet;

use wattle_timeline::{CpuId, Timeline};
use wattle_units::Hertz;

use crate::DeviceModel;
use crate::device_model::Cluster;

/// From so many clocks on a match is no coincidence. SoCs of one maker have their clocks on one grid (19.2 MHz for many of
/// Qualcomm's), so that six to nine clocks are often in the tables of several.
const MANY: usize = 12;

/// Clocks that a match needs.
const FEWEST: usize = 3;

/// The part of the recorded clocks that the tables must have: some tables leave points out.
const SHARE: (usize, usize) = (9, 10);

/// The clocks of each CPU: those that the device names, else those that were seen.
pub(crate) struct RecordedClocks {
    /// By CPU, ascending, without 0.
    by_cpu: Vec<Vec<Hertz>>,
    /// Whether they are all that the device has.
    is_complete: bool,
}

/// The match of a recording's clocks with the tables of a model. Each clock counts once a policy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ClockMatch {
    /// Recorded clocks that are in the tables.
    pub(crate) matched: usize,
    /// Recorded clocks.
    pub(crate) recorded: usize,
    /// Clocks of the tables that the device does not have; 0 where not all of its clocks are known.
    surplus: usize,
}

impl ClockMatch {
    /// Number of clocks by which both differ; less is closer.
    pub(crate) fn difference(self) -> usize {
        self.recorded - self.matched + self.surplus
    }

    /// Whether so many clocks match that it is no coincidence.
    pub(crate) fn is_sure(self) -> bool {
        self.matched >= MANY
    }
}

impl RecordedClocks {
    pub(crate) fn new(timeline: &Timeline) -> Self {
        let named = &timeline.device.cpus;
        let is_complete = named.iter().any(|cpu| !cpu.frequencies.is_empty());
        let clocks = |index: usize| {
            let clocks = if is_complete {
                named.get(index).map(|cpu| cpu.frequencies.as_slice())
            } else {
                timeline.cpus.get(index).map(|cpu| cpu.frequency.values())
            };
            let clocks: BTreeSet<Hertz> = clocks.unwrap_or_default().iter().copied().collect();
            clocks.into_iter().filter(|clock| *clock > Hertz::ZERO).collect()
        };
        let count = named.len().max(timeline.cpus.len());
        Self { by_cpu: (0..count).map(clocks).collect(), is_complete }
    }

    /// The match with a model's clusters; `None` where a CPU is in none of them, where a cluster has no clock in common, and where
    /// too many clocks differ.
    pub(crate) fn compare(&self, clusters: &[Cluster]) -> Option<ClockMatch> {
        let mut recorded = vec![BTreeSet::new(); clusters.len()];
        for (index, clocks) in self.by_cpu.iter().enumerate() {
            let cpu = CpuId(index as u32);
            let of_cpu = clusters.iter().position(|cluster| cluster.cpus.contains(&cpu))?;
            recorded[of_cpu].extend(clocks.iter().copied());
        }
        let mut found = ClockMatch { matched: 0, recorded: 0, surplus: 0 };
        for (cluster, clocks) in clusters.iter().zip(&recorded) {
            let has_clock = |clock: &&Hertz| cluster.clocks.binary_search(clock).is_ok();
            let matched = clocks.iter().filter(has_clock).count();
            if matched == 0 && !clocks.is_empty() {
                return None;
            }
            found.matched += matched;
            found.recorded += clocks.len();
            if self.is_complete {
                found.surplus += cluster.clocks.len() - matched;
            }
        }
        let is_close = found.matched * SHARE.1 >= found.recorded * SHARE.0;
        (found.matched >= FEWEST && is_close).then_some(found)
    }

    /// Why a model cannot be of these CPUs: one is in none of its policies, or a policy has none of the clocks that were recorded.
    pub(crate) fn contradiction(&self, model: &DeviceModel) -> Option<String> {
        let mut recorded = vec![false; model.policies.len()];
        let mut matched = recorded.clone();
        for (index, clocks) in self.by_cpu.iter().enumerate() {
            let Some(policy) = model.policy_of(CpuId(index as u32)) else {
                return Some(format!("CPU {index} of the recording is in none of its clusters"));
            };
            recorded[policy] |= !clocks.is_empty();
            let table: BTreeSet<Hertz> = model.policies[policy].frequencies().collect();
            matched[policy] |= clocks.iter().any(|clock| table.contains(clock));
        }
        let of_policies = recorded.into_iter().zip(matched);
        let (policy, _) = model
            .policies
            .iter()
            .zip(of_policies)
            .find(|(_, (recorded, matched))| *recorded && !matched)?;
        Some(format!("its policy {} has none of the clocks that were recorded", policy.id.0))
    }
}
