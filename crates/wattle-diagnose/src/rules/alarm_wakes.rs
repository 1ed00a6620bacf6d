//! `alarm-wakes`.

use std::collections::BTreeMap;

use wattle_timeline::{NameId, Quantity, Uid, Window};

use super::look::{Look, evidence};
use super::outcome::Outcome;
use super::people;
use super::wakelock_tag;
use crate::words::{figure, seconds};
use crate::{Confidence, Finding, FindingSeverity, Rule, Threshold};

pub(super) const RULE: Rule = Rule {
    id: "alarm-wakes",
    title: "An app's alarms wake the device often",
    severity: FindingSeverity::Warning,
    keeps_severity: true,
    example: "`setRepeating(RTC_WAKEUP, …, 60_000, …)`: 60 wake-ups an hour.",
    counter_example: "Android's own alarms under the uid `system`: a note, with the alarms' names.",
    looks_for: "Wake-ups by alarm of each app for each hour on battery: batterystats' totals (Wakeup alarm).",
    why: "A device that sleeps draws a hundredth of what it draws awake. Each alarm wakes it, and it stays up for seconds.",
    remedy: "Use WorkManager, or alarms that do not wake (RTC, ELAPSED_REALTIME), inexact and with a window, so that the system \
             batches them; setAlarmClock and setExactAndAllowWhileIdle are for clocks and calendars.",
    references: &[
        "Android vitals, Excessive wakeups: more than 10 an hour: https://developer.android.com/topic/performance/vitals/wakeup",
        "https://support.google.com/googleplay/android-developer/answer/9844486",
        "Android lint: ShortAlarm; creedengo Android: Idleness: Rigid Alarm",
    ],
    thresholds: &[
        Threshold {
            name: "most-per-hour",
            value: 10.0,
            unit: "/h",
            meaning: "Android vitals' rule of excessive wake-ups.",
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
            unit: "wake-ups",
            meaning: "Fewer are no habit, whatever the rate. Ours.",
        },
    ],
};

/// The fix where most alarms are those of Google's location service, which sets them for whoever asked for positions.
const LOCATION_REMEDY: &str = "Most of these alarms are set by the location service for this app's requests of positions: ask for them \
     less often and batched (setMaxUpdateDelayMillis), use passive requests or geofences, and remove requests in the background.";

/// Alarms that woke the device for an app.
#[derive(Default)]
struct Wakes {
    alarms: f64,
    by_name: Vec<(NameId, f64)>,
    window: Option<Window>,
}

pub(super) fn find(look: &Look<'_>) -> Outcome {
    let timeline = look.timeline;
    let totals = || timeline.system.usage.iter().filter(|it| it.quantity == Quantity::AlarmWakeups);
    // Statistics that count wakelocks count alarms, too: none of them then is an answer.
    let has_statistics = timeline.system.usage.iter().any(|it| it.quantity == Quantity::OnBattery);
    if totals().next().is_none() && !has_statistics {
        return Outcome::without("totals of alarms (battery statistics)");
    }
    let mut apps: BTreeMap<Uid, Wakes> = BTreeMap::new();
    for usage in totals() {
        let Some(uid) = usage.uid else { continue };
        let wakes = apps.entry(uid).or_default();
        wakes.alarms += usage.value;
        wakes.window = Some(usage.window);
        wakes.by_name.extend(usage.tag.map(|tag| (tag, usage.value)));
    }
    let on_battery = timeline
        .system
        .usage
        .iter()
        .find(|usage| usage.quantity == Quantity::OnBattery && usage.uid.is_none())
        .map(|usage| usage.value);
    let found = apps.into_iter().filter(|(uid, _)| look.is_app_looked_at(*uid));
    let found = found.filter_map(|(uid, wakes)| of_app(look, uid, wakes, on_battery));
    Outcome::found(found.collect())
}

fn of_app(look: &Look<'_>, uid: Uid, wakes: Wakes, on_battery: Option<f64>) -> Option<Finding> {
    let is_excess = |count: f64, over: f64| {
        over >= look.threshold(&RULE, "least-recording") * 3600.0
            && count >= look.threshold(&RULE, "least-count")
            && count * 3600.0 / over > look.threshold(&RULE, "most-per-hour")
    };
    let of_alarms = on_battery.unwrap_or(wakes.window.map_or(0.0, |it| it.duration().seconds()));
    if !is_excess(wakes.alarms, of_alarms) {
        return None;
    }
    let who = look.app(uid);
    let severity = if uid.is_app() { FindingSeverity::Warning } else { FindingSeverity::Note };
    let rate = figure(wakes.alarms * 3600.0 / of_alarms);
    let title = format!("{who} woke the device by alarm {rate} times an hour");
    let confidence =
        Confidence::high("the system's own count, against the limit of Android vitals");
    let mut finding = look.finding(&RULE, severity, title, confidence);
    if !uid.is_app() {
        people::PLATFORM_REMEDY.clone_into(&mut finding.remedy);
    }
    let text =
        format!("{:.0} wake-ups by alarm in {} on battery", wakes.alarms, seconds(of_alarms));
    finding.evidence.push(evidence(text, wakes.window));
    let mut names = wakes.by_name;
    names.sort_by(|one, other| other.1.total_cmp(&one.1));
    for (name, count) in names.iter().take(5).filter(|(_, count)| *count > 0.0) {
        let text = format!("\"{}\": {count:.0} times", look.timeline.names.get(*name));
        finding.evidence.push(evidence(text, None));
    }
    let is_location = |(name, _): &&(NameId, f64)| {
        look.timeline.names.get(*name).to_ascii_lowercase().contains(".location.")
    };
    let of_location: f64 = names.iter().filter(is_location).map(|(_, count)| count).sum();
    if uid.is_app() && of_location * 2.0 > wakes.alarms {
        LOCATION_REMEDY.clone_into(&mut finding.remedy);
    }
    let worst = names.first().map(|(name, _)| look.timeline.names.get(*name));
    finding.place = worst.and_then(wakelock_tag::place);
    finding.who = Some(who);
    finding.at_stake = look.stakes.app_by_source(uid, "wakelock");
    Some(finding)
}
