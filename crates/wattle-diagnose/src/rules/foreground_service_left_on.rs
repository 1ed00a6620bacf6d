//! `foreground-service-left-on`.

use std::collections::BTreeMap;

use wattle_power::Component;
use wattle_timeline::{NameId, StateKind, Uid, Window};
use wattle_units::Nanos;

use super::held;
use super::look::{Look, evidence};
use super::outcome::Outcome;
use super::wakelock_tag;
use crate::windows;
use crate::words::{percent, seconds};
use crate::{Confidence, Finding, FindingSeverity, Rule, Threshold};

pub(super) const RULE: Rule = Rule {
    id: "foreground-service-left-on",
    title: "A foreground service stays on in the background and uses nothing that needs one",
    severity: FindingSeverity::Warning,
    keeps_severity: true,
    example: "A messenger that keeps a service with a notification so that it is not killed: 24 hours a day, with the screen off.",
    counter_example: "Music with the screen off, navigation, a recorded run, a call, an upload that the user began: each uses sound, \
                      positions, sensors, the camera or the network meanwhile.",
    looks_for: "Foreground services of an app that run while it is not in front and the screen is off, less the time in which the app used \
                sound, video, positions, sensors, the camera, a Bluetooth or Wi-Fi scan, a call or the network. In statsd's reports \
                (ForegroundServiceStateChanged).",
    why: "The system neither freezes nor stops such a process, lets it start work at any time, and keeps it out of app standby: what its \
          timers and connections do goes on all night.",
    remedy: "Stop the service (stopForeground, stopSelf) when what the user sees of it has ended. Work that can wait belongs into \
             WorkManager, waiting for messages into push (FCM), transfers that the user began into user-initiated jobs. Declare the \
             type of what is left (foregroundServiceType); Android 15 stops dataSync and mediaProcessing after 6 hours.",
    references: &[
        "https://developer.android.com/develop/background-work/services/fgs",
        "https://developer.android.com/develop/background-work/services/fgs/timeout",
        "https://support.google.com/googleplay/android-developer/answer/13392821",
    ],
    thresholds: &[
        Threshold {
            name: "least-time",
            value: 600.0,
            unit: "s",
            meaning: "For so long the service has to do without anything that needs one. Ours.",
        },
        Threshold {
            name: "least-share",
            value: 0.8,
            unit: "of its time",
            meaning: "A service that uses something for a larger part of its time in the background is needed. Ours.",
        },
        Threshold {
            name: "around-use",
            value: 30.0,
            unit: "s",
            meaning: "So long before and after a use the service is needed for it. Ours.",
        },
    ],
};

/// Uses for which Android has types of foreground services, as far as states of them are recorded.
const USES: [StateKind; 9] = [
    StateKind::Audio,
    StateKind::Video,
    StateKind::Gnss,
    StateKind::Sensor,
    StateKind::Camera,
    StateKind::BluetoothScan,
    StateKind::WifiScan,
    StateKind::PhoneCall,
    StateKind::Flashlight,
];

/// The name of a service, and when it was in the foreground.
type Service = (Option<NameId>, Vec<Window>);

pub(super) fn find(look: &Look<'_>) -> Outcome {
    if !held::is_known(look, StateKind::ForegroundService) {
        return Outcome::without("foreground services");
    }
    let Some(dark) = look.screen_off() else {
        return Outcome::without("state of the screen beside foreground services");
    };
    let mut apps: BTreeMap<Uid, Vec<Service>> = BTreeMap::new();
    for service in held::held(look, StateKind::ForegroundService) {
        if let Some(uid) = service.uid.filter(|uid| uid.is_app() && look.is_app_looked_at(*uid)) {
            apps.entry(uid).or_default().push((service.tag, service.windows));
        }
    }
    let found = apps.into_iter();
    Outcome::found(
        found.filter_map(|(uid, services)| of_app(look, uid, &services, &dark)).collect(),
    )
}

/// When an app, or nobody who is known, used something that a foreground service is for.
fn used(look: &Look<'_>, uid: Uid) -> Vec<Window> {
    let mut used: Vec<Window> = Vec::new();
    for held in USES.into_iter().flat_map(|kind| held::held(look, kind)) {
        if held.uid.is_none_or(|of| of == uid) {
            used.extend(held.windows);
        }
    }
    let packets = look.timeline.hardware.packets.iter();
    let packets = packets.filter(|packet| packet.uid.is_none_or(|of| of == uid));
    used.extend(packets.map(|packet| Window::new(packet.time, packet.end)));
    let around = Nanos::from_seconds(look.threshold(&RULE, "around-use"));
    windows::union(used.iter().map(|it| Window::new(it.start - around, it.end + around)).collect())
}

fn of_app(look: &Look<'_>, uid: Uid, services: &[Service], dark: &[Window]) -> Option<Finding> {
    let behind = |on: &[Window]| {
        let front = look.in_front(uid).unwrap_or_default();
        windows::difference(&windows::intersection(on, dark), &front)
    };
    let all = services.iter().flat_map(|(_, on)| on.iter().copied()).collect();
    let on = behind(&windows::union(all));
    let used = used(look, uid);
    let needless = windows::difference(&on, &used);
    let (all, idle) = (windows::total(&on).seconds(), windows::total(&needless).seconds());
    let is_long = idle > 0.0 && idle >= look.threshold(&RULE, "least-time");
    if !is_long || idle < all * look.threshold(&RULE, "least-share") {
        return None;
    }
    let who = look.app(uid);
    let title = format!(
        "{who} kept a foreground service for {} with the screen off and used nothing that needs one",
        seconds(idle)
    );
    let confidence = if used.is_empty() {
        Confidence::low(
            "no use of sound, positions, sensors, camera or network is in the recording: it may not have been recorded",
        )
    } else {
        Confidence::medium(
            "the system's own record of services and of what was used; what the service computes is not in it",
        )
    };
    let mut finding = look.finding(&RULE, FindingSeverity::Warning, title, confidence);
    let text = format!(
        "{} in the background with the screen off, {} of it without such a use",
        seconds(all),
        percent(idle / all)
    );
    finding.evidence.push(evidence(text, windows::hull(&needless)));
    let mut named: Vec<(NameId, f64)> = services
        .iter()
        .filter_map(|(tag, on)| Some(((*tag)?, windows::total(&behind(on)).seconds())))
        .collect();
    named.sort_by(|one, other| other.1.total_cmp(&one.1));
    for (name, length) in named.iter().take(5) {
        let text = format!("\"{}\": {}", look.timeline.names.get(*name), seconds(*length));
        finding.evidence.push(evidence(text, None));
    }
    let longest = named.first().map(|(name, _)| look.timeline.names.get(*name));
    finding.place = longest.and_then(wakelock_tag::place);
    finding.who = Some(who);
    finding.at_stake = look.stakes.component_of_app(uid, &Component::Cpu, &needless);
    Some(finding)
}
