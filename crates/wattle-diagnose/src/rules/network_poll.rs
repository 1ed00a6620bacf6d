//! `network-poll`.

use std::collections::BTreeMap;

use wattle_timeline::{NetworkPacket, Uid, Window};
use wattle_units::Nanos;

use super::look::{Look, evidence};
use super::outcome::Outcome;
use super::regular_times::RegularTimes;
use crate::words::{bytes, figure, percent, seconds, time};
use crate::{Confidence, Finding, FindingSeverity, Rule, Threshold};

pub(super) const RULE: Rule = Rule {
    id: "network-poll",
    title: "An app asks the network on a timer instead of being told",
    severity: FindingSeverity::Warning,
    keeps_severity: false,
    example: "A news app that asks `GET /updates` every 30 s: 120 times an hour the radio comes up for an answer of 200 bytes.",
    counter_example: "A player that fetches a segment of a film every ten seconds: regular, and megabytes each time.",
    looks_for: "Small transfers of one app that come at a regular period of two seconds to fifteen minutes, six times and more. In \
                network packets by app.",
    why: "Each question brings a radio up, and a mobile one stays up for about ten seconds afterwards, whatever the answer's size.",
    remedy: "Let the server tell (Firebase Cloud Messaging, a WebSocket that is open anyway) instead of asking; ask when the app comes \
             to the front; where a timer has to be, use WorkManager with a network constraint and a period of hours.",
    references: &[
        "https://developer.android.com/develop/connectivity/minimize-effect-regular-updates",
        "https://firebase.google.com/docs/cloud-messaging",
        "creedengo Android: Sobriety: Internet In The Loop",
    ],
    thresholds: &[
        Threshold {
            name: "shortest-period",
            value: 2.0,
            unit: "s",
            meaning: "Shorter periods are one conversation; `chatty-network` looks at those.",
        },
        Threshold {
            name: "longest-period",
            value: 900.0,
            unit: "s",
            meaning: "The shortest period of WorkManager: longer ones are what Android recommends.",
        },
        Threshold {
            name: "least-count",
            value: 6.0,
            unit: "transfers",
            meaning: "Fewer are no timer. Ours.",
        },
        Threshold {
            name: "least-share",
            value: 0.8,
            unit: "of transfers",
            meaning: "The part of them that come one period after the one before, give or take `tolerance`. Ours.",
        },
        Threshold {
            name: "tolerance",
            value: 0.1,
            unit: "of the period",
            meaning: "How far from the period a transfer may be. Ours.",
        },
        Threshold {
            name: "most-bytes",
            value: 65536.0,
            unit: "B",
            meaning: "A transfer that moves more has something to say. Ours.",
        },
    ],
};

/// Packets no further apart than this are one transfer.
const ONE_TRANSFER: Nanos = Nanos::new(1_000_000_000);

/// Packets in a row.
#[derive(Clone, Copy, Debug)]
struct Transfer {
    window: Window,
    bytes: u64,
}

pub(super) fn find(look: &Look<'_>) -> Outcome {
    let packets = &look.timeline.hardware.packets;
    if packets.is_empty() {
        return Outcome::without("network packets by app");
    }
    let mut apps: BTreeMap<Uid, Vec<&NetworkPacket>> = BTreeMap::new();
    for packet in packets.iter().filter(|packet| look.window.contains(packet.time)) {
        if let Some(uid) = packet.uid.filter(|uid| uid.is_app() && look.is_app_looked_at(*uid)) {
            apps.entry(uid).or_default().push(packet);
        }
    }
    let found = apps.into_iter().filter_map(|(uid, packets)| of_app(look, uid, &packets));
    Outcome::found(found.collect())
}

fn transfers(packets: &[&NetworkPacket]) -> Vec<Transfer> {
    let mut found: Vec<Transfer> = Vec::new();
    for packet in packets {
        let window = Window::new(packet.time, packet.end.max(packet.time));
        match found.last_mut() {
            Some(last) if window.start - last.window.end <= ONE_TRANSFER => {
                last.bytes = last.bytes.saturating_add(packet.bytes);
                last.window.end = last.window.end.max(window.end);
            }
            _ => found.push(Transfer { window, bytes: packet.bytes }),
        }
    }
    found
}

fn of_app(look: &Look<'_>, uid: Uid, packets: &[&NetworkPacket]) -> Option<Finding> {
    let transfers = transfers(packets);
    let starts: Vec<_> = transfers.iter().map(|it| it.window.start).collect();
    let RegularTimes { period, share } =
        RegularTimes::of(&starts, look.threshold(&RULE, "tolerance"))?;
    let mut sizes: Vec<u64> = transfers.iter().map(|it| it.bytes).collect();
    sizes.sort_unstable();
    let typical = sizes.get(sizes.len() / 2).copied().unwrap_or(0) as f64;
    let is_poll = period > 0.0
        && period >= look.threshold(&RULE, "shortest-period")
        && period <= look.threshold(&RULE, "longest-period")
        && transfers.len() as f64 >= look.threshold(&RULE, "least-count")
        && share >= look.threshold(&RULE, "least-share")
        && typical <= look.threshold(&RULE, "most-bytes");
    if !is_poll {
        return None;
    }
    let who = look.app(uid);
    let title =
        format!("{who} asks the network every {}, {} times", seconds(period), transfers.len());
    let confidence = Confidence::medium(
        "packets at a regular period; whether the server could have told by itself is not in a recording",
    );
    let mut finding = look.finding(&RULE, FindingSeverity::Warning, title, confidence);
    let window = Window::new(transfers.first()?.window.start, transfers.last()?.window.end);
    let text = format!(
        "{} transfers in {}, {} of them {} after the one before, {} each: {} an hour",
        transfers.len(),
        time(window.duration()),
        percent(share),
        seconds(period),
        bytes(typical),
        figure(3600.0 / period)
    );
    finding.evidence.push(evidence(text, Some(window)));
    finding.who = Some(who);
    let of_radio = |component| {
        let stakes = &look.stakes;
        stakes.tail(&component, Some(uid)).or_else(|| stakes.app(uid, &component))
    };
    finding.at_stake = of_radio(wattle_power::Component::Cellular)
        .or_else(|| of_radio(wattle_power::Component::Wifi));
    Some(finding)
}
