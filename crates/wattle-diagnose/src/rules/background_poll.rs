//! `background-poll`.

use wattle_timeline::{ProcessId, ThreadId, Window};

use super::activity::Activity;
use super::look::{Look, evidence};
use super::outcome::Outcome;
use super::regular_wakes::RegularWakes;
use super::{code_places, people};
use crate::windows;
use crate::words::{figure, percent, seconds, time};
use crate::{Confidence, Finding, FindingSeverity, Rule, Threshold};

pub(super) const RULE: Rule = Rule {
    id: "background-poll",
    title: "An app that shows nothing works on a timer",
    severity: FindingSeverity::Warning,
    keeps_severity: true,
    example: "`while (true) { refresh(); Thread.sleep(200); }` in a service: five times each second, all day, while no window of the app \
              is drawn.",
    counter_example: "A video player's clock: its frames are drawn meanwhile. A sync every quarter of an hour: longer than the longest \
                      period here, see `job-wakes`.",
    looks_for: "Threads of apps that come to a CPU after a sleep at a regular period of 20 ms to 5 s, for ten seconds and more, in \
                which no thread that draws for the app (main thread, RenderThread) is active. Threads that another thread wakes are \
                left aside: that one is the cause. In the scheduler's switches.",
    why: "Each period wakes a core, and in the long run the whole device: with work every 200 ms a phone never suspends, and what \
          runs for 5 ms costs as much as the ten that the core needs to get into a deep state and out of it again.",
    remedy: "Stop the timer when the app is not in front. Wait for the event itself (callbacks, push messages, observers) instead of \
             asking whether it has come; what has to be done from time to time belongs into WorkManager with constraints, at 15 \
             minutes or more.",
    references: &[
        "https://developer.android.com/topic/performance/power",
        "https://developer.android.com/develop/background-work/background-tasks",
        "creedengo Android: Idleness; Sobriety",
    ],
    thresholds: &[
        Threshold {
            name: "shortest-period",
            value: 20.0,
            unit: "ms",
            meaning: "Shorter periods are `short-sleep`'s.",
        },
        Threshold {
            name: "longest-period",
            value: 5000.0,
            unit: "ms",
            meaning: "Longer periods leave a phone time to suspend. Ours.",
        },
        Threshold {
            name: "least-share",
            value: 0.8,
            unit: "of wake-ups",
            meaning: "The part of the wake-ups that come one period after the one before, give or take `tolerance`. Ours.",
        },
        Threshold {
            name: "tolerance",
            value: 0.15,
            unit: "of the period",
            meaning: "How far from the period a wake-up may be. Ours.",
        },
        Threshold {
            name: "least-count",
            value: 20.0,
            unit: "wake-ups",
            meaning: "Fewer in a row are no timer. Ours.",
        },
        Threshold {
            name: "least-time",
            value: 10.0,
            unit: "s",
            meaning: "How long it has to go on. Ours.",
        },
        Threshold {
            name: "least-use",
            value: 0.002,
            unit: "of one core",
            meaning: "A timer that uses less CPU costs its wake-ups only; `wakeup-storm` counts those. Ours.",
        },
        Threshold {
            name: "most-drawing",
            value: 0.5,
            unit: "/s",
            meaning: "From so many wake-ups each second of the threads that draw on, the app shows something. Ours.",
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
    let found = look.threads().filter_map(|thread| of_thread(look, activity, thread));
    Outcome::found(found.collect())
}

fn of_thread(look: &Look<'_>, activity: &Activity, thread: ThreadId) -> Option<Finding> {
    let process = people::process_of(look.timeline, thread)
        .filter(|process| people::is_app(look.timeline, *process))?;
    let wakes = activity.wakes(thread);
    let least_count = look.threshold(&RULE, "least-count");
    if (wakes.len() as f64) < least_count {
        return None;
    }
    let shortest = look.threshold(&RULE, "shortest-period") * 1e-3;
    let mut timers = RegularWakes::of(look, &RULE, least_count, &wakes);
    timers.retain(|timer| {
        if timer.times.period <= shortest {
            return false;
        }
        let cpu = activity.cpu(thread, &[timer.window]).seconds();
        cpu >= timer.window.duration().seconds() * look.threshold(&RULE, "least-use")
            && !shows_something(look, activity, (process, thread), timer.window)
    });
    let best = *timers.iter().max_by_key(|it| it.wakes)?;
    let by_one = look.threshold(&RULE, "woken-by-one");
    if look.wakers().is_some_and(|wakers| wakers.main_thread(thread, by_one).is_some()) {
        return None;
    }
    let set = windows::union(timers.iter().map(|it| it.window).collect());
    let length = windows::total(&set).seconds();
    let count: usize = timers.iter().map(|it| it.wakes).sum();
    let cpu = activity.cpu(thread, &set).seconds();
    let name = people::thread(look.timeline, thread);
    let title = format!(
        "{name} works every {} while its app shows nothing ({count} times in {})",
        seconds(best.times.period),
        seconds(length)
    );
    let confidence = Confidence::medium(
        "a regular period by the scheduler's switches, and no thread of the app that draws; whether the user waits for the result is not recorded",
    );
    let mut finding = look.finding(&RULE, FindingSeverity::Warning, title, confidence);
    for it in timers.iter().take(3) {
        let text = format!(
            "{} wake-ups in {}, {} of them {} after the one before",
            it.wakes,
            time(it.window.duration()),
            percent(it.times.share),
            seconds(it.times.period)
        );
        finding.evidence.push(evidence(text, Some(it.window)));
    }
    let text = format!(
        "{} on CPUs meanwhile, {} of one core: {} each time; {} times an hour",
        seconds(cpu),
        percent(cpu / length),
        seconds(cpu / count as f64),
        figure(count as f64 * 3600.0 / length)
    );
    finding.evidence.push(evidence(text, None));
    finding.who = people::process(look.timeline, process);
    finding.thread = Some(name);
    finding.place = code_places::of_thread(look.timeline, thread, &set, false);
    finding.at_stake = look.at_stake_within(thread, &set);
    Some(finding)
}

/// Whether the process draws in the window, or may: another thread of it that draws (its main thread, a RenderThread) is active; or
/// the thread itself draws; or it is the main thread, and no other one would show that it does.
fn shows_something(
    look: &Look<'_>,
    activity: &Activity,
    (process, thread): (ProcessId, ThreadId),
    window: Window,
) -> bool {
    let names = &look.timeline.names;
    let renders = |facts: &wattle_timeline::Thread| {
        let name = facts.name.map_or("", |name| names.get(name));
        name.starts_with("RenderThread") || name.starts_with("GLThread")
    };
    let own = look.timeline.tasks.threads.get(thread.index());
    if own.is_some_and(renders) {
        return true;
    }
    let all = (0..).map(ThreadId).zip(&look.timeline.tasks.threads);
    let of_process = all.filter(|(id, it)| *id != thread && it.process == Some(process));
    let drawing: Vec<_> = of_process.filter(|(_, it)| it.is_main || renders(it)).collect();
    if own.is_some_and(|it| it.is_main) && !drawing.iter().any(|(_, it)| renders(it)) {
        return true;
    }
    let most = look.threshold(&RULE, "most-drawing") * window.duration().seconds();
    drawing.into_iter().any(|(id, _)| {
        activity.wakes(id).iter().filter(|wake| window.contains(**wake)).count() as f64 > most
    })
}
