//! `short-sleep`.

use wattle_timeline::{ThreadId, Window};

use super::activity::Activity;
use super::look::{Look, evidence};
use super::outcome::Outcome;
use super::regular_wakes::RegularWakes;
use super::{code_places, kernel_threads, people};
use crate::windows;
use crate::words::{figure, percent, seconds, time};
use crate::{Finding, FindingSeverity, Rule, Threshold};

pub(super) const RULE: Rule = Rule {
    id: "short-sleep",
    title: "A thread wakes up again and again after a short sleep",
    severity: FindingSeverity::Warning,
    keeps_severity: true,
    example: "`while (running) { poll(); Thread.sleep(5); }`: 200 wake-ups each second for a flag that changes once a minute.",
    counter_example: "SurfaceFlinger's dispatcher, which wakes every 16.7 ms while an animation is on the screen: somebody asked for the frames, so this is no idle time; and a thread that another one wakes, which is the cause.",
    looks_for: "Threads that come to a CPU after a sleep at a regular, short period while nothing should happen: loops around \
                Sleep(5), usleep, poll with a short timeout, Handler.postDelayed, timers of a few milliseconds. In the \
                scheduler's switches. Threads that another thread wakes are left aside: that one is the cause.",
    why: "Each wake-up costs the exit from an idle state and the way back, and the governor picks a shallow state where it \
          expects the next one soon: at 5 ms a core hardly reaches deep idle, whatever little the thread does.",
    remedy: "Wait for the event instead of asking whether it has come. Where a period is needed, make it as long as the purpose \
             allows (seconds, not milliseconds), give timers slack so that they fire together (timerfd with coarse times, \
             SetWaitableTimerEx or SetCoalescableTimer, prctl PR_SET_TIMERSLACK), and stop them in the background.",
    references: &[
        "Intel, Power Auto Analysis (2014): events about every 5 ms in one thread at idle",
        "https://learn.microsoft.com/windows/win32/api/synchapi/nf-synchapi-setwaitabletimerex",
        "Android lint ShortAlarm is the same of alarms",
    ],
    thresholds: &[
        Threshold {
            name: "longest-period",
            value: 20.0,
            unit: "ms",
            meaning: "Longer periods are none: it is about the target residency of a cluster's deepest state, doubled. Ours.",
        },
        Threshold {
            name: "least-share",
            value: 0.8,
            unit: "of wake-ups",
            meaning: "The part of the wake-ups in a stretch that come one period after the one before, give or take `tolerance`. \
                      Ours.",
        },
        Threshold {
            name: "tolerance",
            value: 0.15,
            unit: "of the period",
            meaning: "How far from the period a wake-up may be. Timers are exact to some 50 µs; the rest is work and load. Ours.",
        },
        Threshold {
            name: "least-count",
            value: 50.0,
            unit: "wake-ups",
            meaning: "Fewer are no loop that goes on at idle. Ours.",
        },
        Threshold {
            name: "least-time",
            value: 0.25,
            unit: "s",
            meaning: "How long the loop has to go on. Ours.",
        },
        Threshold {
            name: "woken-by-one",
            value: 0.7,
            unit: "of wake-ups",
            meaning: "From this part on that one other thread makes, the wake-ups are that thread's. Ours.",
        },
    ],
};

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

/// Whether the rule has a finding on a thread.
pub(super) fn is_found(look: &Look<'_>, thread: ThreadId) -> bool {
    let Some(activity) = look.activity().filter(|_| look.is_on(&RULE)) else { return false };
    of_thread(look, activity, thread).is_some()
}

fn of_thread(look: &Look<'_>, activity: &Activity, thread: ThreadId) -> Option<Finding> {
    let wakes = activity.wakes(thread);
    let least_count = look.threshold(&RULE, "least-count") as usize;
    if wakes.len() < least_count {
        return None;
    }
    let mut loops = Vec::new();
    for idle in &look.idle {
        let first = wakes.partition_point(|wake| *wake < idle.start);
        let end = wakes.partition_point(|wake| *wake < idle.end);
        let inside = wakes.get(first..end).unwrap_or_default();
        loops.extend(RegularWakes::of(look, &RULE, least_count as f64, inside));
    }
    let best = *loops.iter().max_by_key(|it| it.wakes)?;
    let by_one = look.threshold(&RULE, "woken-by-one");
    if look.wakers().is_some_and(|wakers| wakers.main_thread(thread, by_one).is_some()) {
        return None;
    }
    let length: f64 = loops.iter().map(|it| it.window.duration().seconds()).sum();
    let count: usize = loops.iter().map(|it| it.wakes).sum();
    let name = people::thread(look.timeline, thread);
    let title = format!(
        "{name} wakes up every {} ({} times in {} at idle)",
        seconds(best.times.period),
        count,
        seconds(length)
    );
    let mut finding = look.finding(&RULE, FindingSeverity::Warning, title, look.idle_confidence());
    loops.sort_by_key(|it| std::cmp::Reverse(it.wakes));
    let set: Vec<Window> = windows::union(loops.iter().map(|it| it.window).collect());
    for it in loops.iter().take(3) {
        let text = format!(
            "{} wake-ups in {}, {} of them {} after the one before: {} wake-ups each second",
            it.wakes,
            time(it.window.duration()),
            percent(it.times.share),
            seconds(it.times.period),
            figure(it.wakes as f64 / it.window.duration().seconds())
        );
        finding.evidence.push(evidence(text, Some(it.window)));
    }
    let cpu = activity.cpu(thread, &set);
    let text = format!(
        "{} on CPUs meanwhile: {} for each wake-up",
        time(cpu),
        seconds(cpu.seconds() / count as f64)
    );
    finding.evidence.push(evidence(text, None));
    finding.who =
        people::process_of(look.timeline, thread).and_then(|it| people::process(look.timeline, it));
    finding.thread = Some(name);
    finding.place = code_places::of_thread(look.timeline, thread, &set, true);
    let all = activity.cpu(thread, &look.idle).seconds();
    finding.at_stake =
        look.stakes.threads_for(&[thread], if all > 0.0 { cpu.seconds() / all } else { 0.0 });
    Some(finding)
}
