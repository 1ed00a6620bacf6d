//! `raised-timer`.

use std::collections::BTreeMap;

use wattle_timeline::{
    CounterScope, CounterTrack, ProcessId, REQUESTED_TIMER_PERIOD, Steps, TIMER_PERIOD, Window,
};
use wattle_units::Nanos;

use super::look::{Look, evidence};
use super::outcome::Outcome;
use super::people;
use crate::windows;
use crate::words::{percent, time};
use crate::{Confidence, Finding, FindingSeverity, Rule, Threshold};

pub(super) const RULE: Rule = Rule {
    id: "raised-timer",
    title: "A program asks for a fine clock at idle",
    severity: FindingSeverity::Warning,
    keeps_severity: true,
    example: "A browser that calls `timeBeginPeriod(1)` for the animation of a page and never takes it back: the clock interrupts a processor \
              each millisecond for as long as it runs.",
    counter_example: "A player that asks for a fine clock while music plays, and takes it back. Windows' own period of 15.6 ms.",
    looks_for: "Requests for a period of the clock far below 15.6 ms that a process holds while there should be nothing to do, and the period \
                that the clock has. In Windows' power events (Microsoft-Windows-Kernel-Power: SystemTimeResolutionChange, \
                SystemTimeResolutionUpdate and their lists).",
    why: "At 1 ms the clock wakes a processor 1000 times each second instead of 64, which keeps it out of deep idle states; Microsoft names up to \
          a quarter of a system's battery life. Since Windows 10 2004 other programs' timers are no longer affected, the interrupts are.",
    remedy: "Take the request back as soon as nothing is played or animated (timeEndPeriod, NtSetTimerResolution with FALSE), or never ask: \
             wait for events and frames, use CREATE_WAITABLE_TIMER_HIGH_RESOLUTION for the one timer that needs it, and give all others a \
             tolerance (SetWaitableTimerEx). Windows 11 ignores requests of programs whose windows are hidden.",
    references: &[
        "https://learn.microsoft.com/windows/win32/api/timeapi/nf-timeapi-timebeginperiod",
        "https://learn.microsoft.com/windows-hardware/design/device-experiences/modern-standby-sleepstudy",
        "Microsoft, Timers, Timer Resolution, and Development of Efficient Code (2010)",
    ],
    thresholds: &[
        Threshold {
            name: "longest-period",
            value: 9.0,
            unit: "ms",
            meaning: "Longer periods cost little. Ours.",
        },
        Threshold {
            name: "least-time",
            value: 5.0,
            unit: "s",
            meaning: "For so long at idle it has to be held. Ours.",
        },
        Threshold {
            name: "least-share",
            value: 0.5,
            unit: "of idle time",
            meaning: "The part of the idle time in which it has to be held. Ours.",
        },
    ],
};

/// A period of the clock over time, in nanoseconds; 0 where none is asked for.
#[derive(Default)]
struct Period {
    steps: Vec<Steps<f64>>,
}

impl Period {
    fn add(&mut self, track: &CounterTrack) {
        self.steps.push(track.time.iter().copied().zip(track.value.iter().copied()).collect());
    }

    /// When it is no longer than this, and the shortest then.
    fn at_most(&self, longest: f64, within: &[Window]) -> (Vec<Window>, f64) {
        let mut shortest = f64::INFINITY;
        let mut found = Vec::new();
        for window in within {
            for segment in self.steps.iter().flat_map(|it| it.segments(*window)) {
                if segment.value > 0.0 && segment.value <= longest {
                    shortest = shortest.min(segment.value);
                    found.push(segment.window);
                }
            }
        }
        (windows::union(found), shortest)
    }
}

pub(super) fn find(look: &Look<'_>) -> Outcome {
    let mut requests: BTreeMap<ProcessId, Period> = BTreeMap::new();
    let mut clock = Period::default();
    let names = &look.timeline.names;
    let (asked, current) = (names.find(REQUESTED_TIMER_PERIOD), names.find(TIMER_PERIOD));
    for track in &look.timeline.system.counters {
        match track.scope {
            CounterScope::Process(process) if Some(track.name) == asked => {
                requests.entry(process).or_default().add(track);
            }
            CounterScope::Global if Some(track.name) == current => clock.add(track),
            _ => {}
        }
    }
    if requests.is_empty() && clock.steps.is_empty() {
        return Outcome::without("periods of the clock (Windows' power events)");
    }
    if !look.idle_is_told {
        return Outcome::without_idle();
    }
    let mut found: Vec<Finding> = Vec::new();
    for (process, period) in &requests {
        if look.is_looked_at(Some(*process)) {
            found.extend(of_process(look, *process, period, &clock));
        }
    }
    // Drivers ask, too; that is said where no program explains it.
    if found.is_empty() && look.is_device_looked_at() {
        found.extend(of_machine(look, &requests, &clock));
    }
    Outcome::found(found)
}

/// When a period is short enough at idle, where that is for long enough.
fn held(look: &Look<'_>, period: &Period) -> Option<(Vec<Window>, f64)> {
    let longest = look.threshold(&RULE, "longest-period") * 1e6;
    let (held, shortest) = period.at_most(longest, &look.idle);
    let (length, idle) = (windows::total(&held).seconds(), look.idle_seconds());
    let is_long = length > 0.0
        && length >= look.threshold(&RULE, "least-time")
        && length >= idle * look.threshold(&RULE, "least-share");
    is_long.then_some((held, shortest))
}

fn millis(nanos: f64) -> Nanos {
    Nanos::new(nanos as i64)
}

fn of_process(
    look: &Look<'_>,
    process: ProcessId,
    period: &Period,
    clock: &Period,
) -> Option<Finding> {
    let (held, shortest) = held(look, period)?;
    let length = windows::total(&held);
    let who = people::process(look.timeline, process);
    let title = format!(
        "{} asks for a clock of {} for {} at idle",
        who.as_deref().unwrap_or("a process"),
        time(millis(shortest)),
        time(length)
    );
    let confidence = Confidence::high("the kernel's own record of who asks for which period");
    let mut finding = look.finding(&RULE, FindingSeverity::Warning, title, confidence);
    let share = length.seconds() / look.idle_seconds();
    let text = format!(
        "held for {} of the idle time: {} interrupts of the clock each second, where 64 are usual",
        percent(share),
        (1e9 / shortest).round()
    );
    finding.evidence.push(evidence(text, windows::hull(&held)));
    let longest = look.threshold(&RULE, "longest-period") * 1e6;
    let (fine, finest) = clock.at_most(longest, &held);
    if !fine.is_empty() {
        let text = format!(
            "the machine's clock was at {} or more for {} of that",
            time(millis(finest)),
            time(windows::total(&fine))
        );
        finding.evidence.push(evidence(text, windows::hull(&fine)));
    }
    finding.who = who;
    Some(finding)
}

/// A fine clock that no program is known to have asked for.
fn of_machine(
    look: &Look<'_>,
    requests: &BTreeMap<ProcessId, Period>,
    clock: &Period,
) -> Option<Finding> {
    let longest = look.threshold(&RULE, "longest-period") * 1e6;
    let (fine, shortest) = held(look, clock)?;
    let asked = requests.values().flat_map(|it| it.at_most(longest, &look.idle).0).collect();
    let unasked = windows::difference(&fine, &windows::union(asked));
    if windows::total(&unasked).seconds() < look.threshold(&RULE, "least-time") {
        return None;
    }
    let title = format!(
        "the clock is at {} for {} at idle, and no program asks for it",
        time(millis(shortest)),
        time(windows::total(&unasked))
    );
    let confidence = Confidence::medium("the clock's period; requests of drivers are not read");
    let mut finding = look.finding(&RULE, FindingSeverity::Warning, title, confidence);
    let text = "`powercfg /energy` names drivers that ask for a fine clock";
    finding.evidence.push(evidence(text, windows::hull(&unasked)));
    Some(finding)
}
