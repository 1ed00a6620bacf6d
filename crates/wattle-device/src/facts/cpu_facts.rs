//! Cores and their clocks.

use std::collections::{BTreeMap, BTreeSet};

use wattle_recording::PolicyFacts;

use crate::facts::files::Files;

/// More than any phone has.
const MOST_CPUS: u32 = 1024;
const NAMES: [&str; 4] =
    ["related_cpus", "scaling_governor", "scaling_available_frequencies", "stats/time_in_state"];

/// The files that say it. Kernels since 4.2 have a folder a policy; older ones one a core, where one that is off has none.
pub(crate) fn files_command() -> String {
    let folder = "/sys/devices/system/cpu";
    let mut patterns = Vec::new();
    for name in NAMES {
        patterns.push(format!("{folder}/cpufreq/policy*/{name}"));
        patterns.push(format!("{folder}/cpu[0-9]*/cpufreq/{name}"));
    }
    Files::command(&patterns.iter().map(String::as_str).collect::<Vec<_>>())
}

/// `0-3,6` as numbers; also with blanks between them (`related_cpus`).
pub(crate) fn cpu_list(text: &str) -> Option<Vec<u32>> {
    let mut cpus = BTreeSet::new();
    for part in text.split([',', ' ', '\n', '\t']).filter(|part| !part.is_empty()) {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let (first, last): (u32, u32) = (first.parse().ok()?, last.parse().ok()?);
        if last >= MOST_CPUS {
            return None;
        }
        cpus.extend(first..=last);
    }
    (!cpus.is_empty()).then(|| cpus.into_iter().collect())
}

/// The policies, ascending. Where there is one folder a core, cores that name the same `related_cpus` are one policy.
pub(crate) fn policies(files: &Files<'_>) -> Vec<PolicyFacts> {
    let mut found: BTreeMap<Vec<u32>, PolicyFacts> = BTreeMap::new();
    for (path, content) in files.all() {
        let Some(folder) = path.strip_suffix("/related_cpus") else { continue };
        let Some(cpus) = cpu_list(content) else { continue };
        let file = |name: &str| files.get(&format!("{folder}/{name}"));
        let frequencies_khz = frequencies(file(NAMES[2]), file(NAMES[3]));
        // A policy is named by its first core.
        let policy = cpus.first().copied().unwrap_or_default();
        let facts = PolicyFacts {
            policy,
            cpus: cpus.clone(),
            frequencies_khz,
            governor: file(NAMES[1])
                .map(|name| name.trim().to_owned())
                .filter(|name| !name.is_empty()),
        };
        let known = found.entry(cpus).or_default();
        if facts.frequencies_khz.len() >= known.frequencies_khz.len() {
            *known = facts;
        }
    }
    let mut policies: Vec<PolicyFacts> = found.into_values().collect();
    policies.sort_by_key(|policy| policy.policy);
    policies
}

/// The available frequencies, in kilohertz and ascending; drivers without that file still count time by frequency.
fn frequencies(available: Option<&str>, time_in_state: Option<&str>) -> Vec<u64> {
    let numbers = |text: &str| -> BTreeSet<u64> {
        text.split_whitespace().filter_map(|word| word.parse().ok()).collect()
    };
    let first = |text: &str| -> BTreeSet<u64> {
        text.lines().filter_map(|line| line.split_whitespace().next()?.parse().ok()).collect()
    };
    let listed = available.map(numbers).unwrap_or_default();
    let found =
        if listed.is_empty() { time_in_state.map(first).unwrap_or_default() } else { listed };
    found.into_iter().collect()
}
