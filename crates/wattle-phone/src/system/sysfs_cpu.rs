//! `/sys/devices/system/cpu`.

use wattle_sim::PhoneSpec;

use super::{Change, MadeUp};
use crate::core::Core;

const FOLDER: &str = "/sys/devices/system/cpu";

/// The first CPU of each cluster, which is its policy's number, with the others.
fn policies(spec: &PhoneSpec) -> Vec<(u32, Vec<u32>, Vec<u64>)> {
    let mut first = 0;
    let mut policies = Vec::new();
    for cluster in &spec.clusters {
        let cpus = (first..first + cluster.cores).collect();
        let kilohertz = cluster.curve.iter().map(|point| point.frequency.kilohertz()).collect();
        policies.push((first, cpus, kilohertz));
        first += cluster.cores;
    }
    policies
}

pub(super) fn files(spec: &PhoneSpec) -> Vec<MadeUp> {
    let mut files = Vec::new();
    let mut add = |path: String, change| files.push(MadeUp { path, change });
    for name in ["possible", "present", "online"] {
        add(format!("{FOLDER}/{name}"), Change::Never);
    }
    for (policy, cpus, _) in policies(spec) {
        let mut folders = vec![format!("{FOLDER}/cpufreq/policy{policy}")];
        folders.extend(cpus.iter().map(|cpu| format!("{FOLDER}/cpu{cpu}/cpufreq")));
        for folder in folders {
            for name in [
                "related_cpus",
                "affected_cpus",
                "scaling_available_frequencies",
                "scaling_governor",
                "scaling_min_freq",
                "scaling_max_freq",
                "cpuinfo_min_freq",
                "cpuinfo_max_freq",
            ] {
                add(format!("{folder}/{name}"), Change::Never);
            }
            add(format!("{folder}/scaling_cur_freq"), Change::Seldom);
            add(format!("{folder}/stats/time_in_state"), Change::Often);
        }
    }
    files
}

pub(super) fn content(core: &Core, path: &str) -> Option<String> {
    let name = path.strip_prefix(FOLDER)?.strip_prefix('/')?;
    let spec = &core.options.hardware;
    if ["possible", "present", "online"].contains(&name) {
        let last = spec.cpus().saturating_sub(1);
        return Some(if last == 0 { "0\n".to_owned() } else { format!("0-{last}\n") });
    }
    let (folder, name) = if let Some(rest) = name.strip_prefix("cpufreq/policy") {
        rest.split_once('/')?
    } else {
        let (cpu, rest) = name.strip_prefix("cpu")?.split_once('/')?;
        (cpu, rest.strip_prefix("cpufreq/")?)
    };
    let number: u32 = folder.parse().ok()?;
    let all = policies(spec);
    let (_, cpus, kilohertz) = all.iter().find(|(_, cpus, _)| cpus.contains(&number))?;
    let join = |numbers: Vec<String>| numbers.join(" ");
    let text = match name {
        "related_cpus" | "affected_cpus" => join(cpus.iter().map(u32::to_string).collect()),
        // With a space behind the last, as the kernel prints it.
        "scaling_available_frequencies" => {
            join(kilohertz.iter().map(u64::to_string).collect()) + " "
        }
        "scaling_governor" => "schedutil".to_owned(),
        "scaling_min_freq" | "cpuinfo_min_freq" | "scaling_cur_freq" => {
            kilohertz.first()?.to_string()
        }
        "scaling_max_freq" | "cpuinfo_max_freq" => kilohertz.last()?.to_string(),
        "stats/time_in_state" => return Some(time_in_state(core, kilohertz)),
        _ => return None,
    };
    Some(text + "\n")
}

/// Hundredths of a second at each frequency: at the highest while a thread ran, at the lowest else. What the governor
/// did in between only the replayed trace knows.
fn time_in_state(core: &Core, kilohertz: &[u64]) -> String {
    let up = core.clock.boot().value().max(0) as u64 / 10_000_000;
    let cpus = u64::from(core.options.hardware.cpus().max(1));
    let busy = core.journal.counters(core.clock.boot()).busy / 10_000_000 / cpus;
    let last = kilohertz.len().saturating_sub(1);
    kilohertz
        .iter()
        .enumerate()
        .map(|(index, kilohertz)| {
            let time = match index {
                0 if last == 0 => up,
                0 => up.saturating_sub(busy),
                _ if index == last => busy,
                _ => 0,
            };
            format!("{kilohertz} {time}\n")
        })
        .collect()
}

/// `/proc/uid_time_in_state`: hundredths of a second by uid and frequency of all policies.
pub(super) fn uid_time_in_state(core: &Core) -> String {
    let all = policies(&core.options.hardware);
    let frequencies: Vec<u64> =
        all.iter().flat_map(|(_, _, kilohertz)| kilohertz.iter().copied()).collect();
    let list = |numbers: Vec<String>| numbers.join(" ");
    let head = list(frequencies.iter().map(u64::to_string).collect());
    let mut text = format!("uid: {head}\n");
    for (uid, busy) in core.journal.counters(core.clock.boot()).busy_by_uid {
        let mut times = vec!["0".to_owned(); frequencies.len()];
        if let Some(last) = times.last_mut() {
            *last = (busy / 10_000_000).to_string();
        }
        text += &format!("{uid}: {}\n", list(times));
    }
    text
}
