//! `light-work-on-big-cores`.

use std::collections::BTreeMap;

use wattle_timeline::{ProcessId, ThreadId, Timeline};

use super::activity::Activity;
use super::look::{Look, evidence};
use super::outcome::Outcome;
use super::{code_places, people, stakes};
use crate::words::{percent, seconds};
use crate::{Confidence, Finding, FindingSeverity, Rule, Threshold};

pub(super) const RULE: Rule = Rule {
    id: "light-work-on-big-cores",
    title: "Work in the background that fits the little cores runs on big ones",
    severity: FindingSeverity::Note,
    keeps_severity: false,
    example: "A sync on a thread of normal priority while the app shows nothing: 4 s on the prime core in a minute, where a little core would \
              have needed a seventh of its time.",
    counter_example: "The main thread and the render thread of the app in front; an encoder that keeps a big core busy; a phone whose cores \
                      are all alike.",
    looks_for: "Apps that show nothing, whose threads are mostly on cores that are not the smallest, though the little cores could do all of it \
                at their capacity. In the scheduler's switches; sizes of cores by the kernel's capacities, else by their highest clocks.",
    why: "A big core takes two to five times the energy of a little one for the same work, and brings its cluster out of its idle state.",
    remedy: "Give such threads background priority (Process.setThreadPriority(THREAD_PRIORITY_BACKGROUND)), which puts them into the background \
             group of the little cores; use the executors of WorkManager; PerformanceHintManager.Session.setPreferPowerEfficiency for \
             threads of a session. Native threads: setpriority of 10 or more.",
    references: &[
        "https://developer.android.com/reference/android/os/Process#THREAD_PRIORITY_BACKGROUND",
        "https://developer.android.com/reference/android/os/PerformanceHintManager.Session#setPreferPowerEfficiency(boolean)",
        "https://docs.kernel.org/scheduler/sched-energy.html",
    ],
    thresholds: &[
        Threshold {
            name: "least-big",
            value: 2.0,
            unit: "s on big cores",
            meaning: "Less is not worth a change. Ours.",
        },
        Threshold {
            name: "least-use",
            value: 0.04,
            unit: "of one core",
            meaning: "The same over all of the recording: less hardly shows on the battery. Ours.",
        },
        Threshold {
            name: "least-share",
            value: 0.6,
            unit: "of its CPU time",
            meaning: "The part that is on big cores. Ours.",
        },
        Threshold {
            name: "most-use",
            value: 0.5,
            unit: "of a little core",
            meaning: "What each thread's work would take of a little core, over all of the recording. Ours.",
        },
        Threshold {
            name: "least-ratio",
            value: 1.5,
            unit: "× the smallest",
            meaning: "A core with so many times the capacity of the smallest ones is big. Ours.",
        },
        Threshold {
            name: "most-drawing",
            value: 0.5,
            unit: "/s",
            meaning: "From so many wake-ups each second of the threads that draw on, the app shows something. Ours.",
        },
        Threshold {
            name: "least-recording",
            value: 10.0,
            unit: "s",
            meaning: "Shorter recordings say nothing about the background. Ours.",
        },
    ],
};

/// Capacities of CPUs against the smallest one; `None` where they are unknown or all alike.
fn ratios(timeline: &Timeline, least: f64) -> Option<Vec<f64>> {
    if timeline.has_virtual_cpus() {
        return None;
    }
    let facts = &timeline.device.cpus;
    let count = timeline.cpus.len();
    let capacities: Option<Vec<f64>> =
        (0..count).map(|cpu| facts.get(cpu)?.capacity.map(f64::from)).collect();
    let clock = |cpu: usize| {
        let known = facts.get(cpu).and_then(|it| it.frequencies.last()).copied();
        let seen = || timeline.cpus.get(cpu)?.frequency.values().iter().max().copied();
        known.or_else(seen).map(|hertz| hertz.value() as f64)
    };
    let capacities = capacities.or_else(|| (0..count).map(clock).collect())?;
    let smallest = capacities.iter().copied().fold(f64::INFINITY, f64::min);
    let largest = capacities.iter().copied().fold(0.0, f64::max);
    (smallest > 0.0 && largest >= smallest * least)
        .then(|| capacities.into_iter().map(|it| it / smallest).collect())
}

/// Time of a thread on each kind of core, in seconds.
#[derive(Clone, Copy, Default)]
struct Placed {
    all: f64,
    big: f64,
    /// The time that a little core would need.
    little: f64,
}

pub(super) fn find(look: &Look<'_>) -> Outcome {
    let Some(activity) = look.activity() else {
        return Outcome::without("switches of threads as the scheduler made them");
    };
    let least = look.threshold(&RULE, "least-ratio");
    let Some(ratios) = ratios(look.timeline, least) else {
        return Outcome::without("sizes of cores that differ");
    };
    if look.window.duration().seconds() < look.threshold(&RULE, "least-recording") {
        return Outcome::default();
    }
    let mut threads: BTreeMap<ThreadId, Placed> = BTreeMap::new();
    for (cpu, ratio) in look.timeline.cpus.iter().zip(&ratios) {
        for slice in cpu.sched.iter().filter(|slice| !slice.thread.is_idle()) {
            let time = slice.window.intersect(look.window).duration().seconds();
            let placed = threads.entry(slice.thread).or_default();
            placed.all += time;
            placed.little += time * ratio;
            if *ratio >= least {
                placed.big += time;
            }
        }
    }
    let mut processes: BTreeMap<ProcessId, Vec<(ThreadId, Placed)>> = BTreeMap::new();
    for thread in look.threads() {
        if let (Some(process), Some(placed)) =
            (people::process_of(look.timeline, thread), threads.get(&thread))
            && people::is_app(look.timeline, process)
        {
            processes.entry(process).or_default().push((thread, *placed));
        }
    }
    let found = processes.into_iter();
    Outcome::found(
        found
            .filter(|(process, _)| !shows_something(look, activity, *process))
            .filter_map(|(process, threads)| of_process(look, process, threads))
            .collect(),
    )
}

/// Whether a thread that draws for the app, or its main thread, wakes up more often than now and then.
fn shows_something(look: &Look<'_>, activity: &Activity, process: ProcessId) -> bool {
    let names = &look.timeline.names;
    let most = look.threshold(&RULE, "most-drawing") * look.window.duration().seconds();
    let all = (0..).map(ThreadId).zip(&look.timeline.tasks.threads);
    all.filter(|(_, facts)| facts.process == Some(process)).any(|(thread, facts)| {
        let name = facts.name.map_or("", |name| names.get(name));
        let renders = name.starts_with("RenderThread") || name.starts_with("GLThread");
        let wakes = activity.wakes(thread);
        (renders || facts.is_main)
            && wakes.iter().filter(|wake| look.window.contains(**wake)).count() as f64 > most
    })
}

fn of_process(
    look: &Look<'_>,
    process: ProcessId,
    mut threads: Vec<(ThreadId, Placed)>,
) -> Option<Finding> {
    let length = look.window.duration().seconds();
    let sum = |part: fn(&Placed) -> f64| -> f64 { threads.iter().map(|(_, it)| part(it)).sum() };
    let (all, big) = (sum(|it| it.all), sum(|it| it.big));
    let little = threads.iter().map(|(_, it)| it.little).fold(0.0, f64::max);
    let is_placed_wrong = big > 0.0
        && big >= look.threshold(&RULE, "least-big")
        && big >= length * look.threshold(&RULE, "least-use")
        && big >= all * look.threshold(&RULE, "least-share")
        && little <= length * look.threshold(&RULE, "most-use");
    if !is_placed_wrong {
        return None;
    }
    threads.sort_by(|one, other| other.1.big.total_cmp(&one.1.big));
    let who = people::process(look.timeline, process);
    let title = format!(
        "{} shows nothing and ran on big cores for {} of its {}",
        who.as_deref().unwrap_or("an app"),
        seconds(big),
        seconds(all)
    );
    let confidence = Confidence::medium(
        "the scheduler's own events and sizes of cores; whether somebody waited for the work is not recorded",
    );
    let mut finding = look.finding(&RULE, FindingSeverity::Note, title, confidence);
    let text = format!(
        "{} of its CPU time; its busiest thread would take {} of a little core",
        percent(big / all),
        percent(little / length)
    );
    finding.evidence.push(evidence(text, Some(look.window)));
    for (thread, placed) in threads.iter().filter(|(_, it)| it.big > 0.0).take(4) {
        let name = people::thread(look.timeline, *thread);
        let text =
            format!("{name}: {} on big cores of {}", seconds(placed.big), seconds(placed.all));
        finding.evidence.push(evidence(text, None));
    }
    let worst = threads.first().map(|(thread, _)| *thread)?;
    finding.thread = Some(people::thread(look.timeline, worst));
    finding.place = code_places::of_thread(look.timeline, worst, &[look.window], false);
    finding.who = who;
    let ids: Vec<ThreadId> = threads.iter().map(|(thread, _)| *thread).collect();
    finding.at_stake = look.stakes.whole(&ids).map(|energy| stakes::part(energy, big / all));
    Some(finding)
}
