//! `idle-breaker`.

use std::collections::BTreeMap;

use wattle_timeline::{CpuTimeline, InterruptKind, NameId};
use wattle_units::{BootNanos, Nanos};

use super::look::{Look, evidence};
use super::outcome::Outcome;
use super::wakeup_evidence::awake;
use crate::windows;
use crate::words::{figure, percent, time};
use crate::{Finding, FindingSeverity, Rule, Threshold};

pub(super) const RULE: Rule = Rule {
    id: "idle-breaker",
    title: "A device's interrupts keep CPUs out of deep idle states",
    severity: FindingSeverity::Warning,
    keeps_severity: false,
    example: "A touch controller that reports 120 times each second while nobody touches: each report ends the deep idle state of a CPU.",
    counter_example: "Timers and calls between processors: they are somebody's timer or wake-up, which `short-sleep` and `wakeup-storm` count. \
                      A network card while a film is streamed: that is no idle time.",
    looks_for: "Hardware interrupts, by name, that end the idle state of a CPU tens of times each second while there should be nothing to do. \
                Timers and interrupts between processors are left aside. In irq_handler_entry beside cpu_idle.",
    why: "Into a deep idle state and out of it costs as much as milliseconds in it: with 50 interrupts a second a core stays in a shallow one, \
          and the cluster with it.",
    remedy: "Let the device gather (interrupt coalescing, a batch in a sensor's or the radio's own memory: maxReportLatency, scan windows), or \
             switch it off while nobody needs it. The name of the interrupt in the evidence says which device; whose request keeps it \
             on is in wakelocks, sensors and scans.",
    references: &[
        "https://www.kernel.org/doc/html/latest/admin-guide/pm/cpuidle.html",
        "https://source.android.com/docs/core/interaction/sensors/batching",
        "Intel, Energy-Efficient Software Guidelines: interrupts and C-states",
    ],
    thresholds: &[
        Threshold {
            name: "least-rate",
            value: 20.0,
            unit: "/s",
            meaning: "So many idle states each second, of all CPUs together, one interrupt has to end. Ours.",
        },
        Threshold {
            name: "least-share",
            value: 0.2,
            unit: "of idle states that ended",
            meaning: "The part of them that the interrupt has to end. Ours.",
        },
        Threshold {
            name: "least-idle",
            value: 2.0,
            unit: "s",
            meaning: "Less idle time has no rate. Ours.",
        },
    ],
};

/// An interrupt that comes so soon before or after an idle state ended has ended it: the kernel notes either first.
const NEAR: Nanos = Nanos::new(200_000);

/// Parts of names of interrupts that are somebody's timer or wake-up.
const OF_SOFTWARE: [&str; 6] = ["timer", "IPI", "ipi", "Rescheduling", "Function call", "hrtimer"];

pub(super) fn find(look: &Look<'_>) -> Outcome {
    let cpus = &look.timeline.cpus;
    let has_both = |cpu: &CpuTimeline| !cpu.idle.is_empty() && !cpu.interrupts.is_empty();
    if !cpus.iter().any(has_both) {
        return Outcome::without("interrupts beside idle states of CPUs");
    }
    if !look.idle_is_told {
        return Outcome::without_idle();
    }
    if !look.is_device_looked_at() || look.idle_seconds() < look.threshold(&RULE, "least-idle") {
        return Outcome::default();
    }
    let mut ends: BTreeMap<NameId, Vec<(usize, BootNanos)>> = BTreeMap::new();
    let mut all = 0_usize;
    for (index, cpu) in cpus.iter().enumerate() {
        for end in idle_ends(cpu) {
            if windows::around(&look.idle, end).is_none() {
                continue;
            }
            all += 1;
            if let Some(name) = interrupt_at(cpu, end) {
                ends.entry(name).or_default().push((index, end));
            }
        }
    }
    let found = ends.into_iter();
    Outcome::found(found.filter_map(|(name, ends)| of_interrupt(look, name, &ends, all)).collect())
}

/// The instants at which a CPU left an idle state.
fn idle_ends(cpu: &CpuTimeline) -> impl Iterator<Item = BootNanos> + '_ {
    let states = cpu.idle.iter();
    let pairs = states.clone().zip(states.skip(1));
    pairs.filter(|(one, other)| !one.1.is_active() && other.1.is_active()).map(|(_, it)| it.0)
}

/// The interrupt that came at an instant.
fn interrupt_at(cpu: &CpuTimeline, end: BootNanos) -> Option<NameId> {
    let interrupts = &cpu.interrupts;
    let first = interrupts.start.partition_point(|start| *start < end - NEAR);
    let near = (first..interrupts.len())
        .take_while(|at| interrupts.start.get(*at).is_some_and(|start| *start <= end + NEAR));
    let mut hard = near.filter(|at| interrupts.kind.get(*at) == Some(&InterruptKind::Hard));
    hard.next().and_then(|at| interrupts.name.get(at)).copied()
}

fn of_interrupt(
    look: &Look<'_>,
    name: NameId,
    ends: &[(usize, BootNanos)],
    all: usize,
) -> Option<Finding> {
    let text = look.timeline.names.get(name);
    if OF_SOFTWARE.iter().any(|it| text.contains(it)) {
        return None;
    }
    let rate = ends.len() as f64 / look.idle_seconds();
    let share = ends.len() as f64 / all as f64;
    if rate < look.threshold(&RULE, "least-rate") || share < look.threshold(&RULE, "least-share") {
        return None;
    }
    let title = format!("{text} ends {} idle states of CPUs each second at idle", figure(rate));
    let mut finding = look.finding(&RULE, FindingSeverity::Warning, title, look.idle_confidence());
    finding.who = Some(text.to_owned());
    let evidence_text = format!(
        "{} of {all} idle states that ended in {}: {}",
        ends.len(),
        time(windows::total(&look.idle)),
        percent(share)
    );
    finding.evidence.push(evidence(evidence_text, windows::hull(&look.idle)));
    finding.evidence.extend(awake(look, &look.idle));
    let mut by_cpu: BTreeMap<usize, usize> = BTreeMap::new();
    for (cpu, _) in ends {
        *by_cpu.entry(*cpu).or_default() += 1;
    }
    let mut by_cpu: Vec<(usize, usize)> = by_cpu.into_iter().collect();
    by_cpu.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    for (cpu, count) in by_cpu.iter().take(3) {
        finding.evidence.push(evidence(format!("CPU {cpu}: {count} times"), None));
    }
    Some(finding)
}
