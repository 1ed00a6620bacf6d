//! `memory-churn`.

use wattle_ledger::{Ledger, PathId, RuntimeClass};
use wattle_timeline::{ProcessId, ThreadId, Window};
use wattle_units::Nanos;

use super::activity::Activity;
use super::look::{Look, evidence};
use super::outcome::Outcome;
use super::runtime_times::{RuntimeTimes, RuntimeUse};
use super::{code_places, people};
use crate::windows;
use crate::words::{figure, percent, seconds};
use crate::{Confidence, Finding, FindingSeverity, Rule, Threshold};

pub(super) const RULE: Rule = Rule {
    id: "memory-churn",
    title: "An app makes so much garbage that collections take a part of its CPU time",
    severity: FindingSeverity::Warning,
    keeps_severity: false,
    example: "A parser that builds its result with `text += line`: each line copies all of the text before it, and the collector runs ten \
              times a second.",
    counter_example: "One collection of half a second after the app went to the background: the system's decision. A collection when an \
                      image is decoded.",
    looks_for: "Processes whose collector (HeapTaskDaemon and ART's sections of collections) takes a part of their CPU time, the \
                compiler's time left aside, in several collections; and which thread of the app ran meanwhile. In the scheduler's \
                switches.",
    why: "Collections copy and mark memory: they keep a second core busy, and the caches and the memory bus with it. The garbage cost \
         energy a first time, when it was allocated and filled.",
    remedy: "Allocate less where it runs often: StringBuilder instead of +, primitive collections instead of boxed ones, buffers and \
             bitmaps that are used again, no objects in onDraw and in loops. The allocation tracker of Android Studio and heapprofd \
             say which line allocates.",
    references: &[
        "https://developer.android.com/topic/performance/memory#reduce",
        "https://source.android.com/docs/core/runtime/gc-debug",
        "Android lint: DrawAllocation",
    ],
    thresholds: &[
        Threshold {
            name: "least-share",
            value: 0.1,
            unit: "of CPU time",
            meaning: "The collector's part of the app's CPU time without the compiler's. Less is what a collector costs. Ours.",
        },
        Threshold {
            name: "least-time",
            value: 0.1,
            unit: "s",
            meaning: "Less time of the collector is not worth a look, whatever its share. Ours.",
        },
        Threshold {
            name: "least-count",
            value: 2.0,
            unit: "collections",
            meaning: "Fewer in a row are no churn; collections that follow each other at once count as one. Ours.",
        },
        Threshold {
            name: "longest-pause",
            value: 2.0,
            unit: "s",
            meaning: "A longer pause between two collections ends a row: what collects once in twenty seconds has a large heap, not much garbage. Ours.",
        },
    ],
};

/// Pauses of the collector's thread up to this length are inside of one collection.
const WITHIN: Nanos = Nanos::new(10_000_000);
/// Whoever ran for so long before a collection made the garbage.
const BEFORE: Nanos = Nanos::new(20_000_000);

/// Beginnings of names of threads that collect (AOSP `art/runtime/gc`).
const COLLECTORS: [&str; 3] = ["HeapTaskDaemon", "Heap thread poo", "GCDaemon"];
/// Beginnings of names of ART's other threads, which allocate for nobody.
const RUNTIME: [&str; 5] =
    ["Jit thread pool", "Profile Saver", "FinalizerDaemon", "FinalizerWatchd", "ReferenceQueueD"];

pub(super) fn find(look: &Look<'_>) -> Outcome {
    let Some(runtime) = RuntimeUse::new(look.input.ledger) else {
        return Outcome::without("time of call paths on CPUs");
    };
    if look.activity().is_none() {
        return Outcome::without("switches of threads as the scheduler made them");
    }
    let found = runtime.processes.iter();
    Outcome::found(
        found.filter_map(|(process, times)| of_process(look, &runtime, *process, times)).collect(),
    )
}

/// Whether the rule is asked and reports the process of the ledger.
pub(super) fn is_found(look: &Look<'_>, process: u32, times: &RuntimeTimes) -> bool {
    look.is_on(&RULE)
        && look
            .activity()
            .is_some_and(|activity| collections(look, activity, process, times).is_some())
}

/// The process of the timeline that is one of the ledger.
pub(super) fn process_of(look: &Look<'_>, process: u32) -> Option<ProcessId> {
    let pid = look.input.ledger.rows.processes.get(process as usize)?.pid;
    let all = look.timeline.tasks.processes.iter().zip(0..);
    all.filter(|(it, _)| Some(it.pid.0) == pid).map(|(_, index)| ProcessId(index)).next()
}

/// Whether a path is of a process of the ledger.
pub(super) fn is_of_process(ledger: &Ledger, path: PathId, process: u32) -> bool {
    let entry = ledger.rows.paths.get(path.0 as usize);
    let thread = entry.and_then(|it| ledger.rows.threads.get(it.thread as usize));
    thread.is_some_and(|thread| thread.process == process)
}

/// When the collector of a process ran, where that is churn.
fn collections(
    look: &Look<'_>,
    activity: &Activity,
    process: u32,
    times: &RuntimeTimes,
) -> Option<Vec<Window>> {
    let others = times.all - times.of(RuntimeClass::JitCompilation);
    let is_large = |taken: f64| {
        taken > 0.0
            && taken >= look.threshold(&RULE, "least-time")
            && taken >= others * look.threshold(&RULE, "least-share")
    };
    let is_large_at_all = is_large(times.of(RuntimeClass::GarbageCollection));
    let process =
        process_of(look, process).filter(|it| is_large_at_all && look.is_looked_at(Some(*it)))?;
    let collectors =
        threads(look, process, |name| COLLECTORS.iter().any(|it| name.starts_with(it)));
    let runs = collectors.iter().flat_map(|it| activity.runs(*it));
    let near = runs.map(|run| Window::new(run.window.start, run.window.end + WITHIN));
    let mut found = windows::union(near.collect());
    for window in &mut found {
        window.end = window.end - WITHIN;
    }
    let pause = look.threshold(&RULE, "longest-pause");
    let rows = found.chunk_by(|one, other| (other.start - one.end).seconds() <= pause);
    let rows = rows.filter(|row| row.len() as f64 >= look.threshold(&RULE, "least-count"));
    let found: Vec<Window> = rows.flatten().copied().collect();
    let taken: f64 = collectors.iter().map(|it| activity.cpu(*it, &found).seconds()).sum();
    (!found.is_empty() && is_large(taken)).then_some(found)
}

/// Threads of a process with such a name.
fn threads(look: &Look<'_>, process: ProcessId, is_meant: impl Fn(&str) -> bool) -> Vec<ThreadId> {
    let names = &look.timeline.names;
    let all = (0..).zip(&look.timeline.tasks.threads).skip(1);
    let own = all.filter(|(_, facts)| facts.process == Some(process));
    own.filter(|(_, facts)| is_meant(facts.name.map_or("", |name| names.get(name))))
        .map(|(index, _)| ThreadId(index))
        .collect()
}

fn of_process(
    look: &Look<'_>,
    runtime: &RuntimeUse,
    process: u32,
    times: &RuntimeTimes,
) -> Option<Finding> {
    let activity = look.activity()?;
    let found = collections(look, activity, process, times)?;
    let known = process_of(look, process)?;
    let who = people::process(look.timeline, known);
    let taken = times.of(RuntimeClass::GarbageCollection);
    let title = format!(
        "{} spends {} of its CPU time on {} collections of garbage: {}",
        who.as_deref().unwrap_or("an app"),
        percent(taken / times.all.max(taken)),
        found.len(),
        seconds(taken)
    );
    let around = found.iter().map(|it| Window::new(it.start - BEFORE, it.end)).collect();
    let around = windows::union(around);
    let others = threads(look, known, |name| {
        !COLLECTORS.iter().chain(&RUNTIME).any(|it| name.starts_with(it))
    });
    let mut ran: Vec<(ThreadId, f64)> = others
        .into_iter()
        .map(|thread| (thread, activity.cpu(thread, &around).seconds()))
        .filter(|(_, cpu)| *cpu > 0.0)
        .collect();
    ran.sort_by(|one, other| other.1.total_cmp(&one.1));
    let all: f64 = ran.iter().map(|(_, cpu)| cpu).sum();
    let is_one = ran.first().is_some_and(|(_, cpu)| *cpu >= all * 0.5);
    let confidence = if is_one {
        Confidence::high(
            "time of the collector on CPUs, and one thread of the app that ran meanwhile",
        )
    } else {
        Confidence::medium("time of the collector on CPUs; which thread allocates is not clear")
    };
    let mut finding = look.finding(&RULE, FindingSeverity::Warning, title, confidence);
    let own = times.all - times.of(RuntimeClass::JitCompilation);
    if own < times.all {
        let text =
            format!("{} of its CPU time without the compiler's", percent(taken / own.max(taken)));
        finding.evidence.push(evidence(text, None));
    }
    let whole =
        found.first().zip(found.last()).map(|(one, other)| Window::new(one.start, other.end));
    let length = whole.map_or(0.0, |it| it.duration().seconds());
    let text = format!(
        "{} collections in {}, {} each second, {} on a CPU each",
        found.len(),
        seconds(length),
        figure(found.len() as f64 / length.max(1e-9)),
        seconds(taken / found.len() as f64)
    );
    finding.evidence.push(evidence(text, whole));
    for (thread, cpu) in ran.iter().take(3) {
        let text = format!(
            "{} ran for {} just before and during them ({} of the app's time then)",
            people::thread(look.timeline, *thread),
            seconds(*cpu),
            percent(cpu / all)
        );
        finding.evidence.push(evidence(text, None));
    }
    if let Some((thread, _)) = ran.first().filter(|_| is_one) {
        finding.thread = Some(people::thread(look.timeline, *thread));
        finding.place = code_places::of_thread(look.timeline, *thread, &around, false);
    }
    finding.who = who;
    let ledger = look.input.ledger;
    finding.at_stake = look.stakes.paths(|path| {
        is_of_process(ledger, path, process)
            && runtime.class_of(path) == Some(RuntimeClass::GarbageCollection)
    });
    Some(finding)
}
