//! `exact-alarms`.

use std::collections::BTreeMap;

use wattle_timeline::{DeviceWake, NameId, Uid, WakeCause, Window};
use wattle_units::BootNanos;

use super::look::{Look, evidence};
use super::outcome::Outcome;
use super::people;
use super::wakelock_tag;
use super::wakeup_evidence::awake;
use crate::words::{percent, seconds, time};
use crate::{Confidence, Finding, FindingSeverity, Rule, Threshold};

pub(super) const RULE: Rule = Rule {
    id: "exact-alarms",
    title: "Exact alarms wake the device again and again",
    severity: FindingSeverity::Warning,
    keeps_severity: true,
    example: "`setExactAndAllowWhileIdle` that sets itself again each five minutes.",
    counter_example: "An alarm clock: one alarm a day. Inexact alarms: the system lets those of several apps ring together, a quarter of an \
                      hour and more apart.",
    looks_for: "Alarms of one name that wake the device at a steady period, to a second or two, each by itself: inexact alarms are moved by \
                up to ten minutes and ring together with others. In statsd's reports (WakeupAlarmOccurred).",
    why: "Each exact alarm wakes the device for one app alone; an inexact one comes along when it is awake anyway.",
    remedy: "Use WorkManager or inexact alarms (set, setWindow, setInexactRepeating), which the system batches. Exact alarms are for what the \
             user is told at a time: alarm clocks, calendars (setAlarmClock).",
    references: &[
        "https://developer.android.com/develop/background-work/services/alarms",
        "https://developer.android.com/about/versions/14/changes/schedule-exact-alarms",
        "Android lint: ShortAlarm; creedengo Android: Idleness: Rigid Alarm",
    ],
    thresholds: &[
        Threshold {
            name: "least-count",
            value: 6.0,
            unit: "alarms",
            meaning: "Fewer have no period. Ours.",
        },
        Threshold {
            name: "longest-period",
            value: 900.0,
            unit: "s",
            meaning: "Rarer alarms cost little. Ours.",
        },
        Threshold {
            name: "tolerance",
            value: 2.0,
            unit: "s",
            meaning: "How far from the period an exact alarm may be. Ours.",
        },
        Threshold {
            name: "least-share",
            value: 0.8,
            unit: "of alarms",
            meaning: "The part of the alarms that keep the period, and the part that ring alone. Ours.",
        },
        Threshold {
            name: "together",
            value: 1.0,
            unit: "s",
            meaning: "Alarms of others within this ring together with it. Ours.",
        },
    ],
};

pub(super) fn find(look: &Look<'_>) -> Outcome {
    let wakes = &look.timeline.suspend.wakes;
    let all: Vec<&DeviceWake> = wakes.iter().filter(|it| it.cause == WakeCause::Alarm).collect();
    if all.is_empty() {
        return Outcome::without("alarms one by one");
    }
    let mut named: BTreeMap<(Uid, NameId), Vec<BootNanos>> = BTreeMap::new();
    for wake in all.iter().filter(|wake| look.window.contains(wake.time)) {
        if let (Some(uid), Some(name)) = (wake.uid, wake.text)
            && look.is_app_looked_at(uid)
        {
            named.entry((uid, name)).or_default().push(wake.time);
        }
    }
    let found = named.into_iter();
    Outcome::found(
        found
            .filter_map(|((uid, name), times)| of_alarm(look, (uid, name), &times, &all))
            .collect(),
    )
}

fn of_alarm(
    look: &Look<'_>,
    (uid, name): (Uid, NameId),
    times: &[BootNanos],
    all: &[&DeviceWake],
) -> Option<Finding> {
    let (first, last) = (times.first()?, times.last()?);
    if (times.len() as f64) < look.threshold(&RULE, "least-count") {
        return None;
    }
    let steps = times.iter().zip(times.iter().skip(1));
    let mut steps: Vec<f64> = steps.map(|(one, other)| (*other - *one).seconds()).collect();
    steps.sort_by(f64::total_cmp);
    let period = steps.get(steps.len() / 2).copied()?;
    let tolerance = look.threshold(&RULE, "tolerance");
    let kept = steps.iter().filter(|step| (*step - period).abs() <= tolerance).count();
    let kept = kept as f64 / steps.len() as f64;
    let together = look.threshold(&RULE, "together");
    let is_alone = |time: &&BootNanos| {
        let near = |it: &&&DeviceWake| (it.time - **time).seconds().abs() <= together;
        all.iter().filter(near).all(|it| it.uid == Some(uid))
    };
    let alone = times.iter().filter(is_alone).count() as f64 / times.len() as f64;
    let least = look.threshold(&RULE, "least-share");
    let is_exact = period > tolerance
        && period <= look.threshold(&RULE, "longest-period")
        && kept >= least
        && alone >= least;
    if !is_exact {
        return None;
    }
    let who = look.app(uid);
    let window = Window::new(*first, *last);
    let title = format!(
        "{who} wakes the device by an exact alarm every {} ({} times in {})",
        seconds(period),
        times.len(),
        time(window.duration())
    );
    let severity = if uid.is_app() { FindingSeverity::Warning } else { FindingSeverity::Note };
    let confidence = Confidence::medium(
        "alarms at a steady period, each by itself: how they were set is not in the recording",
    );
    let mut finding = look.finding(&RULE, severity, title, confidence);
    if !uid.is_app() {
        people::PLATFORM_REMEDY.clone_into(&mut finding.remedy);
    }
    let text = look.timeline.names.get(name);
    let text = format!(
        "\"{text}\": {} times, {} of them one period after the one before, {} of them alone",
        times.len(),
        percent(kept),
        percent(alone)
    );
    finding.evidence.push(evidence(text, Some(window)));
    finding.evidence.extend(awake(look, &[window]));
    finding.place = wakelock_tag::place(look.timeline.names.get(name));
    finding.who = Some(who);
    finding.at_stake = look.stakes.app_by_source(uid, "wakelock");
    Some(finding)
}
