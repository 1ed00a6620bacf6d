//! Times of CPUs: `/proc/stat`, and what kernels count by frequency, of CPUs, apps and threads. All in ticks of 10 ms (`USER_HZ`
//! 100), given in seconds.

use std::collections::BTreeMap;

use wattle_timeline::RawScope;

use super::counter_value::{Value, number};

const TICK: f64 = 0.01;

/// `/proc/stat`: `cpu.<n>.busy` and `cpu.<n>.idle`. Guest time is part of user time.
pub(crate) fn stat(lines: &[String]) -> Vec<Value> {
    let mut values = Vec::new();
    for line in lines {
        let mut words = line.split_whitespace();
        let cpu = words.next().and_then(|word| word.strip_prefix("cpu")?.parse::<u32>().ok());
        let Some(cpu) = cpu else { continue };
        let times: Vec<f64> = words.map_while(number).take(8).collect();
        // user nice system idle iowait irq softirq steal
        let sum = |which: &[usize]| which.iter().filter_map(|i| times.get(*i)).sum::<f64>() * TICK;
        if times.len() >= 4 {
            values.push(Value::global(format!("cpu.{cpu}.busy"), sum(&[0, 1, 2, 5, 6, 7])));
            values.push(Value::global(format!("cpu.{cpu}.idle"), sum(&[3, 4])));
        }
    }
    values
}

/// `/sys/devices/system/cpu/cpu<n>/cpufreq/stats/time_in_state`: a frequency in kHz and ticks, a pair a line.
pub(crate) fn of_cpu(cpu: u32, lines: &[String]) -> Vec<Value> {
    let states = lines.iter().filter_map(|line| state(line));
    states
        .map(|(kilohertz, time)| {
            Value::global(format!("cpu.{cpu}.time_in_state.{kilohertz}"), time)
        })
        .collect()
}

fn state(line: &str) -> Option<(u64, f64)> {
    let (kilohertz, ticks) = line.trim().split_once(' ')?;
    Some((kilohertz.parse().ok()?, number(ticks.trim())? * TICK))
}

/// `/proc/<pid>/task/<tid>/time_in_state`: the same, below a line `cpu<n>` for each set of CPUs with one clock.
pub(crate) fn of_thread(tid: u32, lines: &[String]) -> Vec<Value> {
    let mut cpu = None;
    let mut values = Vec::new();
    for line in lines {
        if let Some(number) = line.trim().strip_prefix("cpu") {
            cpu = number.parse::<u32>().ok();
        } else if let (Some(cpu), Some((kilohertz, time))) = (cpu, state(line)) {
            let name = format!("cpu.{cpu}.time_in_state.{kilohertz}");
            values.push(Value::new(RawScope::Thread(tid), name, time));
        }
    }
    values
}

/// `/proc/uid_time_in_state`: a line of frequencies, then one for each uid. A frequency that several clusters have comes
/// several times: the second is `<kHz>#2`.
pub(crate) fn of_uids(lines: &[String]) -> Vec<Value> {
    let mut names: Vec<String> = Vec::new();
    let mut values = Vec::new();
    for line in lines {
        let Some((uid, rest)) = line.split_once(':') else { continue };
        if uid.trim() == "uid" {
            let mut seen: BTreeMap<&str, u32> = BTreeMap::new();
            names.clear();
            for kilohertz in rest.split_whitespace() {
                let count = seen.entry(kilohertz).or_default();
                *count += 1;
                names.push(match count {
                    1 => format!("cpu.uid.time_in_state.{kilohertz}"),
                    count => format!("cpu.uid.time_in_state.{kilohertz}#{count}"),
                });
            }
            continue;
        }
        let Ok(uid) = uid.trim().parse::<u32>() else { continue };
        for (name, ticks) in names.iter().zip(rest.split_whitespace()) {
            if let Some(ticks) = number(ticks) {
                values.push(Value::new(RawScope::Uid(uid), name.clone(), ticks * TICK));
            }
        }
    }
    values
}
