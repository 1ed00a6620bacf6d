//! `wakelock-held-long`.

use wattle_power::Component;
use wattle_timeline::{Uid, Window};

use super::holders::{Holder, holders};
use super::look::{Look, evidence};
use super::outcome::Outcome;
use super::people;
use super::wakelock_tag::{TakenBy, place};
use super::wakeup_evidence::awake;
use crate::windows;
use crate::words::{figure, seconds, time};
use crate::{Confidence, Finding, FindingSeverity, Rule, Threshold};

/// A day.
const DAY: f64 = 86_400.0;

pub(super) const RULE: Rule = Rule {
    id: "wakelock-held-long",
    title: "An app keeps the CPU awake for long with partial wakelocks",
    severity: FindingSeverity::Error,
    keeps_severity: true,
    example: "A sync service that acquires `MyApp:sync` at boot and releases it after the nightly upload: 9 h in 24 h.",
    counter_example: "A music player: the audio wakelocks of playback are what the user asked for, and Play does not count them.",
    looks_for: "For how long each app held partial wakelocks: batterystats' totals by name, else its history. Held against Google \
                Play's rule of two hours in 24 hours; audio, location and jobs that the user began are left out, as Play leaves \
                them out. A recording of other than 24 hours is scaled to it, if it is long enough for that.",
    why: "A partial wakelock keeps the system from suspending: cores idle at best, clocks, rails and memory stay on, which draws \
          ten times and more of what a suspended phone does.",
    remedy: "Release it as soon as the work is done, and let the system's own APIs keep the device awake.",
    references: &[
        "Google Play: a session with 2 h or more of non-exempt partial wakelocks in 24 h is bad; from 5 % of sessions over 28 days \
         on an app is less visible since 2026-03-01: https://android-developers.googleblog.com/2025/09/guide-to-excessive-wake-lock-usage.html",
        "https://developer.android.com/topic/performance/vitals/excessive-wakelock",
        "https://developer.android.com/develop/background-work/background-tasks/awake/wakelock/identify-wls",
        "Android lint: Wakelock, WakelockTimeout; creedengo Android: Idleness: Durable Wake Lock",
    ],
    thresholds: &[
        Threshold { name: "most-hours", value: 2.0, unit: "h per 24 h", meaning: "Play's rule." },
        Threshold {
            name: "least-recording",
            value: 1.0,
            unit: "h",
            meaning: "Shorter recordings are not scaled to 24 hours: what they show may be a moment. Ours.",
        },
        Threshold {
            name: "stuck-hours",
            value: 1.0,
            unit: "h",
            meaning: "One wakelock held without a break for so long, with the screen off, is stuck (Android vitals' old rule of stuck partial wakelocks).",
        },
    ],
};

pub(super) fn find(look: &Look<'_>) -> Outcome {
    let holders = holders(look);
    if holders.is_empty() {
        return Outcome::without("word of who held wakelocks");
    }
    let of = holders.iter().filter(|(uid, _)| look.is_app_looked_at(**uid));
    Outcome::found(of.filter_map(|(uid, holder)| of_app(look, *uid, holder)).collect())
}

fn of_app(look: &Look<'_>, uid: Uid, holder: &Holder) -> Option<Finding> {
    let most = look.threshold(&RULE, "most-hours") * 3600.0;
    let is_scalable = holder.of >= look.threshold(&RULE, "least-recording") * 3600.0;
    // What was held is a fact, whatever the length; a rate needs a length.
    let a_day = if holder.of > DAY || is_scalable {
        holder.seconds * DAY / holder.of
    } else {
        holder.seconds
    };
    let is_over = holder.seconds >= most && holder.of <= DAY;
    let stuck = stuck(look, holder);
    if !(is_over || (is_scalable && a_day >= most) || stuck.is_some()) {
        return None;
    }
    let who = look.app(uid);
    let is_app = uid.is_app();
    // Play's rule is about apps; below two hours it is a forecast.
    let severity = match (is_app, is_over || holder.of >= DAY || stuck.is_some()) {
        (true, true) => FindingSeverity::Error,
        (true, false) => FindingSeverity::Warning,
        (false, _) => FindingSeverity::Note,
    };
    let title = if let Some((window, tag)) = stuck.filter(|_| !is_over && a_day < most) {
        format!("{who} held the wakelock \"{tag}\" for {} without a break", time(window.duration()))
    } else if is_over || holder.of >= DAY {
        format!(
            "{who} held partial wakelocks for {} in {}",
            seconds(holder.seconds),
            seconds(holder.of)
        )
    } else {
        format!(
            "{who} held partial wakelocks for {} in {}: {} h in 24 h at this rate",
            seconds(holder.seconds),
            seconds(holder.of),
            figure(a_day / 3600.0)
        )
    };
    let confidence = match (holder.is_counted, is_app) {
        (true, true) => Confidence::medium(
            "the system's own totals; how much of it was in the background without a foreground service is not in them",
        ),
        _ if is_over || holder.of >= DAY || stuck.is_some() => {
            Confidence::high("the system's own history of who held wakelocks")
        }
        _ => Confidence::low("scaled from a shorter time: a forecast"),
    };
    let mut finding = look.finding(&RULE, severity, title, confidence);
    let by = if holder.is_counted { "counted by the system" } else { "by the system's history" };
    let mut text = format!(
        "{} of {} ({by}): {} h in 24 h, and the rule is {} h",
        seconds(holder.seconds),
        seconds(holder.of),
        figure(a_day / 3600.0),
        figure(most / 3600.0)
    );
    if holder.of > DAY {
        text.push_str(" (an average over more than a day)");
    } else if !is_over {
        text.push_str(" (scaled from a shorter time: a forecast, not a fact)");
    }
    finding.evidence.push(evidence(text, holder.window));
    finding.evidence.extend(awake(look, holder.window.as_slice()));
    let name = |tag| look.timeline.names.get(tag);
    for held in holder.tags.iter().take(5).filter(|held| held.seconds > 0.0) {
        let taken_by = TakenBy::from_tag(name(held.tag));
        let exempt = if taken_by.is_exempt() { ", which Play does not count" } else { "" };
        let text = format!(
            "\"{}\": {}, acquired {:.0} {}{exempt}",
            name(held.tag),
            seconds(held.seconds),
            held.times,
            if held.times < 1.5 { "time" } else { "times" }
        );
        finding.evidence.push(evidence(text, None));
    }
    if let Some((window, tag)) = holder.longest {
        let text = format!("longest: \"{}\" for {}", tag.map_or("", name), time(window.duration()));
        finding.evidence.push(evidence(text, Some(window)));
    }
    if holder.is_counted {
        let text = "where several apps held one at a time Android divides that time among them: it is at least this";
        finding.evidence.push(evidence(text, None));
    }
    if is_app {
        let text = "Play counts only time in the background without a foreground service, which the recording does not tell apart";
        finding.evidence.push(evidence(text, None));
    }
    let worst = holder.tags.iter().find(|held| !TakenBy::from_tag(name(held.tag)).is_exempt());
    if let Some(worst) = worst {
        TakenBy::from_tag(name(worst.tag)).remedy().clone_into(&mut finding.remedy);
        finding.place = place(name(worst.tag));
    }
    if !is_app {
        people::PLATFORM_REMEDY.clone_into(&mut finding.remedy);
    }
    finding.who = Some(who);
    finding.at_stake = look
        .stakes
        .app_by_source(uid, "wakelock")
        .or_else(|| look.stakes.app(uid, &Component::Cpu));
    Some(finding)
}

/// The longest stretch of one wakelock, where it is a stuck one.
fn stuck<'a>(look: &Look<'a>, holder: &Holder) -> Option<(Window, &'a str)> {
    let (window, tag) = holder.longest?;
    let tag = tag.map_or("", |tag| look.timeline.names.get(tag));
    let off = look.screen_off()?;
    let unseen = windows::inside(&off, window).seconds();
    let is_stuck = unseen >= look.threshold(&RULE, "stuck-hours") * 3600.0;
    (is_stuck && !TakenBy::from_tag(tag).is_exempt()).then_some((window, tag))
}
