//! `jit-gc-tax`.

use std::collections::BTreeMap;

use wattle_ledger::{PathId, RuntimeClass, RuntimeTax};

use super::look::{Look, evidence};
use super::outcome::Outcome;
use super::words::{percent, seconds};
use crate::{Finding, FindingSeverity, Rule, Threshold};

pub(super) const RULE: Rule = Rule {
    id: "jit-gc-tax",
    title: "The runtime takes a large part of an app's CPU time",
    severity: FindingSeverity::Warning,
    looks_for: "The part of an app's time on CPUs that goes to garbage collection, to compiling while it runs and to loading \
                classes: by ART's own threads, by its trace sections and by frames of sampled stacks.",
    why: "None of it is the app's own work: compiled ahead of time, and with less garbage, the same app does the same with less.",
    remedy: "Ship a baseline profile, so that hot code is compiled at installation; allocate less where it runs often (boxing, \
             iterators, strings, onDraw); reuse bitmaps and buffers; load fewer classes at the start.",
    references: &[
        "https://developer.android.com/topic/performance/baselineprofiles/overview",
        "Android lint: DrawAllocation",
    ],
    thresholds: &[
        Threshold {
            name: "least-share",
            value: 0.1,
            unit: "of CPU time",
            meaning: "Less is what a runtime costs. Ours.",
        },
        Threshold {
            name: "grave-share",
            value: 0.25,
            unit: "of CPU time",
            meaning: "From here on it is a warning, not a note. Ours.",
        },
        Threshold {
            name: "least-time",
            value: 0.2,
            unit: "s",
            meaning: "Less time is not worth a look, whatever the share. Ours.",
        },
    ],
};

const CLASSES: [RuntimeClass; 3] =
    [RuntimeClass::GarbageCollection, RuntimeClass::JitCompilation, RuntimeClass::ClassLoading];

pub(super) fn find(look: &Look<'_>) -> Outcome {
    let ledger = look.input.ledger;
    let has_time = ledger.rows.paths.iter().any(|path| path.self_cpu.value() > 0);
    if !has_time {
        return Outcome::without("time of call paths on CPUs");
    }
    let tax = RuntimeTax::from_ledger(ledger);
    // By process: all its time, and by class.
    let mut times: BTreeMap<u32, (f64, BTreeMap<RuntimeClass, f64>)> = BTreeMap::new();
    for (index, path) in (0..).zip(&ledger.rows.paths) {
        let Some(thread) = ledger.rows.threads.get(path.thread as usize) else { continue };
        let sums = times.entry(thread.process).or_default();
        let own = path.self_cpu.seconds();
        sums.0 += own;
        if let Some(class) = tax.class_of(PathId(index)).filter(|class| CLASSES.contains(class)) {
            *sums.1.entry(class).or_default() += own;
        }
    }
    let found = times.into_iter();
    Outcome::found(
        found.filter_map(|(process, sums)| of_process(look, &tax, process, &sums)).collect(),
    )
}

fn of_process(
    look: &Look<'_>,
    tax: &RuntimeTax,
    process: u32,
    (all, by_class): &(f64, BTreeMap<RuntimeClass, f64>),
) -> Option<Finding> {
    let ledger = look.input.ledger;
    let taken: f64 = by_class.values().sum();
    let share = taken / all;
    let is_large = taken > 0.0
        && taken >= look.threshold(&RULE, "least-time")
        && share >= look.threshold(&RULE, "least-share");
    let entry = ledger.rows.processes.get(process as usize)?;
    if !is_large {
        return None;
    }
    let known =
        look.timeline.tasks.processes.iter().zip(0..).find(|(it, _)| Some(it.pid.0) == entry.pid);
    let known = known.map(|(_, index)| wattle_timeline::ProcessId(index));
    if !look.is_looked_at(known) {
        return None;
    }
    let severity = if share >= look.threshold(&RULE, "grave-share") {
        FindingSeverity::Warning
    } else {
        FindingSeverity::Note
    };
    let who = if entry.name.is_empty() { "a process" } else { &entry.name };
    let title = format!(
        "{who} spends {} of its CPU time on its runtime: {}",
        percent(share),
        seconds(taken)
    );
    let mut finding = look.finding(&RULE, severity, title);
    let mut classes: Vec<_> = by_class.iter().collect();
    classes.sort_by(|one, other| other.1.total_cmp(one.1));
    for (class, time) in classes {
        let text = format!("{}: {} ({})", class.title(), seconds(*time), percent(time / all));
        finding.evidence.push(evidence(text, Some(ledger.recording.window)));
    }
    finding.who = Some(who.to_owned());
    finding.at_stake = look.stakes.paths(|path| {
        let of = ledger
            .rows
            .paths
            .get(path.0 as usize)
            .and_then(|it| ledger.rows.threads.get(it.thread as usize));
        of.is_some_and(|thread| thread.process == process)
            && tax.class_of(path).is_some_and(|class| CLASSES.contains(&class))
    });
    Some(finding)
}
