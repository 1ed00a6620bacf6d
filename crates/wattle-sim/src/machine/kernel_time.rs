//! Times that the kernel counts for its CPUs.

use std::collections::BTreeMap;

use super::Activity;
use crate::PhoneSpec;

/// Time of one CPU by activity, in nanoseconds.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct CpuTime {
    pub user: i64,
    pub system: i64,
    pub idle: i64,
    pub irq: i64,
    pub softirq: i64,
}

/// Times since the recording began, in nanoseconds.
#[derive(Clone, Debug)]
pub(super) struct KernelTime {
    pub cpus: Vec<CpuTime>,
    /// By cluster and index into its curve: how long it was at that frequency.
    pub states: Vec<Vec<i64>>,
    /// The same of each uid's threads, while they executed.
    pub uids: BTreeMap<u32, Vec<Vec<i64>>>,
    levels: Vec<usize>,
    /// Counters that a shell has written down.
    pub polled: Option<String>,
}

impl KernelTime {
    pub fn new(spec: &PhoneSpec) -> Self {
        let levels: Vec<usize> = spec.clusters.iter().map(|cluster| cluster.curve.len()).collect();
        Self {
            cpus: vec![CpuTime::default(); spec.cpus() as usize],
            states: levels.iter().map(|count| vec![0; *count]).collect(),
            uids: BTreeMap::new(),
            levels,
            polled: None,
        }
    }

    /// A CPU did something for so long; `soft` is whether the innermost interrupt is a soft one.
    pub fn passed(&mut self, cpu: usize, activity: Activity, soft: Option<bool>, nanos: i64) {
        let cpu = &mut self.cpus[cpu];
        match (soft, activity) {
            (Some(true), _) => cpu.softirq += nanos,
            (Some(false), _) => cpu.irq += nanos,
            (None, Activity::Task(_)) => cpu.user += nanos,
            (None, Activity::Swapper { .. }) => cpu.system += nanos,
            (None, Activity::Idle { .. } | Activity::Waking { .. }) => cpu.idle += nanos,
            (None, Activity::Offline) => {}
        }
    }

    /// A thread of a uid executed.
    pub fn executed(&mut self, uid: u32, cluster: usize, level: usize, nanos: i64) {
        let levels = &self.levels;
        let states = self
            .uids
            .entry(uid)
            .or_insert_with(|| levels.iter().map(|count| vec![0; *count]).collect());
        states[cluster][level] += nanos;
    }
}
