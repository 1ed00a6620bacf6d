//! `wakeup-storm`.

use std::collections::BTreeMap;

use wattle_timeline::{ProcessId, ThreadId};

use super::look::{Look, evidence};
use super::outcome::Outcome;
use super::wakers::Waker;
use super::wakeup_evidence::awake;
use super::{kernel_threads, people, short_sleep};
use crate::windows;
use crate::words::{figure, percent, seconds};
use crate::{Finding, FindingSeverity, Rule, Threshold};

pub(super) const RULE: Rule = Rule {
    id: "wakeup-storm",
    title: "A process, or all of them together, wake CPUs too often at idle",
    severity: FindingSeverity::Warning,
    keeps_severity: true,
    example: "Two threads that hand single bytes to each other through a pipe, 500 times a second, behind a still screen.",
    counter_example: "The same rate while the user scrolls: not idle time. A kernel thread that serves many apps: context, no culprit.",
    looks_for: "Wake-ups each second of the threads of a process, and of all processes, while nothing should happen; and who wakes \
                whom. In sched_waking or ReadyThread events, else in the scheduler's switches.",
    why: "What an idle device draws is decided by how often it is woken, more than by how much is done then: each wake-up costs \
          an exit from idle and keeps cores from their deep states.",
    remedy: "Start with the pair that wakes most often: two threads that pass small pieces to each other should pass larger ones, \
             or be one. Join timers into one with slack, batch events, and stop all of it when the app is not in front.",
    references: &[
        "PowerTOP: wake-ups each second by cause, https://github.com/fenrus75/powertop",
        "https://learn.microsoft.com/windows-hardware/test/wpt/cpu-analysis",
    ],
    thresholds: &[
        Threshold {
            name: "process-rate",
            value: 100.0,
            unit: "/s",
            meaning: "Wake-ups of one process: more often than every 10 ms, no core that serves it stays in a deep state. Ours.",
        },
        Threshold {
            name: "device-rate",
            value: 1000.0,
            unit: "/s",
            meaning: "Wake-ups of all processes together. Idle desktops that PowerTOP calls good are below 100. Ours.",
        },
        Threshold {
            name: "least-time",
            value: 1.0,
            unit: "s",
            meaning: "Idle time that there has to be for a rate to mean anything. Ours.",
        },
    ],
};

pub(super) fn find(look: &Look<'_>) -> Outcome {
    if look.wakers().is_none() && look.activity().is_none() {
        return Outcome::without("wake-ups or switches of threads");
    }
    if !look.idle_is_told {
        return Outcome::without_idle();
    }
    let idle = look.idle_seconds();
    if idle < look.threshold(&RULE, "least-time") {
        return Outcome::found(Vec::new());
    }
    let counts = counts(look);
    let mut processes: BTreeMap<Option<ProcessId>, Vec<(ThreadId, u64)>> = BTreeMap::new();
    for (thread, count) in &counts {
        let process = people::process_of(look.timeline, *thread);
        processes.entry(process).or_default().push((*thread, *count));
    }
    let mut found = Vec::new();
    for (process, threads) in &processes {
        let Some(process) = process else { continue };
        // Kernel threads serve others, and what a short sleep explains is told there.
        let is_own = |(thread, _): &&(ThreadId, u64)| {
            !kernel_threads::is_kernel(look.timeline, *thread)
                && !short_sleep::is_found(look, *thread)
        };
        let threads: Vec<(ThreadId, u64)> = threads.iter().filter(is_own).copied().collect();
        let count: u64 = threads.iter().map(|(_, count)| count).sum();
        let rate = count as f64 / idle;
        if rate < look.threshold(&RULE, "process-rate") {
            continue;
        }
        let name = people::process(look.timeline, *process);
        let title = format!(
            "{} wakes up {} times each second at idle",
            name.as_deref().unwrap_or("a process"),
            figure(rate)
        );
        let mut finding = storm(look, title, &threads, count);
        finding.who = name;
        found.push(finding);
    }
    let count: u64 = counts.iter().map(|(_, count)| count).sum();
    let rate = count as f64 / idle;
    // One cause is one finding: where single processes or threads explain it, theirs is it.
    let explained =
        found.len() + counts.iter().filter(|(it, _)| short_sleep::is_found(look, *it)).count();
    if rate >= look.threshold(&RULE, "device-rate") && look.is_device_looked_at() && explained == 0
    {
        let title =
            format!("the device's threads wake up {} times each second at idle", figure(rate));
        let mut finding = storm(look, title, &counts, count);
        let mut busiest: Vec<(String, u64)> = processes
            .iter()
            .filter_map(|(process, threads)| {
                let name = people::process(look.timeline, (*process)?)?;
                Some((name, threads.iter().map(|(_, count)| count).sum()))
            })
            .collect();
        busiest.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        let most = busiest
            .iter()
            .take(5)
            .map(|(name, count)| format!("{name} {}/s", figure(*count as f64 / idle)));
        finding
            .evidence
            .push(evidence(format!("by process: {}", most.collect::<Vec<_>>().join(", ")), None));
        found.push(finding);
    }
    Outcome::found(found)
}

/// Wake-ups of each thread at idle.
fn counts(look: &Look<'_>) -> Vec<(ThreadId, u64)> {
    let of = |thread: ThreadId| match (look.wakers(), look.activity()) {
        (Some(wakers), _) => wakers.count(thread),
        (None, Some(activity)) => {
            let wakes = activity.wakes(thread);
            wakes.iter().filter(|wake| windows::around(&look.idle, **wake).is_some()).count() as u64
        }
        (None, None) => 0,
    };
    look.threads().map(|thread| (thread, of(thread))).filter(|(_, count)| *count > 0).collect()
}

fn storm(look: &Look<'_>, title: String, threads: &[(ThreadId, u64)], count: u64) -> Finding {
    let idle = look.idle_seconds();
    let mut finding = look.finding(&RULE, FindingSeverity::Warning, title, look.idle_confidence());
    let text = format!("{count} wake-ups in {} of idle time", seconds(idle));
    finding.evidence.push(evidence(text, windows::hull(&look.idle)));
    let mut pairs: Vec<(Waker, ThreadId, u64)> = match look.wakers() {
        Some(wakers) => threads
            .iter()
            .flat_map(|(thread, _)| wakers.of(*thread).map(|(by, count)| (by, *thread, count)))
            .collect(),
        None => threads.iter().map(|(thread, count)| (Waker::Unknown, *thread, *count)).collect(),
    };
    pairs.sort_by_key(|(_, _, count)| std::cmp::Reverse(*count));
    for (by, thread, times) in pairs.iter().take(5) {
        let by = match by {
            Waker::Interrupt => "a timer or another interrupt".to_owned(),
            Waker::Thread(by) => {
                let owner = people::process_of(look.timeline, *by);
                let owner = owner.and_then(|it| people::process(look.timeline, it));
                let name = people::thread(look.timeline, *by);
                owner.map_or(name.clone(), |owner| format!("{name} of {owner}"))
            }
            Waker::Unknown => "something that was not recorded".to_owned(),
        };
        let text = format!(
            "{} is woken by {by} {} times each second ({} of these wake-ups)",
            people::thread(look.timeline, *thread),
            figure(*times as f64 / idle),
            percent(*times as f64 / count as f64)
        );
        finding.evidence.push(evidence(text, None));
    }
    finding.evidence.extend(awake(look, &look.idle));
    if let Some((_, thread, _)) = pairs.first() {
        finding.thread = Some(people::thread(look.timeline, *thread));
        finding.place = super::code_places::of_thread(look.timeline, *thread, &look.idle, true);
    }
    let of: Vec<ThreadId> = threads.iter().map(|(thread, _)| *thread).collect();
    finding.at_stake = look.stakes.threads(&of);
    finding
}
