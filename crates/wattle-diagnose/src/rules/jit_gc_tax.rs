//! `jit-gc-tax`.

use wattle_ledger::RuntimeClass;

use super::look::{Look, evidence};
use super::memory_churn;
use super::outcome::Outcome;
use super::runtime_times::{RuntimeTimes, RuntimeUse};
use crate::words::{percent, seconds};
use crate::{Confidence, Finding, FindingSeverity, Rule, Threshold};

pub(super) const RULE: Rule = Rule {
    id: "jit-gc-tax",
    title: "The runtime takes a large part of an app's CPU time",
    severity: FindingSeverity::Warning,
    keeps_severity: false,
    example: "A cold app of a build without baseline profile: half of its CPU time goes to `Jit thread pool`.",
    counter_example: "Collections that ART makes because a process went to the background (CollectorTransition): the system's decision, and no sign of garbage.",
    looks_for: "The part of an app's time on CPUs that goes to garbage collection, to compiling while it runs and to loading \
                classes: by ART's own threads, by its trace sections and by frames of sampled stacks. Collections that \
                follow from a change of a process's state are left out, and so are those that `memory-churn` reports.",
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

/// For so long after its start a process compiles much, in seconds.
const FIRST: f64 = 30.0;

const CLASSES: [RuntimeClass; 3] =
    [RuntimeClass::GarbageCollection, RuntimeClass::JitCompilation, RuntimeClass::ClassLoading];

pub(super) fn find(look: &Look<'_>) -> Outcome {
    let ledger = look.input.ledger;
    let Some(runtime) = RuntimeUse::new(ledger) else {
        return Outcome::without("time of call paths on CPUs");
    };
    let found = runtime.processes.iter();
    Outcome::found(
        found.filter_map(|(process, times)| of_process(look, &runtime, *process, times)).collect(),
    )
}

fn of_process(
    look: &Look<'_>,
    runtime: &RuntimeUse,
    process: u32,
    times: &RuntimeTimes,
) -> Option<Finding> {
    let ledger = look.input.ledger;
    // One cause is one finding.
    let is_told = memory_churn::is_found(look, process, times);
    let is_counted = |class: RuntimeClass| {
        CLASSES.contains(&class) && !(is_told && class == RuntimeClass::GarbageCollection)
    };
    let mut classes: Vec<(RuntimeClass, f64)> =
        CLASSES.into_iter().filter(|it| is_counted(*it)).map(|it| (it, times.of(it))).collect();
    classes.retain(|(_, time)| *time > 0.0);
    let taken: f64 = classes.iter().map(|(_, time)| time).sum();
    let share = taken / times.all;
    let is_large = taken > 0.0
        && taken >= look.threshold(&RULE, "least-time")
        && share >= look.threshold(&RULE, "least-share");
    let entry = ledger.rows.processes.get(process as usize)?;
    if !is_large || !look.is_looked_at(memory_churn::process_of(look, process)) {
        return None;
    }
    let severity = if share >= look.threshold(&RULE, "grave-share") {
        FindingSeverity::Warning
    } else {
        FindingSeverity::Note
    };
    let who = if entry.name.is_empty() { "a process" } else { &entry.name };
    let aside = if is_told { ", collections of garbage aside" } else { "" };
    let title = format!(
        "{who} spends {} of its CPU time on its runtime{aside}: {}",
        percent(share),
        seconds(taken)
    );
    let confidence = if look.window.duration().seconds() < FIRST {
        Confidence::medium(
            "time of ART's own threads and sections on CPUs, in a short recording: a process compiles most in its first seconds",
        )
    } else {
        Confidence::high("time of ART's own threads and sections on CPUs")
    };
    let mut finding = look.finding(&RULE, severity, title, confidence);
    classes.sort_by(|one, other| other.1.total_cmp(&one.1));
    for (class, time) in classes {
        let text = format!("{}: {} ({})", class.title(), seconds(time), percent(time / times.all));
        finding.evidence.push(evidence(text, Some(ledger.recording.window)));
    }
    finding.who = Some(who.to_owned());
    finding.at_stake = look.stakes.paths(|path| {
        memory_churn::is_of_process(ledger, path, process)
            && runtime.class_of(path).is_some_and(is_counted)
    });
    Some(finding)
}
