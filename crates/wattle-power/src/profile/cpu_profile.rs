//! The CPU's currents in a power profile, over all eras of names.
//!
//! | era | awake | any core runs | cluster | core by clock |
//! |---|---|---|---|---|
//! | to API 22 | `cpu.awake` | – | – | `cpu.speeds`, `cpu.active` (arrays, one cluster) |
//! | API 23–25 | `cpu.awake` | – | – | `cpu.clusters.cores`, `cpu.speeds.clusterN`, `cpu.active.clusterN` |
//! | API 26–34 | `cpu.idle` | `cpu.active` | `cpu.cluster_power.clusterN` | `cpu.core_speeds.clusterN`, `cpu.core_power.clusterN` |
//! | from API 35 | `cpu.idle` | `cpu.active` | `cpu.scaling_policy_power.policyN` | `cpu.scaling_step_power.policyN`, clocks from the device |
//!
//! Profiles without `cpu.suspend` have the current in suspend in `cpu.idle` and the cost of being awake in `cpu.awake`;
//! in those with it, `cpu.idle` is what being awake adds. Source: AOSP `com.android.internal.os.PowerProfile` of the
//! respective release.

use std::collections::BTreeMap;

use wattle_timeline::{CpuId, Timeline};
use wattle_units::{Amperes, Hertz, Nanos, Watts};

use super::PowerProfile;
use crate::device_model::{Cell, Row};
use crate::{
    BasePower, DependsOn, DeviceModel, ErrorSizes, FigureUnit, ModelMatch, Policy, PolicyId,
    StatePower, VoteBy,
};

/// Currents of the CPU. Additive: suspend always, awake while not suspended, active while any core
/// runs, a cluster's while any of its cores runs, a core's by its clock.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CpuProfile {
    /// Drawn always, also in suspend.
    pub suspend: Amperes,
    /// Added while not suspended.
    pub awake: Amperes,
    /// Added while any core runs.
    pub active: Amperes,
    /// The clusters, in order of their CPUs.
    pub clusters: Vec<ClusterProfile>,
}

/// Currents of one cluster.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ClusterProfile {
    /// Number of its first CPU, where the profile says it.
    pub first_cpu: Option<u32>,
    /// Number of its CPUs, where the profile says it.
    pub cores: Option<u32>,
    /// Added while any of its cores runs.
    pub power: Amperes,
    /// Clocks, in the profile's order; empty where it leaves them to the device.
    pub frequencies: Vec<Hertz>,
    /// A core's current at each clock.
    pub core: Vec<Amperes>,
}

/// Core powers of `power_profile.xml` are 0.36 to 0.73 of Wattson's on the same SoC: what the two count
/// differs, and so do specimens. Root mean square of the logarithms.
const SHARED: f64 = 0.5;
/// Within one profile the shape over clocks is better known than its height.
const OWN: f64 = 0.1;

impl CpuProfile {
    pub(super) fn new(
        items: &BTreeMap<String, f64>,
        arrays: &BTreeMap<String, Vec<f64>>,
    ) -> Option<Self> {
        let item = |name: &str| items.get(name).copied().map(Amperes::from_milliamperes);
        let array = |name: &str| -> Option<Vec<f64>> {
            arrays.get(name).cloned().or_else(|| items.get(name).map(|value| vec![*value]))
        };
        let cores = array("cpu.clusters.cores");
        let clusters = if let Some(cores) = cores {
            let cluster = |(index, cores): (usize, f64)| {
                let first =
                    |names: [&str; 2]| names.iter().find_map(|n| array(&format!("{n}{index}")));
                ClusterProfile {
                    first_cpu: None,
                    cores: Some(cores.clamp(0.0, 1024.0) as u32),
                    power: item(&format!("cpu.cluster_power.cluster{index}")).unwrap_or_default(),
                    frequencies: clocks(first(["cpu.core_speeds.cluster", "cpu.speeds.cluster"])),
                    core: currents(first(["cpu.core_power.cluster", "cpu.active.cluster"])),
                }
            };
            cores.into_iter().enumerate().take(64).map(cluster).collect()
        } else {
            Self::policies(arrays, items, &array, &item)
        };
        let mut clusters: Vec<ClusterProfile> = clusters;
        if clusters.is_empty() {
            let (speeds, active) = (array("cpu.speeds"), array("cpu.active"));
            clusters.push(ClusterProfile {
                frequencies: clocks(speeds),
                core: currents(active),
                ..ClusterProfile::default()
            });
        }
        if clusters.iter().all(|cluster| cluster.core.is_empty()) {
            return None;
        }
        let old_active = arrays.contains_key("cpu.active");
        let (suspend, awake) = match item("cpu.suspend") {
            Some(suspend) => (Some(suspend), item("cpu.idle").or_else(|| item("cpu.awake"))),
            None => (item("cpu.idle"), item("cpu.awake")),
        };
        Some(Self {
            suspend: suspend.unwrap_or_default(),
            awake: awake.unwrap_or_default(),
            active: item("cpu.active").filter(|_| !old_active).unwrap_or_default(),
            clusters,
        })
    }

    /// Names of the newest era, by cpufreq policy.
    fn policies(
        arrays: &BTreeMap<String, Vec<f64>>,
        items: &BTreeMap<String, f64>,
        array: &dyn Fn(&str) -> Option<Vec<f64>>,
        item: &dyn Fn(&str) -> Option<Amperes>,
    ) -> Vec<ClusterProfile> {
        const STEPS: &str = "cpu.scaling_step_power.policy";
        let names = arrays.keys().chain(items.keys());
        let mut policies: Vec<u32> = names
            .filter_map(|name| name.strip_prefix(STEPS)?.parse().ok())
            .filter(|policy| *policy < 1024)
            .collect();
        policies.sort_unstable();
        policies.dedup();
        let cluster = |(index, policy): (usize, &u32)| ClusterProfile {
            first_cpu: Some(*policy),
            cores: policies.get(index + 1).map(|next| next - policy),
            power: item(&format!("cpu.scaling_policy_power.policy{policy}")).unwrap_or_default(),
            frequencies: clocks(array(&format!("cpu.scaling_speeds.policy{policy}"))),
            core: currents(array(&format!("{STEPS}{policy}"))),
        };
        policies.iter().enumerate().map(cluster).collect()
    }
}

fn clocks(values: Option<Vec<f64>>) -> Vec<Hertz> {
    let khz = |value: f64| Hertz::from_kilohertz(value.clamp(0.0, 1e9) as u64);
    values.unwrap_or_default().into_iter().map(khz).collect()
}

fn currents(values: Option<Vec<f64>>) -> Vec<Amperes> {
    values.unwrap_or_default().into_iter().map(Amperes::from_milliamperes).collect()
}

impl PowerProfile {
    /// The CPU part as a device model of currents ([`FigureUnit::Current`]). The recording says what the
    /// profile leaves to the device: the number of CPUs, and the clocks of the newest era. `None` where
    /// the profile has no CPU currents, or their clocks are not known.
    pub fn device_model(&self, timeline: &Timeline) -> Option<DeviceModel> {
        let cpu = self.cpu.as_ref()?;
        let mut policies = Vec::new();
        let mut next = 0;
        for cluster in &cpu.clusters {
            let first = cluster.first_cpu.unwrap_or(next);
            let rest = (timeline.cpus.len() as u32).saturating_sub(first).max(1);
            let count = cluster.cores.unwrap_or(rest);
            next = first.saturating_add(count);
            if count == 0 || cluster.core.is_empty() {
                continue;
            }
            let facts = timeline.device.cpus.get(first as usize);
            let device = facts.map(|facts| facts.frequencies.as_slice()).unwrap_or_default();
            let clocks = match cluster.frequencies.as_slice() {
                [] if device.len() == cluster.core.len() => device,
                [] => return None,
                clocks => clocks,
            };
            let mut rows: Vec<Row> = clocks
                .iter()
                .zip(&cluster.core)
                .map(|(frequency, core)| Row {
                    frequency: *frequency,
                    cells: vec![Cell {
                        on: DependsOn::default(),
                        power: StatePower {
                            shared: at_one_volt(cluster.power),
                            core: [at_one_volt(*core), Watts::ZERO, Watts::ZERO],
                            ..StatePower::default()
                        },
                    }],
                })
                .collect();
            rows.sort_by_key(|row| row.frequency);
            rows.dedup_by_key(|row| row.frequency);
            policies.push(Policy {
                id: PolicyId(first),
                cpus: (first..next).map(CpuId).collect(),
                deep_idle_exit: vec![Nanos::ZERO; count as usize],
                vote_by: VoteBy::Power,
                source: String::new(),
                rows,
                depends: false,
                default_vote: DependsOn::default(),
            });
        }
        if policies.is_empty() {
            return None;
        }
        Some(DeviceModel {
            name: self.name.clone(),
            version: 1,
            source: self.source.clone(),
            licence: String::new(),
            matching: ModelMatch::default(),
            remarks: Vec::new(),
            unit: FigureUnit::Current,
            idle_states: vec![1],
            base: Some(BasePower {
                suspend: at_one_volt(cpu.suspend),
                awake: at_one_volt(cpu.awake),
                active: at_one_volt(cpu.active),
                floor: Watts::ZERO,
            }),
            dsu: None,
            policies,
            gpu: None,
            tpu: Vec::new(),
            figures: self.figures(),
            linear: None,
            residuals: Vec::new(),
            rails: Vec::new(),
            error: Some(profile_errors()),
        })
    }
}

/// Returns the error sizes of power profiles.
pub(crate) fn profile_errors() -> ErrorSizes {
    ErrorSizes {
        shared: SHARED,
        own: OWN,
        freedom: None,
        source: "power profiles against Wattson on Tensor: 0.36 to 0.73".to_owned(),
    }
}

fn at_one_volt(current: Amperes) -> Watts {
    current * wattle_units::Volts::new(1.0)
}
