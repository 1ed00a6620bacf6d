//! `busy-wait`.

use wattle_timeline::{ThreadId, Window};
use wattle_units::{BootNanos, Nanos};

use super::activity::{Activity, RunEnd};
use super::look::{Look, evidence};
use super::outcome::Outcome;
use super::{code_places, kernel_threads, people};
use crate::windows;
use crate::words::{percent, time};
use crate::{Finding, FindingSeverity, Rule, Threshold};

pub(super) const RULE: Rule = Rule {
    id: "busy-wait",
    title: "A thread stays on a CPU at idle without ever sleeping",
    severity: FindingSeverity::Warning,
    keeps_severity: false,
    example: "`while (!done) Thread.yield();` in a loader thread: one core is busy for three seconds while the screen shows a still picture.",
    counter_example: "A decoder that works for three seconds and blocks in between on its input: it sleeps, so it does not spin. Give the time in which nothing should happen with `--idle`.",
    looks_for: "Stretches of time, inside of what should be idle, in which a thread wants a CPU all along: it is preempted or \
                yields (sched_yield, Sleep(0), SwitchToThread), but does not sleep, or sleeps for a moment only. In the \
                scheduler's switches.",
    why: "A core that runs cannot enter any idle state: it draws its active power, and mostly at a high frequency, because the \
          governor sees full load. One spinning thread also keeps its cluster, the caches and the memory controller awake.",
    remedy: "Wait for the event itself: a condition variable, a futex, a blocking read, epoll or a waitable handle instead of \
             asking in a loop. If it is real work, do it when the user asks for it, in pieces that let the core sleep, or when \
             the device charges.",
    references: &[
        "Intel, Power Auto Analysis (2014): busy waits and short sleeps at idle are the defects to look for",
        "https://www.kernel.org/doc/html/latest/admin-guide/pm/cpuidle.html",
        "https://learn.microsoft.com/windows-hardware/test/wpt/cpu-analysis",
    ],
    thresholds: &[
        Threshold {
            name: "least-time",
            value: 0.5,
            unit: "s on a CPU",
            meaning: "A stretch without sleep counts from this time on CPUs on: half a second is thirty frames, longer than one \
                      reaction to anything. Ours.",
        },
        Threshold {
            name: "least-use",
            value: 0.95,
            unit: "of the stretch",
            meaning: "The part of the stretch in which it wanted a CPU. Ours.",
        },
        Threshold {
            name: "longest-sleep",
            value: 0.2,
            unit: "ms",
            meaning: "Sleeps up to this length do not end a stretch: shorter ones than any deep idle state pays for (residencies \
                      of phones' and PCs' deep states begin at some 0.1 to 3 ms).",
        },
        Threshold {
            name: "endless",
            value: 0.5,
            unit: "of idle time",
            meaning: "From this part of all idle time on it is an error: it does not stop by itself. Ours.",
        },
    ],
};

/// A stretch without sleep.
#[derive(Clone, Copy, Debug)]
struct Spell {
    window: Window,
    cpu: Nanos,
    wanted: Nanos,
    yields: u64,
}

pub(super) fn find(look: &Look<'_>) -> Outcome {
    let Some(activity) = look.activity() else {
        return Outcome::without("switches of threads as the scheduler made them");
    };
    if !look.idle_is_told {
        return Outcome::without_idle();
    }
    let threads =
        look.threads().filter(|thread| !kernel_threads::is_kernel(look.timeline, *thread));
    let found = threads.filter_map(|thread| of_thread(look, activity, thread));
    Outcome::found(found.collect())
}

fn of_thread(look: &Look<'_>, activity: &Activity, thread: ThreadId) -> Option<Finding> {
    let least = look.threshold(&RULE, "least-time");
    let least_use = look.threshold(&RULE, "least-use");
    let longest_sleep = Nanos::from_seconds(look.threshold(&RULE, "longest-sleep") * 1e-3);
    let mut spells = spells(look, activity, thread, longest_sleep);
    spells.retain(|spell| {
        let wanted = spell.wanted.seconds() / spell.window.duration().seconds();
        spell.cpu.seconds() >= least && wanted >= least_use
    });
    let longest = *spells.iter().max_by_key(|spell| spell.cpu)?;
    let cpu: Nanos = spells.iter().map(|spell| spell.cpu).sum();
    let idle = look.idle_seconds();
    let share = cpu.seconds() / idle;
    let severity = if share >= look.threshold(&RULE, "endless") {
        FindingSeverity::Error
    } else {
        FindingSeverity::Warning
    };
    let name = people::thread(look.timeline, thread);
    let title = format!(
        "{name} was on a CPU for {} at idle without sleeping ({} of the idle time)",
        time(cpu),
        percent(share)
    );
    let mut finding = look.finding(&RULE, severity, title, look.idle_confidence());
    spells.sort_by_key(|spell| std::cmp::Reverse(spell.cpu));
    for spell in spells.iter().take(3) {
        let use_of_core = spell.cpu.seconds() / spell.window.duration().seconds();
        let text = format!(
            "{} without a sleep: {} on a CPU ({}), left it {} times and wanted to go on",
            time(spell.window.duration()),
            time(spell.cpu),
            percent(use_of_core),
            spell.yields
        );
        finding.evidence.push(evidence(text, Some(spell.window)));
    }
    finding.who =
        people::process_of(look.timeline, thread).and_then(|it| people::process(look.timeline, it));
    finding.thread = Some(name);
    finding.place = code_places::of_thread(look.timeline, thread, &[longest.window], false);
    let all = activity.cpu(thread, &look.idle).seconds();
    finding.at_stake =
        look.stakes.threads_for(&[thread], if all > 0.0 { cpu.seconds() / all } else { 0.0 });
    Some(finding)
}

/// Stretches inside of idle time without a sleep longer than a length.
fn spells(
    look: &Look<'_>,
    activity: &Activity,
    thread: ThreadId,
    longest_sleep: Nanos,
) -> Vec<Spell> {
    let mut found: Vec<Spell> = Vec::new();
    let mut last: Option<(BootNanos, RunEnd, usize)> = None;
    for run in activity.runs(thread) {
        let first = look.idle.partition_point(|window| window.end <= run.window.start);
        let idle = look.idle.get(first..).unwrap_or_default().iter();
        for (index, window) in (first..).zip(idle.take_while(|it| it.start < run.window.end)) {
            let run_in = run.window.intersect(*window);
            let goes_on = last.filter(|(end, how, of)| {
                *of == index
                    && match how {
                        RunEnd::Runnable => true,
                        RunEnd::Sleep => run_in.start - *end <= longest_sleep,
                        RunEnd::Unknown => *end == run_in.start,
                    }
            });
            match (goes_on, found.last_mut()) {
                (Some((end, how, _)), Some(spell)) => {
                    if how == RunEnd::Runnable {
                        spell.wanted += run_in.start - end;
                        spell.yields += 1;
                    }
                    spell.window.end = run_in.end;
                    spell.cpu += run_in.duration();
                    spell.wanted += run_in.duration();
                }
                _ => found.push(Spell {
                    window: run_in,
                    cpu: run_in.duration(),
                    wanted: run_in.duration(),
                    yields: 0,
                }),
            }
            last = Some((run_in.end, run.end, index));
        }
    }
    debug_assert!(
        found.iter().all(|it| windows::inside(&look.idle, it.window) == it.window.duration())
    );
    found
}
