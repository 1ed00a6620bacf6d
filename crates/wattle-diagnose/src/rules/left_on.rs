//! Common parts of the rules about devices that are left on.
//!
//! Three kinds of evidence, each by itself enough: states (the device says that it was on), totals (the system counted for how long
//! an app used it), and calls (probes saw the call that switched it on, and none that switched it off).

use std::collections::BTreeMap;

use wattle_power::Component;
use wattle_timeline::{Quantity, StateKind, Uid, Window};

use super::api_sessions::{self, Session};
use super::held::{self, Held};
use super::look::{Look, evidence};
use super::outcome::Outcome;
use super::people;
use crate::windows;
use crate::words::{percent, seconds, time};
use crate::{Confidence, Finding, FindingSeverity, Rule, Threshold};

/// The device that a rule is about.
pub(super) struct Device {
    pub(super) rule: &'static Rule,
    /// In a sentence (`the camera`).
    pub(super) noun: &'static str,
    /// The state that says when it was on.
    pub(super) state: StateKind,
    /// Component that draws its energy; `None` if no ledger has a component for it.
    pub(super) component: Option<Component>,
    /// Totals of time that are of it.
    pub(super) is_counted: fn(Quantity) -> bool,
    /// Severity in the background, even if it is switched off in the end.
    pub(super) in_background: FindingSeverity,
    /// Data that the recording lacks if there is nothing to look at.
    pub(super) without: &'static str,
}

/// The thresholds that all of them have.
pub(super) const fn thresholds(least_time: f64) -> [Threshold; 3] {
    [
        Threshold {
            name: "least-time",
            value: least_time,
            unit: "s",
            meaning: "Less time with the screen off, or with the app not in front, is the end of a use. Ours.",
        },
        Threshold {
            name: "least-share",
            value: 0.01,
            unit: "of that time",
            meaning: "… and less than this part of it is no habit: 1 % is a quarter of an hour a day. Ours.",
        },
        Threshold {
            name: "never-stopped",
            value: 10.0,
            unit: "s",
            meaning: "What is still on when the recording ends, and has been for so long, was not seen to be switched off. Ours.",
        },
    ]
}

pub(super) fn find(look: &Look<'_>, device: &Device) -> Outcome {
    let sessions = match &device.component {
        Some(component) => api_sessions::of_component(look.timeline, component),
        None => Vec::new(),
    };
    let has_totals =
        look.timeline.system.usage.iter().any(|usage| (device.is_counted)(usage.quantity));
    if sessions.is_empty() && !has_totals && !held::is_known(look, device.state) {
        return Outcome::without(device.without);
    }
    let mut found = by_states(look, device);
    let known: Vec<Option<Uid>> = found.iter().map(|(uid, _)| *uid).collect();
    let totals = by_totals(look, device);
    if known.contains(&None) {
        // The device's own state does not say who: the totals do.
        let users: Vec<String> = totals.iter().map(|(_, finding)| finding.title.clone()).collect();
        if let Some((_, finding)) = found.iter_mut().find(|(uid, _)| uid.is_none()) {
            finding.evidence.extend(users.into_iter().take(5).map(|text| evidence(text, None)));
        }
    }
    found.extend(totals.into_iter().filter(|(uid, _)| !known.contains(uid)));
    for finding in by_calls(look, device, &sessions) {
        found.push((None, finding));
    }
    Outcome::found(found.into_iter().map(|(_, finding)| finding).collect())
}

/// By what the device says of itself.
fn by_states(look: &Look<'_>, device: &Device) -> Vec<(Option<Uid>, Finding)> {
    let mut by_owner: BTreeMap<Option<Uid>, Vec<Held>> = BTreeMap::new();
    for held in held::held(look, device.state) {
        by_owner.entry(held.uid).or_default().push(held);
    }
    let screen_off = look.screen_off();
    let mut found = Vec::new();
    for (uid, holds) in &by_owner {
        let is_meant =
            uid.map_or_else(|| look.is_device_looked_at(), |uid| look.is_app_looked_at(uid));
        if !is_meant {
            continue;
        }
        let on = windows::union(holds.iter().flat_map(|held| held.windows.clone()).collect());
        let whole = [look.window];
        let front = uid.and_then(|uid| look.in_front(uid));
        let (away, how) = match (&front, &screen_off) {
            (Some(front), _) => {
                (windows::difference(&whole, front), "while the app was not in front")
            }
            (None, Some(off)) => (off.clone(), "with the screen off"),
            // Nothing tells whether anybody looked.
            (None, None) => (Vec::new(), ""),
        };
        let wasted = windows::intersection(&on, &away);
        let length = windows::total(&wasted).seconds();
        let all = windows::total(&away).seconds();
        let open = holds.iter().filter_map(Held::open).max_by_key(|window| window.duration());
        let open = open.filter(|open| {
            let inside = windows::inside(&wasted, *open).seconds();
            inside >= look.threshold(device.rule, "never-stopped")
                && away.last().is_some_and(|last| last.end >= look.window.end)
        });
        let is_long = length >= look.threshold(device.rule, "least-time")
            && length >= look.threshold(device.rule, "least-share") * all;
        if open.is_none() && !is_long {
            continue;
        }
        let severity = if open.is_some() { FindingSeverity::Error } else { device.in_background };
        let who = uid.map(|uid| look.app(uid));
        let title = match (&who, open) {
            (Some(who), Some(open)) => format!(
                "{who} left {} on: {} until the recording ended",
                device.noun,
                time(open.duration())
            ),
            (None, Some(open)) => {
                format!(
                    "{} was left on: {} until the recording ended",
                    device.noun,
                    time(open.duration())
                )
            }
            (Some(who), None) => {
                format!("{who} had {} on for {} {how}", device.noun, seconds(length))
            }
            (None, None) => format!("{} was on for {} {how}", device.noun, seconds(length)),
        };
        let mut finding = look.finding(
            device.rule,
            severity,
            title,
            Confidence::high(
                "the device's own record of when it was on, and of the screen or the app in front",
            ),
        );
        if let Some(open) = open {
            let text = format!("on, and not seen to be switched off in {}", time(open.duration()));
            finding.evidence.push(evidence(text, Some(open)));
        }
        let text = format!(
            "on for {} {how} ({} of that time), {} times; {} in all",
            seconds(length),
            percent(if all > 0.0 { length / all } else { 0.0 }),
            wasted.len(),
            time(windows::total(&on))
        );
        finding.evidence.push(evidence(text, windows::hull(&wasted)));
        finding.who = who;
        finding.at_stake = device.component.as_ref().and_then(|component| {
            let part = length / windows::total(&on).seconds().max(length);
            let of_app = uid.and_then(|uid| look.stakes.app(uid, component));
            of_app
                .map(|energy| super::stakes::part(energy, part))
                .or_else(|| look.stakes.component(component, &wasted))
        });
        found.push((*uid, finding));
    }
    if found.iter().any(|(uid, _)| uid.is_some()) {
        // Whoever it was has a finding: the device's own state is the same time again.
        found.retain(|(uid, _)| uid.is_some());
    }
    found
}

/// By what the system counted for apps.
fn by_totals(look: &Look<'_>, device: &Device) -> Vec<(Option<Uid>, Finding)> {
    let mut longest: BTreeMap<Uid, (f64, Window)> = BTreeMap::new();
    for usage in
        look.timeline.system.usage.iter().filter(|usage| (device.is_counted)(usage.quantity))
    {
        let Some(uid) = usage.uid.filter(|uid| uid.is_app()) else { continue };
        let known = longest.entry(uid).or_insert((0.0, usage.window));
        if usage.value > known.0 {
            *known = (usage.value, usage.window);
        }
    }
    let Some(fronts) = fronts(look) else { return Vec::new() };
    let mut found = Vec::new();
    for (uid, (on, window)) in longest {
        let front = fronts.get(&uid).copied().unwrap_or(0.0);
        let away = on - front;
        let length = window.duration().seconds() - front;
        let is_long = away >= look.threshold(device.rule, "least-time")
            && away >= look.threshold(device.rule, "least-share") * length;
        if !is_long || !look.is_app_looked_at(uid) {
            continue;
        }
        let who = look.app(uid);
        let title = format!(
            "{who} had {} on for at least {} while it was not in front",
            device.noun,
            seconds(away)
        );
        let mut finding = look.finding(
            device.rule,
            device.in_background,
            title,
            Confidence::medium(
                "the system's totals: for how long, but not when, nor whether the user wanted it",
            ),
        );
        let text = format!("on for {}, and in front for {}", seconds(on), seconds(front));
        finding.evidence.push(evidence(text, Some(window)));
        finding.who = Some(who);
        finding.at_stake = device.component.as_ref().and_then(|component| {
            let energy = look.stakes.app(uid, component)?;
            Some(super::stakes::part(energy, away / on))
        });
        found.push((Some(uid), finding));
    }
    found
}

/// For how long each app was in front, as the system counted it; `None` where it counted that for nobody.
pub(super) fn fronts(look: &Look<'_>) -> Option<BTreeMap<Uid, f64>> {
    let mut fronts: BTreeMap<Uid, f64> = BTreeMap::new();
    for usage in &look.timeline.system.usage {
        if let (Quantity::Foreground | Quantity::ProcessState(0), Some(uid)) =
            (usage.quantity, usage.uid)
        {
            let known = fronts.entry(uid).or_default();
            *known = known.max(usage.value);
        }
    }
    (!fronts.is_empty()).then_some(fronts)
}

/// By calls that switched it on, and were followed by none that switched it off.
fn by_calls(look: &Look<'_>, device: &Device, sessions: &[Session]) -> Vec<Finding> {
    let mut found: Vec<Finding> = Vec::new();
    for session in sessions.iter().filter(|session| !session.is_ended) {
        let length = session.window.duration().seconds();
        if length < look.threshold(device.rule, "never-stopped")
            || !look.is_looked_at(session.process)
        {
            continue;
        }
        let who = session.process.and_then(|process| people::process(look.timeline, process));
        let uid = people::uid_of(look.timeline, session.process);
        let front = uid.and_then(|uid| look.in_front(uid));
        let is_seen =
            front.is_some_and(|front| front.last().is_some_and(|it| it.end >= look.window.end));
        let title = format!(
            "{} switched {} on and did not switch it off in {}",
            who.as_deref().unwrap_or("an app"),
            device.noun,
            seconds(length)
        );
        let severity = if is_seen { FindingSeverity::Note } else { FindingSeverity::Error };
        let text = format!("{} was called; no call that ends it followed", session.place.function);
        let seen = evidence(text, Some(session.window));
        let thread = people::thread(look.timeline, session.thread);
        // The same place again is the same defect.
        let same =
            found.iter_mut().find(|it| it.who == who && it.place.as_ref() == Some(&session.place));
        if let Some(same) = same {
            same.evidence.push(seen);
            continue;
        }
        let mut finding = look.finding(device.rule, severity, title, Confidence::high("calls that probes recorded: one that switches it on, and none that switches it off"));
        finding.evidence.push(seen);
        finding.who = who;
        finding.thread = Some(thread);
        finding.place = Some(session.place.clone());
        finding.at_stake = device.component.as_ref().and_then(|component| {
            look.stakes
                .component(component, &[session.window])
                .or_else(|| look.stakes.app(uid?, component))
        });
        found.push(finding);
    }
    found
}
