//! `wakelock-never-released`.

use wattle_ledger::allocation::NamePattern;
use wattle_power::Component;
use wattle_timeline::StateKind;

use super::api_sessions;
use super::held;
use super::look::{Look, evidence};
use super::outcome::Outcome;
use super::people;
use super::wakelock_tag::{TakenBy, place};
use crate::windows;
use crate::words::time;
use crate::{Confidence, Finding, FindingSeverity, Rule, Threshold};

pub(super) const RULE: Rule = Rule {
    id: "wakelock-never-released",
    title: "A wakelock is taken and not released",
    severity: FindingSeverity::Error,
    keeps_severity: true,
    example: "`wl.acquire(); upload(); wl.release();` without `finally`: the upload throws, and the wakelock is held until the process dies.",
    counter_example: "A wakelock that is held when a recording of ten seconds ends with the screen on: nothing says that it stays.",
    looks_for: "Wakelocks that were still held when the recording ended, with the screen off, and calls of WakeLock.acquire that no \
                call of release follows. In batterystats' history, and in calls that probes record.",
    why: "Until somebody releases it, or the process dies, the device cannot suspend: this spends without end.",
    remedy: "Release it in a finally block, on every path and also after errors, and acquire it with a timeout, so that a path that \
             was forgotten ends by itself.",
    references: &[
        "https://developer.android.com/develop/background-work/background-tasks/awake/wakelock/release",
        "Android lint: Wakelock, WakelockTimeout; creedengo Android: Leakage: Wakelock",
    ],
    thresholds: &[Threshold {
        name: "least-time",
        value: 60.0,
        unit: "s",
        meaning: "Android itself notes a wakelock as long after a minute (`longwake` of its history).",
    }],
};

pub(super) fn find(look: &Look<'_>) -> Outcome {
    let named = |name: &str| vec![NamePattern::new(name)];
    let calls = api_sessions::between(
        look.timeline,
        &named("android.os.PowerManager$WakeLock.acquire*"),
        &named("android.os.PowerManager$WakeLock.release*"),
    );
    if calls.is_empty() && !held::is_known(look, StateKind::Wakelock) {
        return Outcome::without("word of who held wakelocks");
    }
    let least = look.threshold(&RULE, "least-time");
    let screen_off = look.screen_off();
    let mut found: Vec<Finding> = Vec::new();
    for held in held::held(look, StateKind::Wakelock) {
        let (Some(uid), Some(open)) = (held.uid, held.open()) else { continue };
        // With the screen on the device is awake anyway.
        let costs = screen_off
            .as_ref()
            .map_or_else(|| vec![open], |off| windows::intersection(off, &[open]));
        let is_off_at_end = costs.last().is_some_and(|last| last.end >= look.window.end);
        let length = windows::total(&costs);
        if length.seconds() < least || !is_off_at_end || !look.is_app_looked_at(uid) {
            continue;
        }
        let tag = held.tag.map_or("", |tag| look.timeline.names.get(tag));
        let taken_by = TakenBy::from_tag(tag);
        let who = look.app(uid);
        let title = format!(
            "{who} did not release the wakelock \"{tag}\": held for {} until the recording ended",
            time(open.duration())
        );
        let severity = if uid.is_app() && !taken_by.is_exempt() {
            FindingSeverity::Error
        } else {
            FindingSeverity::Note
        };
        let mut finding = look.finding(&RULE, severity, title, Confidence::high("the system's own history: taken, and not released until it ends, with the screen off"));
        let text = format!(
            "held, and not seen to be released; {} of it with the screen off",
            time(length)
        );
        finding.evidence.push(evidence(text, Some(open)));
        if !uid.is_app() {
            people::PLATFORM_REMEDY.clone_into(&mut finding.remedy);
        } else if taken_by != TakenBy::App {
            taken_by.remedy().clone_into(&mut finding.remedy);
        }
        finding.who = Some(who);
        finding.place = place(tag);
        finding.at_stake = look
            .stakes
            .app_by_source(uid, "wakelock")
            .or_else(|| look.stakes.component(&Component::Cpu, &costs));
        found.push(finding);
    }
    for call in calls.iter().filter(|call| !call.is_ended && look.is_looked_at(call.process)) {
        let length = call.window.duration();
        if length.seconds() < least {
            continue;
        }
        let who = call.process.and_then(|process| people::process(look.timeline, process));
        let title = format!(
            "{} took a wakelock and did not release it in {}",
            who.as_deref().unwrap_or("an app"),
            time(length)
        );
        let mut finding = look.finding(
            &RULE,
            FindingSeverity::Error,
            title,
            Confidence::high("calls that probes recorded: acquire, and no release"),
        );
        let text = format!("{} was called; no call of release followed", call.place.function);
        finding.evidence.push(evidence(text, Some(call.window)));
        finding.who = who;
        finding.thread = Some(people::thread(look.timeline, call.thread));
        finding.place = Some(call.place.clone());
        finding.at_stake = look.stakes.component(&Component::Cpu, &[call.window]);
        found.push(finding);
    }
    Outcome::found(found)
}
