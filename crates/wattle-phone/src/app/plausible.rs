//! Something for an app to do that nobody has written a script for.

use std::time::Duration;

use wattle_sim::SplitMix64;

use super::probe_numbers::{ProbeNumbers, Probed};
use crate::workload::Step;

/// A plausible launcher activity: some work, some storage access, a request, frames.
pub(crate) fn launch_steps(package: &str, map: Option<&ProbeNumbers>, seed: u64) -> Vec<Step> {
    let mut random = SplitMix64::new(seed).fork(name_number(package));
    let mut steps = vec![Step::Storage { read: 1_800_000, write: 0 }];
    steps.extend(calls(map, package, &mut random, 6));
    for _ in 0..20 {
        steps.push(Step::Busy(micros(random.between(1500.0, 6000.0))));
        steps.push(Step::sleep(11));
    }
    steps
}

/// A plausible test: it arranges, acts and asserts, for some tenths of a second.
pub(crate) fn test_steps(
    class: &str,
    method: &str,
    map: Option<&ProbeNumbers>,
    seed: u64,
) -> Vec<Step> {
    let mut random = SplitMix64::new(seed).fork(name_number(&format!("{class}#{method}")));
    let package = class.rsplit_once('.').map_or(class, |(package, _)| package);
    let count = 3 + random.below(4) as usize;
    let body = calls(map, package, &mut random, count);
    vec![Step::busy(2), Step::call(&format!("{class}.{method}"), body), Step::busy(1)]
}

/// Calls of the app's own methods, some within others.
fn calls(
    map: Option<&ProbeNumbers>,
    package: &str,
    random: &mut SplitMix64,
    count: usize,
) -> Vec<Step> {
    (0..count).map(|_| call(map, package, random, 0)).collect()
}

fn call(map: Option<&ProbeNumbers>, package: &str, random: &mut SplitMix64, depth: u32) -> Step {
    let probed = map
        .filter(|map| !map.methods.is_empty())
        .and_then(|map| map.methods.get(random.below(map.methods.len() as u64) as usize));
    let mut body = vec![Step::Busy(micros(random.between(1000.0, 14_000.0)))];
    match random.below(5) {
        0 => body.push(low_level(probed, "java.io.InputStream.read", transfer(random))),
        1 => body.push(low_level(probed, "java.io.FileOutputStream.write", access(random))),
        2 if depth < 3 => {
            body.push(call(map, package, random, depth + 1));
            body.push(call(map, package, random, depth + 1));
        }
        _ => body.push(Step::Sleep(micros(random.between(500.0, 9000.0)))),
    }
    body.push(Step::Busy(micros(random.between(300.0, 4000.0))));
    let name = match probed {
        Some(probed) => format!("{}.{}", probed.class, probed.method),
        None => format!("{package}.Worker.step{}", random.below(9)),
    };
    Step::Call { method: name, body }
}

/// A framework call around what it does: one that the method has a probe for, if any.
fn low_level(probed: Option<&Probed>, otherwise: &str, step: Step) -> Step {
    let own = probed.and_then(|probed| probed.calls.first()).map(|(name, ..)| name.as_str());
    Step::api(own.unwrap_or(otherwise), vec![step])
}

fn transfer(random: &mut SplitMix64) -> Step {
    Step::Network { rx: 4_000 + random.below(400_000), tx: 300 + random.below(4_000) }
}

fn access(random: &mut SplitMix64) -> Step {
    Step::Storage { read: random.below(300_000), write: 4_096 + random.below(200_000) }
}

fn micros(micros: f64) -> Duration {
    Duration::from_secs_f64(micros * 1e-6)
}

/// FNV-1a of a name, so that each does something else and always the same.
fn name_number(name: &str) -> u64 {
    name.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}
