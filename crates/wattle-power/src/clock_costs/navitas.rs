//! The profile that Navitas takes where the user names none.
//!
//! Figures of `PowerProfileManager.kt` of the Navitas plugin (MIT licence): "values taken from some device", in milliamperes.

use wattle_timeline::CpuId;
use wattle_units::{Hertz, Watts};

use super::{ClockStep, ClusterCosts};

/// Kilohertz and milliamperes of the first four cores.
const FIRST: [(u64, f64); 8] = [
    (400_000, 45.21),
    (691_200, 53.6),
    (806_400, 58.13),
    (1_017_600, 69.04),
    (1_190_400, 93.88),
    (1_305_600, 101.37),
    (1_382_400, 105.93),
    (1_401_600, 109.05),
];

/// The same of the other four.
const SECOND: [(u64, f64); 13] = [
    (400_000, 77.22),
    (883_200, 110.86),
    (940_800, 118.68),
    (998_400, 122.8),
    (1_056_000, 127.32),
    (1_113_600, 133.2),
    (1_190_400, 144.33),
    (1_248_000, 159.41),
    (1_305_600, 164.03),
    (1_382_400, 172.87),
    (1_612_800, 232.71),
    (1_747_200, 258.17),
    (1_804_800, 275.35),
];

/// Its clusters, as power at one volt.
pub(super) fn clusters() -> Vec<ClusterCosts> {
    let cluster = |first: u32, table: &[(u64, f64)]| ClusterCosts {
        cpus: (first..first + 4).map(CpuId).collect(),
        steps: table
            .iter()
            .map(|(kilohertz, milliamperes)| ClockStep {
                frequency: Hertz::from_kilohertz(*kilohertz),
                core: Watts::new(milliamperes * 1e-3),
                shared: Watts::ZERO,
            })
            .collect(),
    };
    vec![cluster(0, &FIRST), cluster(4, &SECOND)]
}
