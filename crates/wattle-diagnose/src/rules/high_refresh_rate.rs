//! `high-refresh-rate`.

use std::collections::BTreeMap;

use wattle_power::Component;
use wattle_timeline::{FrameOwner, ProcessId, Window};
use wattle_units::{BootNanos, Nanos};

use super::look::{Look, evidence};
use super::outcome::Outcome;
use super::panel_refresh::{self, PanelRefresh, RefreshSource};
use super::people;
use crate::idle_search::input_times;
use crate::windows;
use crate::words::{figure, seconds, time};
use crate::{Confidence, Finding, FindingSeverity, Rule, Threshold};

pub(super) const RULE: Rule = Rule {
    id: "high-refresh-rate",
    title: "The panel refreshes far more often than its picture changes",
    severity: FindingSeverity::Note,
    keeps_severity: true,
    example: "A film of 24 frames each second that a player shows without a word to the system, on a panel at 120 Hz: four of five refreshes \
              show the same picture again.",
    counter_example: "A game or a list that scrolls at 120 frames each second. The seconds after a touch, for which Android raises the rate \
                      itself. A panel that goes down to 60 Hz as soon as nothing moves.",
    looks_for: "Stretches of seconds in which the panel runs at 80 Hz or more and shows new pictures at half of that or less, without input and \
                with the display on. The rate by SurfaceFlinger's counters (ActiveModeFps), the composer's (VsyncPeriod) or the times for \
                which frames were expected; pictures by Android's frame timeline, else by SurfaceFlinger's compositions.",
    why: "Each refresh reads the whole picture out of memory and drives the panel and its link, whether the picture has changed or not, and \
          keeps memory and buses at higher clocks.",
    remedy: "Say which rate the content has: Surface.setFrameRate or SurfaceControl.Transaction.setFrameRate for films and games, \
             View.setRequestedFrameRate (or Compose's preferredFrameRate) for animations that need no more; do not force a display mode \
             (preferredDisplayModeId, preferredRefreshRate) for a whole window.",
    references: &[
        "https://developer.android.com/media/optimize/performance/frame-rate",
        "https://developer.android.com/reference/android/view/View#setRequestedFrameRate(float)",
        "https://source.android.com/docs/core/graphics/multiple-refresh-rate",
    ],
    thresholds: &[
        Threshold {
            name: "high-rate",
            value: 80.0,
            unit: "Hz",
            meaning: "From here on a panel's rate is high: 90, 120 and 144 Hz are.",
        },
        Threshold {
            name: "most-share",
            value: 0.5,
            unit: "of refreshes",
            meaning: "So many of them at most show a new picture, in each second.",
        },
        Threshold {
            name: "least-time",
            value: 3.0,
            unit: "s",
            meaning: "How long it has to go on: Android lowers the rate of a still screen by itself after some time. Ours.",
        },
        Threshold {
            name: "settle",
            value: 3.0,
            unit: "s",
            meaning: "For so long after an input the rate is high for its answer. Ours.",
        },
    ],
};

/// The time over which pictures are counted.
const STEP: Nanos = Nanos::new(1_000_000_000);

/// A stretch in which the panel shows few new pictures.
#[derive(Clone, Copy)]
struct Stretch {
    window: Window,
    /// The panel's, in hertz.
    rate: f64,
    pictures: usize,
}

pub(super) fn find(look: &Look<'_>) -> Outcome {
    let panel = PanelRefresh::new(look.timeline);
    let (Some(panel), Some(pictures)) = (panel, panel_refresh::pictures(look.timeline)) else {
        return Outcome::without("refresh rate of the panel beside its frames");
    };
    let settle = Nanos::from_seconds(look.threshold(&RULE, "settle"));
    let inputs = input_times(look.timeline).into_iter();
    let mut needed: Vec<Window> = inputs.map(|time| Window::new(time, time + settle)).collect();
    if panel_refresh::is_screen_known(look.timeline) {
        needed.extend(look.screen_off().unwrap_or_default());
    }
    let needed = windows::union(needed);
    let mut apps: BTreeMap<Option<ProcessId>, Vec<Stretch>> = BTreeMap::new();
    // Before the first picture and after the last it is not known whether pictures were recorded.
    let (Some(first), Some(last)) = (pictures.first(), pictures.last()) else {
        return Outcome::default();
    };
    let shown = look.window.intersect(Window::new(*first, *last));
    let drawn = drawn(look);
    let high = panel.at_least(look.threshold(&RULE, "high-rate"), shown);
    for quiet in windows::difference(&high, &needed) {
        let rate = panel.rate.at(quiet.start).unwrap_or_default();
        for stretch in stretches(look, quiet, rate, &pictures) {
            apps.entry(drawer(&drawn, stretch.window)).or_default().push(stretch);
        }
    }
    let is_asked = |process: &Option<ProcessId>| match process {
        Some(_) => look.is_looked_at(*process),
        None => look.is_device_looked_at(),
    };
    let found = apps.into_iter().filter(|(process, _)| is_asked(process));
    Outcome::found(
        found
            .filter_map(|(process, stretches)| of_app(look, process, stretches, panel.source))
            .collect(),
    )
}

/// The parts of a stretch at a high rate in which each second has few pictures.
fn stretches(look: &Look<'_>, quiet: Window, rate: f64, pictures: &[BootNanos]) -> Vec<Stretch> {
    let most_share = look.threshold(&RULE, "most-share");
    let least_time = look.threshold(&RULE, "least-time");
    let mut found: Vec<Stretch> = Vec::new();
    let mut open: Option<Stretch> = None;
    let mut start = quiet.start;
    while start + STEP <= quiet.end {
        let mut step = Window::new(start, start + STEP);
        let before = pictures.partition_point(|time| *time < step.start);
        let count = pictures.partition_point(|time| *time < step.end) - before;
        if count == 0 {
            // All seconds up to the next picture at once: there can be very many.
            let next = pictures.get(before).map_or(quiet.end, |time| (*time).min(quiet.end));
            let steps = ((next - start).value() / STEP.value()).max(1);
            step.end = start + Nanos::new(steps.saturating_mul(STEP.value()));
        }
        // A picture more or less follows from where the seconds begin.
        let is_few = count as f64 <= (rate * most_share).ceil() + 1.0;
        if is_few {
            let known = open.get_or_insert(Stretch {
                window: Window::new(start, start),
                rate,
                pictures: 0,
            });
            known.window.end = step.end;
            known.pictures += count;
        } else {
            found.extend(open.take());
        }
        start = step.end;
    }
    found.extend(open);
    found.retain(|it| it.window.duration().seconds() >= least_time);
    found
}

/// When apps' frames were done, in order of time.
fn drawn(look: &Look<'_>) -> Vec<(BootNanos, ProcessId)> {
    let frames = look.timeline.code.frames.iter();
    let frames = frames.filter(|it| it.owner == FrameOwner::App && !it.is_dropped);
    let mut drawn: Vec<(BootNanos, ProcessId)> =
        frames.filter_map(|it| Some((it.actual.end, it.process?))).collect();
    drawn.sort_unstable();
    drawn
}

/// The app that drew most frames within a stretch; `None` where that is not recorded, or none did.
fn drawer(drawn: &[(BootNanos, ProcessId)], window: Window) -> Option<ProcessId> {
    let first = drawn.partition_point(|(time, _)| *time < window.start);
    let end = drawn.partition_point(|(time, _)| *time < window.end);
    let mut counts: BTreeMap<ProcessId, usize> = BTreeMap::new();
    for (_, process) in drawn.get(first..end).unwrap_or_default() {
        *counts.entry(*process).or_default() += 1;
    }
    counts.into_iter().max_by_key(|(_, count)| *count).map(|(process, _)| process)
}

fn of_app(
    look: &Look<'_>,
    process: Option<ProcessId>,
    mut stretches: Vec<Stretch>,
    source: RefreshSource,
) -> Option<Finding> {
    stretches.sort_by_key(|it| std::cmp::Reverse(it.window.duration()));
    let longest = stretches.first().copied()?;
    let set = windows::union(stretches.iter().map(|it| it.window).collect());
    let length = windows::total(&set).seconds();
    let pictures: usize = stretches.iter().map(|it| it.pictures).sum();
    let who = process.and_then(|process| people::process(look.timeline, process));
    let title = format!(
        "the panel refreshed {} times each second for {} while {} new pictures came each second",
        figure(longest.rate),
        seconds(length),
        figure(pictures as f64 / length)
    );
    let title = match &who {
        Some(who) => format!("{title}, most of them of {who}"),
        None => title,
    };
    let confidence = match source {
        RefreshSource::Counter => Confidence::high(
            "the system's own record of the panel's rate, beside the pictures that it showed",
        ),
        RefreshSource::ExpectedFrames => {
            Confidence::medium("the panel's rate by the times for which frames were expected")
        }
    };
    let mut finding = look.finding(&RULE, FindingSeverity::Note, title, confidence);
    for stretch in stretches.iter().take(3) {
        let text = format!(
            "{} pictures in {} at {} Hz",
            stretch.pictures,
            time(stretch.window.duration()),
            figure(stretch.rate)
        );
        finding.evidence.push(evidence(text, Some(stretch.window)));
    }
    let text = match look.stakes.component(&Component::Display, &set) {
        Some(energy) => format!(
            "the display drew {} meanwhile; how much of that its rate costs, no model of it says",
            energy.joules
        ),
        None => "how much the rate costs is not known: no model of the display says it".to_owned(),
    };
    finding.evidence.push(evidence(text, None));
    finding.who = who;
    Some(finding)
}
