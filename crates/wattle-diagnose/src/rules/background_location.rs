//! `background-location`.

use std::collections::BTreeMap;

use wattle_power::Component;
use wattle_timeline::{Quantity, StateKind, Uid, Window};

use super::look::{Look, evidence};
use super::outcome::Outcome;
use super::{api_sessions, held, left_on, people, stakes};
use crate::windows;
use crate::words::{percent, seconds};
use crate::{Confidence, Finding, FindingSeverity, Rule, Threshold};

pub(super) const RULE: Rule = Rule {
    id: "background-location",
    title: "An app asks for positions while it is not in front",
    severity: FindingSeverity::Warning,
    keeps_severity: false,
    example: "A weather app that tracks satellites for 40 min a day while it is not in front.",
    counter_example: "A running tracker that the user started: the figure is right, and the use is wanted; accept it in `wattle.toml` with that reason.",
    looks_for: "Apps that used satellite positioning for longer than they were in front: totals and states of batterystats; and \
                requests for positions that probes saw, which were still open when their app had left the front.",
    why: "In the background positions cost the same as in front, nobody sees them, and each one wakes the CPU: it is the most \
          expensive habit that an app can have after a wakelock.",
    remedy: "Remove the request in onStop. If the feature needs positions in the background, take them rarely (Android gives a few \
             an hour anyway), batch them, use passive requests, geofences or the fused provider's PRIORITY_LOW_POWER.",
    references: &[
        "https://developer.android.com/develop/sensors-and-location/location/background",
        "Android lint: ACCESS_BACKGROUND_LOCATION; creedengo Android: Sobriety",
    ],
    thresholds: &[
        Threshold {
            name: "least-time",
            value: 60.0,
            unit: "s",
            meaning: "Less time in the background is the end of a use in front. Ours.",
        },
        Threshold {
            name: "grave-share",
            value: 0.1,
            unit: "of background time",
            meaning: "From this part on it is an error: positions are asked for as a habit. Ours.",
        },
    ],
};

/// Location use of an app, by one kind of evidence.
struct Seen {
    /// Seconds of use in the background.
    length: f64,
    /// Seconds that the app was not in front.
    background: f64,
    window: Option<Window>,
    text: String,
}

pub(super) fn find(look: &Look<'_>) -> Outcome {
    let mut uses: BTreeMap<Uid, Vec<Seen>> = BTreeMap::new();
    let totals = look.timeline.system.usage.iter().filter(|usage| usage.quantity == Quantity::Gnss);
    let fronts = left_on::fronts(look);
    let mut can_look = false;
    if let Some(fronts) = &fronts {
        for usage in totals {
            can_look = true;
            let Some(uid) = usage.uid else { continue };
            let front = fronts.get(&uid).copied().unwrap_or(0.0);
            let text = format!("on for {}, in front for {}", seconds(usage.value), seconds(front));
            let background = usage.window.duration().seconds() - front;
            let (length, window) = (usage.value - front, Some(usage.window));
            uses.entry(uid).or_default().push(Seen { length, background, window, text });
        }
    }
    let sessions = api_sessions::of_component(look.timeline, &Component::Gnss);
    let states = held::held(look, StateKind::Gnss);
    let of_states = states.iter().filter_map(|held| Some((held.uid?, held.windows.clone(), None)));
    let of_calls = sessions.iter().filter_map(|session| {
        let uid = people::uid_of(look.timeline, session.process)?;
        Some((uid, vec![session.window], Some(&session.place)))
    });
    let mut places = BTreeMap::new();
    for (uid, on, place) in of_states.chain(of_calls) {
        let Some(front) = look.in_front(uid) else { continue };
        can_look = true;
        let away = windows::difference(&on, &front);
        let background = windows::total(&windows::difference(&[look.window], &front)).seconds();
        let length = windows::total(&away).seconds();
        let text = format!("on for {} while it was not in front", seconds(length));
        if let Some(place) = place {
            places.entry(uid).or_insert_with(|| place.clone());
        }
        let window = windows::hull(&away);
        uses.entry(uid).or_default().push(Seen { length, background, window, text });
    }
    if !can_look {
        return Outcome::without("word of positions by app beside when apps were in front");
    }
    let mut found = Vec::new();
    for (uid, mut seen) in uses {
        seen.retain(|it| it.length >= look.threshold(&RULE, "least-time"));
        seen.sort_by(|one, other| other.length.total_cmp(&one.length));
        let Some(Seen { length, background, .. }) = seen.first() else { continue };
        // The system's own services ask for others.
        if !uid.is_app() || !look.is_app_looked_at(uid) {
            continue;
        }
        let share = if *background > 0.0 { length / background } else { 1.0 };
        found.push(finding(look, uid, &seen, share, places.remove(&uid)));
    }
    Outcome::found(found)
}

fn finding(
    look: &Look<'_>,
    uid: Uid,
    seen: &[Seen],
    share: f64,
    place: Option<crate::CodePlace>,
) -> Finding {
    let who = look.app(uid);
    let length = seen.first().map_or(0.0, |it| it.length);
    let severity = if share >= look.threshold(&RULE, "grave-share") {
        FindingSeverity::Error
    } else {
        FindingSeverity::Warning
    };
    let title = format!(
        "{who} used satellite positioning for at least {} in the background ({} of that time)",
        seconds(length),
        percent(share)
    );
    let mut finding = look.finding(
        &RULE,
        severity,
        title,
        Confidence::high("the system's own account of positions and of the time in front"),
    );
    finding.evidence = seen.iter().map(|it| evidence(it.text.as_str(), it.window)).collect();
    finding.who = Some(who);
    finding.place = place;
    let used: f64 = look
        .timeline
        .system
        .usage
        .iter()
        .filter(|usage| usage.quantity == Quantity::Gnss && usage.uid == Some(uid))
        .map(|usage| usage.value)
        .sum();
    finding.at_stake = look
        .stakes
        .app(uid, &Component::Gnss)
        .map(|energy| if used > 0.0 { stakes::part(energy, length / used) } else { energy });
    finding
}
