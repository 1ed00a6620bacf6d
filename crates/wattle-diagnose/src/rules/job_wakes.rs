//! `job-wakes`.

use std::collections::BTreeMap;

use wattle_power::Component;
use wattle_timeline::{NameId, Quantity, StateKind, Uid, Window};

use super::held;
use super::look::{Look, evidence};
use super::outcome::Outcome;
use super::people;
use super::wakeup_evidence::awake;
use super::{sync_loop, wakelock_tag};
use crate::windows;
use crate::words::{figure, percent, seconds};
use crate::{Confidence, Finding, FindingSeverity, Rule, Threshold};

pub(super) const RULE: Rule = Rule {
    id: "job-wakes",
    title: "An app's jobs and syncs run often, or for long",
    severity: FindingSeverity::Warning,
    keeps_severity: true,
    example: "A job that schedules itself again in one minute: 60 runs an hour.",
    counter_example: "WorkManager's shortest period, four runs an hour.",
    looks_for: "How often the jobs and syncs of an app began, and for how long they ran: batterystats' history, and its totals for \
                the time.",
    why: "Each run wakes the device, holds a wakelock, and most of them open a connection, whose radio tail lasts longer than the \
          job.",
    remedy: "Give jobs constraints (charging, unmetered network, idle), a longer period with a flex interval, and let the system \
             batch them; replace polling by push messages; join jobs that do the same thing for several purposes.",
    references: &[
        "https://developer.android.com/develop/background-work/background-tasks/persistent/getting-started/define-work: the \
         shortest period of WorkManager is 15 minutes",
        "https://developer.android.com/topic/performance/power/power-details: job quotas by app standby bucket",
    ],
    thresholds: &[
        Threshold {
            name: "most-per-hour",
            value: 12.0,
            unit: "/h",
            meaning: "More runs than three periodic jobs of the shortest period that WorkManager allows (4 /h each). Ours.",
        },
        Threshold {
            name: "most-time",
            value: 0.05,
            unit: "of the time",
            meaning: "Jobs that ran for a longer part of the recording: over an hour a day. Ours.",
        },
        Threshold {
            name: "least-recording",
            value: 0.5,
            unit: "h",
            meaning: "Shorter recordings have no rate an hour. Ours.",
        },
        Threshold {
            name: "least-count",
            value: 6.0,
            unit: "runs",
            meaning: "Fewer are no habit, whatever the rate. Ours.",
        },
    ],
};

/// The jobs of an app.
#[derive(Default)]
struct Jobs {
    /// By name: runs and seconds.
    by_name: BTreeMap<NameId, (usize, f64)>,
    windows: Vec<Window>,
    runs: usize,
    /// Seconds by the system's totals.
    counted: f64,
}

pub(super) fn find(look: &Look<'_>) -> Outcome {
    let kinds = [StateKind::Job, StateKind::Sync];
    let is_total = |quantity| matches!(quantity, Quantity::Job | Quantity::Sync);
    let totals = || look.timeline.system.usage.iter().filter(move |usage| is_total(usage.quantity));
    if totals().next().is_none() && !kinds.iter().any(|kind| held::is_known(look, *kind)) {
        return Outcome::without("word of jobs: neither a history of them nor totals");
    }
    let mut apps: BTreeMap<Uid, Jobs> = BTreeMap::new();
    let all = kinds
        .iter()
        .flat_map(|kind| held::held(look, *kind).into_iter().map(move |it| (*kind, it)));
    for (kind, held) in all {
        let (Some(uid), Some(tag)) = (held.uid, held.tag) else { continue };
        // One cause is one finding.
        if kind == StateKind::Sync && sync_loop::is_found(look, &held.windows) {
            continue;
        }
        let jobs = apps.entry(uid).or_default();
        let named = jobs.by_name.entry(tag).or_default();
        named.0 += held.windows.len();
        named.1 += windows::total(&held.windows).seconds();
        jobs.runs += held.windows.len();
        jobs.windows.extend(held.windows);
    }
    let mut counted_over = None;
    for usage in totals() {
        let (Some(uid), Some(tag)) = (usage.uid, usage.tag) else { continue };
        counted_over = Some(usage.window);
        let jobs = apps.entry(uid).or_default();
        jobs.counted += usage.value;
        jobs.by_name.entry(tag).or_insert((0, usage.value));
    }
    let found = apps.into_iter().filter(|(uid, _)| look.is_app_looked_at(*uid));
    Outcome::found(found.filter_map(|(uid, jobs)| of_app(look, uid, jobs, counted_over)).collect())
}

fn of_app(look: &Look<'_>, uid: Uid, jobs: Jobs, counted_over: Option<Window>) -> Option<Finding> {
    let least = look.threshold(&RULE, "least-recording") * 3600.0;
    let length = look.window.duration().seconds();
    let running = windows::union(jobs.windows);
    let rate = jobs.runs as f64 * 3600.0 / length.max(1.0);
    let is_often = length >= least
        && jobs.runs as f64 >= look.threshold(&RULE, "least-count")
        && rate >= look.threshold(&RULE, "most-per-hour");
    let (ran, over) = if running.is_empty() {
        let over = counted_over.map_or(0.0, |window| window.duration().seconds());
        (jobs.counted, over)
    } else {
        (windows::total(&running).seconds(), length)
    };
    let share = if over > 0.0 { ran / over } else { 0.0 };
    let is_long = over >= least && share >= look.threshold(&RULE, "most-time");
    if !is_often && !is_long {
        return None;
    }
    let who = look.app(uid);
    let severity = if uid.is_app() { FindingSeverity::Warning } else { FindingSeverity::Note };
    let title = if is_often {
        format!("{who} ran jobs {} times an hour, {} in all", figure(rate), seconds(ran))
    } else {
        format!("{who} ran jobs for {} ({} of the time)", seconds(ran), percent(share))
    };
    let confidence = Confidence::high("the system's own record of jobs");
    let mut finding = look.finding(&RULE, severity, title, confidence);
    if !uid.is_app() {
        people::PLATFORM_REMEDY.clone_into(&mut finding.remedy);
    }
    let text = match jobs.runs {
        0 => format!(
            "{} by the system's totals ({} of the time); how often is not recorded",
            seconds(ran),
            percent(share)
        ),
        runs => format!("{runs} runs in {}, {} in all", seconds(length), seconds(ran)),
    };
    let when = windows::hull(&running).or(counted_over);
    finding.evidence.push(evidence(text, when));
    let mut names: Vec<(NameId, (usize, f64))> = jobs.by_name.into_iter().collect();
    names.sort_by(|one, other| {
        (other.1.0, other.1.1).partial_cmp(&(one.1.0, one.1.1)).unwrap_or(std::cmp::Ordering::Equal)
    });
    for (name, (runs, ran)) in names.iter().take(5) {
        let name = look.timeline.names.get(*name);
        let times = if *runs > 0 { format!("{runs} times, ") } else { String::new() };
        finding.evidence.push(evidence(format!("\"{name}\": {times}{}", seconds(*ran)), None));
    }
    finding.evidence.extend(awake(look, &running));
    let worst = names.first().map(|(name, _)| look.timeline.names.get(*name));
    finding.place = worst.and_then(|name| wakelock_tag::place(&format!("*job*/{name}")));
    finding.who = Some(who);
    finding.at_stake = look.stakes.component_of_app(uid, &Component::Cpu, &running);
    Some(finding)
}
