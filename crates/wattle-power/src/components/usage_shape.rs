//! When, inside a stretch of time, a component drew what was counted of the stretch as a whole.

use wattle_timeline::{CounterScope, StateKind, StateTrack, Timeline, Uid, Window};
use wattle_units::BootNanos;

use super::draw::{Rate, Rates};
use super::portion::{Portion, RuleId};
use super::{display, state_holders};
use crate::{Scope, work};

/// More steps than this are merged: many apps share one component.
const MOST_STEPS: usize = 1024;

/// Watts of one app in one component: more than the processor of a phone draws under full load.
const MOST_POWER: f64 = 10.0;

/// Weight until an instant.
type Step = (BootNanos, f64);

/// Weights over the window, of which the mean over time is not 0; without any state that says more, one step.
pub(super) fn steps(
    timeline: &Timeline,
    portion: &Portion,
    window: Window,
    rates: Rates<'_>,
) -> Vec<Step> {
    let even = vec![(window.end, 1.0)];
    let steps = if portion.rule == RuleId::Screen {
        lit(timeline, window, rates)
    } else if portion.rule == RuleId::Ambient {
        levels(timeline, StateKind::Screen, None, window, |level| f64::from(u8::from(level > 1)))
    } else {
        let uid = match portion.scope {
            Scope::App(uid) => Some(uid),
            _ => None,
        };
        // What is known of the app itself says more than what is known of the device.
        [uid, None].into_iter().find_map(|uid| {
            let is_on = |level| f64::from(u8::from(level > 0));
            let found =
                portion.shape.iter().find_map(|kind| levels(timeline, *kind, uid, window, is_on));
            found.filter(|steps| is_possible(portion, &known(steps.clone(), window), window))
        })
    };
    let steps = steps.map(|steps| coarse(known(steps, window), window));
    steps.filter(|steps| integral(steps, window) > 0.0).unwrap_or(even)
}

/// Whether all of a portion can have been drawn while a state held. An app that held a wakelock for some milliseconds in a day spent its energy
/// at other times, too.
fn is_possible(portion: &Portion, steps: &[Step], window: Window) -> bool {
    let most = steps.iter().fold(0.0, |most: f64, (_, weight)| most.max(*weight));
    let whole = integral(steps, window);
    whole > 0.0 && portion.drawn.weight() * most / whole <= MOST_POWER
}

/// By one kind of state of one owner; `None` where there is none.
fn levels(
    timeline: &Timeline,
    kind: StateKind,
    uid: Option<Uid>,
    window: Window,
    weight: impl Fn(u32) -> f64,
) -> Option<Vec<(BootNanos, Option<f64>)>> {
    let is_it = |track: &&StateTrack| {
        track.kind == kind
            && match uid {
                Some(uid) => state_holders::owner(timeline, track.scope) == Some(uid),
                None => track.scope == CounterScope::Global,
            }
    };
    let mut tracks = timeline.system.states.iter().filter(is_it).peekable();
    tracks.peek()?;
    let mut steps = Vec::new();
    // Of an app, a state that was never heard of is off.
    state_holders::sweep(timeline, tracks, window, |held| {
        let level = match uid {
            Some(uid) => Some(held.apps.get(&uid).copied().unwrap_or(0)),
            None => held.device,
        };
        steps.push((held.window.end, level.map(&weight)));
    });
    Some(steps)
}

/// By what the panel draws in each class of brightness, while it is on.
fn lit(
    timeline: &Timeline,
    window: Window,
    rates: Rates<'_>,
) -> Option<Vec<(BootNanos, Option<f64>)>> {
    let of = |kind| {
        let mut tracks = timeline.system.states.iter();
        tracks.find(|track| track.kind == kind && track.scope == CounterScope::Global)
    };
    let screen = of(StateKind::Screen)?;
    let class = of(StateKind::ScreenClass);
    let (on, full) = display::rates_of(rates, 0);
    let weight = |rate: Option<Rate>| rate.unwrap_or_default().over(1.0).weight();
    let (on, full) = (weight(on), weight(full));
    let mut times = changes(screen.level.times(), window).to_vec();
    times.extend(class.iter().flat_map(|class| changes(class.level.times(), window)));
    times.push(window.end);
    times.sort_unstable();
    times.dedup();
    let mut steps = Vec::with_capacity(times.len());
    let mut now = window.start;
    for end in times {
        work::count();
        let level = screen.level.at(now).map(|level| {
            if level != 1 {
                return 0.0;
            }
            let class = class.and_then(|class| class.level.at(now));
            let share = class.map_or(0.5, |class| display::share_of_class(class.min(255) as u8));
            // Without figures, being on is all that is known.
            if on + full > 0.0 { on + full * share } else { 1.0 }
        });
        steps.push((end, level));
        now = end;
    }
    Some(steps)
}

/// The instants inside the window, but for its start.
fn changes(times: &[BootNanos], window: Window) -> &[BootNanos] {
    let first = times.partition_point(|time| *time <= window.start);
    let end = times.partition_point(|time| *time < window.end);
    times.get(first..end).unwrap_or_default()
}

/// Replaces unknown weights by the average of the others.
fn known(steps: Vec<(BootNanos, Option<f64>)>, window: Window) -> Vec<Step> {
    let mut now = window.start;
    let (mut sum, mut time) = (0.0, 0.0);
    for (end, weight) in &steps {
        if let Some(weight) = weight {
            let seconds = (*end - now).seconds();
            sum += weight * seconds;
            time += seconds;
        }
        now = *end;
    }
    let mean = if time > 0.0 { sum / time } else { 1.0 };
    steps.into_iter().map(|(end, weight)| (end, weight.unwrap_or(mean))).collect()
}

/// Merged to stretches of equal length where there are too many; the integral stays.
fn coarse(steps: Vec<Step>, window: Window) -> Vec<Step> {
    if steps.len() <= MOST_STEPS {
        return steps;
    }
    let length = window.duration().value();
    let bin_end = |bin: usize| {
        let part = i128::from(length) * (bin as i128 + 1) / MOST_STEPS as i128;
        BootNanos::new(window.start.value().saturating_add(part as i64))
    };
    let mut merged = Vec::with_capacity(MOST_STEPS);
    let mut steps = steps.into_iter().peekable();
    let mut now = window.start;
    for bin in 0..MOST_STEPS {
        let (start, end) = (now, bin_end(bin));
        let mut sum = 0.0;
        while now < end {
            let Some((until, weight)) = steps.peek().copied() else { break };
            let cut = until.min(end);
            sum += weight * (cut - now).seconds();
            now = cut;
            if until <= end {
                steps.next();
            }
        }
        now = end;
        let seconds = (end - start).seconds();
        if seconds > 0.0 {
            merged.push((end, sum / seconds));
        }
    }
    merged
}

/// `∫ weight dt`.
pub(super) fn integral(steps: &[Step], window: Window) -> f64 {
    let mut now = window.start;
    let mut sum = wattle_units::CompensatedSum::default();
    for (end, weight) in steps {
        sum.add(weight * (*end - now).seconds());
        now = *end;
    }
    sum.value()
}
