//! `jni-crossings`.

use std::collections::BTreeMap;

use wattle_ledger::{Ledger, PathEntry};

use super::look::{Look, evidence};
use super::memory_churn;
use super::outcome::Outcome;
use crate::words::{percent, seconds};
use crate::{CodePlace, Confidence, Finding, FindingSeverity, Rule, Threshold};

pub(super) const RULE: Rule = Rule {
    id: "jni-crossings",
    title: "Calls between Java and native code cost more than what they do",
    severity: FindingSeverity::Warning,
    keeps_severity: false,
    example: "A native parser that asks Java for each character (`CallCharMethod` in a loop): a third of the thread's time goes into crossing.",
    counter_example: "One call that hands over an array and computes for milliseconds: the crossing itself is under a microsecond.",
    looks_for: "Sampled stacks that end in the code with which ART crosses between Java and native code (the JNI trampolines, JniMethodStart and \
                JniMethodEnd, the functions of JNIEnv and what they call inside of libart), as a part of a process's CPU time.",
    why: "A crossing changes the thread's state, wraps references into handles, copies strings and arrays, and cannot be inlined: 20 to 500 ns \
          each, which is nothing for a call that works and all of the cost of one that does not.",
    remedy: "Cross rarely with much: hand over arrays and direct buffers in place of single values, keep loops on one side, cache classes, \
             method and field ids. Mark short native methods @FastNative or @CriticalNative.",
    references: &[
        "https://developer.android.com/training/articles/perf-jni",
        "https://developer.android.com/ndk/guides/jni-tips",
        "https://source.android.com/docs/core/runtime/improvements#faster-native-calls",
    ],
    thresholds: &[
        Threshold {
            name: "least-share",
            value: 0.1,
            unit: "of CPU time",
            meaning: "The part of a process's CPU time that goes into crossings. Ours.",
        },
        Threshold {
            name: "least-time",
            value: 0.1,
            unit: "s",
            meaning: "Less is not worth a change. Ours.",
        },
    ],
};

/// Parts of names of functions with which ART crosses (AOSP `art/runtime`: `entrypoints/quick`, `jni`), as simpleperf and perf show them.
const CROSSINGS: [&str; 14] = [
    "art_quick_generic_jni_trampoline",
    "artQuickGenericJni",
    "art_jni_dlsym_lookup",
    "art_jni_trampoline",
    "JniMethodStart",
    "JniMethodEnd",
    "JniMethodFastStart",
    "JniMethodFastEnd",
    "art::JNI<",
    "art::JNI::",
    "art::JNIImpl",
    "art::(anonymous namespace)::CheckJNI",
    "art::JNIEnvExt::",
    "_JNIEnv::",
];

/// Parts of names of ART's functions below which Java code runs: what is inside of it is no crossing.
const RUNS_JAVA: [&str; 4] = ["art::interpreter::", "nterp_", "NterpEntry", "ExecuteNterp"];

/// The part of a path in a crossing.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    /// Outside.
    Other,
    /// It crosses, or is a function of the runtime that a crossing calls. The path of the first of them.
    Crossing(u32),
}

pub(super) fn find(look: &Look<'_>) -> Outcome {
    let ledger = look.input.ledger;
    if ledger.rows.frames.is_empty() || ledger.rows.paths.iter().all(|it| it.frame.is_none()) {
        return Outcome::without("sampled stacks");
    }
    let parts = parts(ledger);
    let mut processes: BTreeMap<u32, (f64, BTreeMap<u32, f64>)> = BTreeMap::new();
    for (path, part) in ledger.rows.paths.iter().zip(&parts) {
        let Some(thread) = ledger.rows.threads.get(path.thread as usize) else { continue };
        let (all, crossings) = processes.entry(thread.process).or_default();
        *all += path.self_cpu.seconds();
        if let Part::Crossing(first) = part {
            *crossings.entry(*first).or_default() += path.self_cpu.seconds();
        }
    }
    let found = processes.into_iter();
    Outcome::found(
        found
            .filter_map(|(process, (all, crossings))| {
                of_process(look, &parts, process, (all, &crossings))
            })
            .collect(),
    )
}

/// The function and the file of a sampled path.
fn function<'a>(ledger: &'a Ledger, path: &PathEntry) -> Option<(&'a str, &'a str)> {
    let frame = ledger.rows.frames.get(path.frame? as usize)?;
    Some((frame.function.as_deref()?, frame.mapping.as_deref().unwrap_or_default()))
}

fn parts(ledger: &Ledger) -> Vec<Part> {
    let mut parts: Vec<Part> = Vec::with_capacity(ledger.rows.paths.len());
    for (index, path) in (0..).zip(&ledger.rows.paths) {
        let around = path.caller.and_then(|it| parts.get(it.0 as usize)).copied();
        let part = match (function(ledger, path), around) {
            (Some((name, _)), _) if RUNS_JAVA.iter().any(|it| name.contains(it)) => Part::Other,
            (_, Some(part @ Part::Crossing(_))) if is_of_runtime(ledger, path) => part,
            (Some((name, _)), _) if CROSSINGS.iter().any(|it| name.contains(it)) => {
                Part::Crossing(index)
            }
            _ => Part::Other,
        };
        parts.push(part);
    }
    parts
}

fn is_of_runtime(ledger: &Ledger, path: &PathEntry) -> bool {
    function(ledger, path).is_some_and(|(_, file)| {
        file.rsplit('/').next().is_some_and(|name| name.starts_with("libart"))
    })
}

fn of_process(
    look: &Look<'_>,
    parts: &[Part],
    process: u32,
    (all, crossings): (f64, &BTreeMap<u32, f64>),
) -> Option<Finding> {
    let ledger = look.input.ledger;
    let taken: f64 = crossings.values().sum();
    let is_much = taken > 0.0
        && taken >= look.threshold(&RULE, "least-time")
        && taken >= all * look.threshold(&RULE, "least-share");
    if !is_much || !look.is_looked_at(memory_churn::process_of(look, process)) {
        return None;
    }
    let name = &ledger.rows.processes.get(process as usize)?.name;
    let who = if name.is_empty() { "a process" } else { name };
    let title = format!(
        "{who} spends {} of its CPU time on calls between Java and native code: {}",
        percent(taken / all),
        seconds(taken)
    );
    let confidence = Confidence::high("sampled stacks that end in ART's own code for such calls");
    let mut finding = look.finding(&RULE, FindingSeverity::Warning, title, confidence);
    let mut callers: Vec<(u32, f64)> =
        crossings.iter().map(|(path, time)| (*path, *time)).collect();
    callers.sort_by(|one, other| other.1.total_cmp(&one.1));
    for (path, time) in callers.iter().take(4) {
        let entry = ledger.rows.paths.get(*path as usize)?;
        let crossing = function(ledger, entry).map_or("", |(name, _)| name);
        let from = caller(ledger, entry).map_or("unknown code", |caller| caller.name.as_str());
        let text = format!("{crossing} from {from}: {}", seconds(*time));
        finding.evidence.push(evidence(text, Some(ledger.recording.window)));
    }
    finding.place = callers.first().and_then(|(path, _)| place(ledger, *path));
    finding.who = Some(who.to_owned());
    finding.at_stake = look.stakes.paths(|path| {
        memory_churn::is_of_process(ledger, path, process)
            && matches!(parts.get(path.0 as usize), Some(Part::Crossing(_)))
    });
    Some(finding)
}

fn caller<'a>(ledger: &'a Ledger, path: &PathEntry) -> Option<&'a PathEntry> {
    let caller = ledger.rows.paths.get(path.caller?.0 as usize)?;
    (!caller.name.is_empty()).then_some(caller)
}

/// The code that crosses.
fn place(ledger: &Ledger, crossing: u32) -> Option<CodePlace> {
    let caller = caller(ledger, ledger.rows.paths.get(crossing as usize)?)?;
    let frame = caller.frame.and_then(|frame| ledger.rows.frames.get(frame as usize));
    Some(CodePlace {
        function: caller.name.clone(),
        file: frame.and_then(|frame| frame.file.clone()),
        line: frame.and_then(|frame| frame.line),
        stack: Vec::new(),
    })
}
