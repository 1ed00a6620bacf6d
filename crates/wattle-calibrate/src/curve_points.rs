//! Measured clocks of clusters.

use std::collections::BTreeMap;

use wattle_power::{DeviceModel, PolicyId};
use wattle_timeline::CpuId;
use wattle_units::{Hertz, Watts};

use crate::{CalibrateError, Table};

/// The measured points of one cluster: power of one core that executes, at a clock.
#[derive(Clone, Debug, PartialEq)]
pub struct ClusterPoints {
    /// The cpufreq policy.
    pub policy: PolicyId,
    /// Its CPUs.
    pub cpus: Vec<CpuId>,
    /// Clock and power, in the file's order.
    pub points: Vec<(Hertz, Watts)>,
}

/// More CPUs than any phone has.
const MOST_CPUS: u32 = 1024;

/// Reads a table of columns `cluster` (the number of the cpufreq policy), `khz` and `mw`; with a column `cpus` (`0-3`) where
/// no existing model says which CPUs those are.
pub fn curve_points(
    table: &Table,
    known: Option<&DeviceModel>,
) -> Result<Vec<ClusterPoints>, CalibrateError> {
    let wrong = |expected: &str, found: String| CalibrateError::Request {
        what: "--curve",
        expected: expected.to_owned(),
        found,
    };
    let whole = |value: Option<f64>, what: &str| {
        let number = value.filter(|value| (0.0..=9e15).contains(value) && value.fract() == 0.0);
        number.ok_or_else(|| {
            wrong(&format!("a whole number in each row of {what}"), format!("{value:?}"))
        })
    };
    let clusters = table.numbers("cluster")?;
    let (clocks, powers) = (table.numbers("khz")?, table.numbers("mw")?);
    let has_cpus = table.columns().iter().any(|column| column == "cpus");
    let told: Vec<Option<String>> = if has_cpus {
        table.cells("cpus")?.map(|(_, cell)| Some(cell.to_owned())).collect()
    } else {
        vec![None; clusters.len()]
    };
    let mut found: BTreeMap<u32, ClusterPoints> = BTreeMap::new();
    for (((cluster, khz), power), cpus) in clusters.into_iter().zip(clocks).zip(powers).zip(told) {
        let policy = whole(cluster, "cluster")?;
        let policy = u32::try_from(policy as u64).ok().filter(|policy| *policy < MOST_CPUS);
        let policy = policy
            .ok_or_else(|| wrong("numbers of policies below 1024", format!("{cluster:?}")))?;
        let khz = whole(khz, "khz")? as u64;
        let Some(power) = power.filter(|power| *power > 0.0) else {
            return Err(wrong(
                "power above 0 in each row of mw",
                format!("{power:?} of cluster {policy} at {khz} kHz"),
            ));
        };
        let points = match found.entry(policy) {
            std::collections::btree_map::Entry::Occupied(entry) => entry.into_mut(),
            std::collections::btree_map::Entry::Vacant(entry) => {
                let id = PolicyId(policy);
                let cpus = match cpus.as_deref().filter(|cpus| !cpus.is_empty()) {
                    Some(cpus) => list(cpus)
                        .ok_or_else(|| wrong("cpus such as 0-3 or 4 6", format!("{cpus:?}")))?,
                    None => known
                        .and_then(|model| model.policies.iter().find(|known| known.id == id))
                        .map(|known| known.cpus.clone())
                        .ok_or_else(|| {
                            let expected =
                                "a column cpus (0-3), or --into a model that has this policy";
                            wrong(expected, format!("neither, for cluster {policy}"))
                        })?,
                };
                entry.insert(ClusterPoints { policy: id, cpus, points: Vec::new() })
            }
        };
        points.points.push((Hertz::from_kilohertz(khz), Watts::from_milliwatts(power)));
    }
    Ok(found.into_values().collect())
}

/// `0-3`, `4`, `4 6`.
fn list(text: &str) -> Option<Vec<CpuId>> {
    let mut cpus = Vec::new();
    for part in text.split_whitespace() {
        let (from, to) = part.split_once('-').unwrap_or((part, part));
        let (from, to): (u32, u32) = (from.parse().ok()?, to.parse().ok()?);
        if from > to || to >= MOST_CPUS {
            return None;
        }
        cpus.extend((from..=to).map(CpuId));
    }
    cpus.sort_unstable();
    cpus.dedup();
    (!cpus.is_empty()).then_some(cpus)
}
