//! `chatty-network`.

use std::collections::BTreeMap;

use wattle_power::Component;
use wattle_timeline::{CounterScope, NetworkPacket, Quantity, StateKind, Uid, WakeCause, Window};
use wattle_units::{BootNanos, Estimate};

use super::held;
use super::look::{Look, evidence};
use super::outcome::Outcome;
use crate::windows;
use crate::words::{bytes, figure, percent, seconds, time};
use crate::{Confidence, Finding, FindingSeverity, Rule, Threshold};

pub(super) const RULE: Rule = Rule {
    id: "chatty-network",
    title: "Small transfers keep a radio awake",
    severity: FindingSeverity::Warning,
    keeps_severity: false,
    example: "A chat client with a keep-alive of four seconds on a mobile network: 2 kB a minute, and the radio never sleeps.",
    counter_example: "A download of 20 MB in one go; what `root` and the resolver (`dns`) send for all apps together.",
    looks_for: "Transfers that come before the radio has slept again after the one before, and that move little: in network packets \
                by app at idle; in batterystats' totals (bytes for each second that an app kept the mobile radio active); in its \
                history (whose packets brought a sleeping radio up, wakeupap); and, for the device, in how often and how long its mobile radio was up with the screen off.",
    why: "After its last byte a mobile radio stays in a high state for about ten seconds, a Wi-Fi radio for a quarter of one. A \
          kilobyte every few seconds costs nearly what a download does.",
    remedy: "Collect what is sent and send it together, with what must be sent anyway; prefetch what will be needed; replace \
             polling by push messages; lengthen keep-alives; compress nothing before the number of transfers is down.",
    references: &[
        "Huang and others, A Close Examination of Performance and Power Characteristics of 4G LTE Networks (MobiSys 2012): tails of \
         11.6 s (LTE) and 0.24 s (Wi-Fi)",
        "https://developer.android.com/develop/connectivity/network-ops/network-access-optimization",
        "creedengo Android: Batch: Service@Boot-time, Sobriety: Internet In The Loop",
    ],
    thresholds: &[
        Threshold {
            name: "cell-tail",
            value: 11.6,
            unit: "s",
            meaning: "For how long a mobile radio stays up after a transfer (Huang and others, LTE).",
        },
        Threshold {
            name: "wifi-tail",
            value: 0.24,
            unit: "s",
            meaning: "The same of Wi-Fi (Huang and others).",
        },
        Threshold {
            name: "most-rate",
            value: 1000.0,
            unit: "B/s",
            meaning: "More than this is a transfer that needs its radio. Ours.",
        },
        Threshold {
            name: "least-transfers",
            value: 10.0,
            unit: "transfers",
            meaning: "Fewer in a row are no habit. Ours.",
        },
        Threshold {
            name: "least-active",
            value: 600.0,
            unit: "s",
            meaning: "Of totals: less time with an active mobile radio is not looked at. Ours.",
        },
        Threshold {
            name: "most-wakes-per-hour",
            value: 10.0,
            unit: "/h",
            meaning: "How often packets of one app may bring a sleeping radio up. As of alarms, which Android vitals counts.",
        },
        Threshold {
            name: "most-radio-share",
            value: 0.25,
            unit: "of screen-off time",
            meaning: "The part of the time with the screen off in which the mobile radio may be up. Ours.",
        },
    ],
};

/// A radio.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Radio {
    Wifi,
    Cell,
}

impl Radio {
    /// By the name of an interface, as Android's and Linux' drivers give it.
    fn from_interface(interface: &str) -> Option<Self> {
        let is_any = |starts: &[&str]| starts.iter().any(|start| interface.starts_with(start));
        if is_any(&["wlan", "wifi", "wlp", "swlan", "p2p"]) {
            Some(Self::Wifi)
        } else if is_any(&[
            "rmnet", "v4-rmnet", "r_rmnet", "ccmni", "v4-ccmni", "wwan", "pdp", "seth_lte", "uwbr",
        ]) {
            Some(Self::Cell)
        } else {
            None
        }
    }

    const fn noun(self) -> &'static str {
        match self {
            Self::Wifi => "Wi-Fi",
            Self::Cell => "the mobile radio",
        }
    }

    const fn component(self) -> Component {
        match self {
            Self::Wifi => Component::Wifi,
            Self::Cell => Component::Cellular,
        }
    }
}

/// Transfers in a row that leave a radio no time to sleep.
#[derive(Clone, Copy, Debug)]
struct Chain {
    window: Window,
    transfers: u64,
    bytes: u64,
}

pub(super) fn find(look: &Look<'_>) -> Outcome {
    let is_total = |quantity| quantity == Quantity::CellActive;
    let has_totals =
        look.timeline.system.usage.iter().any(|it| it.uid.is_some() && is_total(it.quantity));
    let has_radio =
        held::is_known(look, StateKind::CellRadio) || !look.timeline.suspend.wakes.is_empty();
    if look.timeline.hardware.packets.is_empty() && !has_totals && !has_radio {
        return Outcome::without("network packets, totals of radios by app, or states of radios");
    }
    let mut found = by_packets(look);
    let (of_apps, of_platform) = by_totals(look);
    found.extend(of_apps);
    by_wakes(look, &mut found);
    if let Some(mut finding) = of_device(look) {
        // Resolver, kernel and tethering send for all apps: context of the device's finding, no findings of their own.
        finding.evidence.extend(of_platform.into_iter().flat_map(|it| {
            let title = evidence(it.title, None);
            std::iter::once(title).chain(it.evidence)
        }));
        found.push(finding);
    }
    Outcome::found(found)
}

fn by_packets(look: &Look<'_>) -> Vec<Finding> {
    let timeline = look.timeline;
    let mut flows: BTreeMap<(Radio, Option<Uid>), Vec<&NetworkPacket>> = BTreeMap::new();
    for packet in &timeline.hardware.packets {
        if let Some(radio) = Radio::from_interface(timeline.names.get(packet.interface))
            && windows::around(&look.idle, packet.time).is_some()
        {
            flows.entry((radio, packet.uid)).or_default().push(packet);
        }
    }
    let mut found = Vec::new();
    for ((radio, uid), packets) in flows {
        let is_meant =
            uid.map_or_else(|| look.is_device_looked_at(), |uid| look.is_app_looked_at(uid));
        let tail = look.threshold(
            &RULE,
            match radio {
                Radio::Wifi => "wifi-tail",
                Radio::Cell => "cell-tail",
            },
        );
        let mut chains = chains(&packets, tail);
        chains.retain(|chain| {
            let length = chain.window.duration().seconds();
            chain.transfers as f64 >= look.threshold(&RULE, "least-transfers")
                && length > 0.0
                && chain.bytes as f64 / length <= look.threshold(&RULE, "most-rate")
        });
        chains.sort_by_key(|chain| std::cmp::Reverse(chain.window.duration()));
        let Some(longest) = chains.first().filter(|_| is_meant) else { continue };
        let set = windows::union(chains.iter().map(|chain| chain.window).collect());
        let length = windows::total(&set).seconds();
        let moved: f64 = chains.iter().map(|chain| chain.bytes as f64).sum();
        let transfers: u64 = chains.iter().map(|chain| chain.transfers).sum();
        let who = uid.map(|uid| look.app(uid));
        let title = format!(
            "{} kept {} awake for {} with {} in {transfers} transfers",
            who.as_deref().unwrap_or("the device"),
            radio.noun(),
            seconds(length),
            bytes(moved)
        );
        let severity =
            if look.idle_is_told { FindingSeverity::Warning } else { FindingSeverity::Note };
        let mut finding = look.finding(&RULE, severity, title, look.idle_confidence());
        for chain in chains.iter().take(3) {
            let length = chain.window.duration();
            let text = format!(
                "{} transfers in {}, one every {}: {}/s, and no pause longer than the radio's tail of {}",
                chain.transfers,
                time(length),
                seconds(length.seconds() / chain.transfers as f64),
                bytes(chain.bytes as f64 / length.seconds()),
                seconds(tail)
            );
            finding.evidence.push(evidence(text, Some(chain.window)));
        }
        finding.who = who;
        let component = radio.component();
        finding.at_stake = look
            .stakes
            .tail(&component, uid)
            .or_else(|| look.stakes.component(&component, &set))
            .or_else(|| look.stakes.component(&component, &[longest.window]));
        found.push(finding);
    }
    found
}

/// Transfers in a row with no pause longer than a tail. Packets that follow each other within a tenth of it are one transfer.
fn chains(packets: &[&NetworkPacket], tail: f64) -> Vec<Chain> {
    let mut found: Vec<Chain> = Vec::new();
    for packet in packets {
        let window = Window::new(packet.time, packet.end);
        match found.last_mut() {
            Some(chain) if (window.start - chain.window.end).seconds() <= tail => {
                if (window.start - chain.window.end).seconds() > tail * 0.1 {
                    chain.transfers += 1;
                }
                chain.bytes = chain.bytes.saturating_add(packet.bytes);
                chain.window.end = chain.window.end.max(window.end);
            }
            _ => found.push(Chain { window, transfers: 1, bytes: packet.bytes }),
        }
    }
    found
}

/// By the system's totals: of apps, and of Android's own accounts.
fn by_totals(look: &Look<'_>) -> (Vec<Finding>, Vec<Finding>) {
    /// The system's counts of an app.
    #[derive(Default)]
    struct Counted {
        active: f64,
        times: f64,
        bytes: f64,
        packets: f64,
        window: Option<Window>,
    }
    let mut apps: BTreeMap<Uid, Counted> = BTreeMap::new();
    for usage in &look.timeline.system.usage {
        let Some(uid) = usage.uid else { continue };
        let part = |counted: &mut Counted| match usage.quantity {
            Quantity::CellActive => {
                counted.active += usage.value;
                counted.window = Some(usage.window);
            }
            Quantity::CellActiveCount => counted.times += usage.value,
            Quantity::CellReceivedBytes | Quantity::CellSentBytes => counted.bytes += usage.value,
            Quantity::CellReceivedPackets | Quantity::CellSentPackets => {
                counted.packets += usage.value;
            }
            _ => {}
        };
        let is_cell = matches!(
            usage.quantity,
            Quantity::CellActive
                | Quantity::CellActiveCount
                | Quantity::CellReceivedBytes
                | Quantity::CellSentBytes
                | Quantity::CellReceivedPackets
                | Quantity::CellSentPackets
        );
        if is_cell {
            part(apps.entry(uid).or_default());
        }
    }
    let (mut found, mut of_platform) = (Vec::new(), Vec::new());
    for (uid, counted) in apps {
        // An app without any byte counted is one whose bytes are not known.
        let is_chatty = counted.active >= look.threshold(&RULE, "least-active")
            && counted.bytes > 0.0
            && counted.bytes / counted.active <= look.threshold(&RULE, "most-rate");
        if !is_chatty || !look.is_app_looked_at(uid) {
            continue;
        }
        let who = look.app(uid);
        let title = format!(
            "{who} kept the mobile radio active for {} to move {}",
            seconds(counted.active),
            bytes(counted.bytes)
        );
        let confidence = Confidence::high("the system's own count of radio time and bytes");
        let mut finding = look.finding(&RULE, FindingSeverity::Warning, title, confidence);
        let mut text = format!(
            "{}/s while the radio was active for it",
            bytes(counted.bytes / counted.active)
        );
        if counted.packets > 0.0 {
            text = format!("{text}, in {:.0} packets", counted.packets);
        }
        if counted.times > 0.0 {
            text = format!("{text}; it came up {:.0} times for it", counted.times);
        }
        finding.evidence.push(evidence(text, counted.window));
        finding.who = Some(who);
        finding.at_stake = cellular(look, uid);
        if uid.is_app() { &mut found } else { &mut of_platform }.push(finding);
    }
    (found, of_platform)
}

/// Whose packets brought radios up: evidence of the app's finding, or a finding of its own.
fn by_wakes(look: &Look<'_>, found: &mut Vec<Finding>) {
    let mut apps: BTreeMap<Uid, Vec<BootNanos>> = BTreeMap::new();
    let named = look.timeline.suspend.wakes.iter().filter(|wake| wake.cause == WakeCause::App);
    for wake in named.filter(|wake| look.window.contains(wake.time)) {
        if let Some(uid) = wake.uid.filter(|uid| uid.is_app() && look.is_app_looked_at(*uid)) {
            apps.entry(uid).or_default().push(wake.time);
        }
    }
    let length = look.window.duration().seconds();
    for (uid, times) in apps {
        let rate = times.len() as f64 * 3600.0 / length;
        let is_often = times.len() as f64 >= look.threshold(&RULE, "least-transfers")
            && rate > look.threshold(&RULE, "most-wakes-per-hour");
        let (Some(first), Some(last)) = (times.first(), times.last()) else { continue };
        if !is_often {
            continue;
        }
        let who = look.app(uid);
        let (count, rate) = (times.len(), figure(rate));
        let text =
            format!("its packets brought a sleeping radio up {count} times in {}", seconds(length));
        let seen = evidence(text, Some(Window::new(*first, *last)));
        if let Some(known) = found.iter_mut().find(|it| it.who.as_ref() == Some(&who)) {
            known.evidence.push(seen);
            continue;
        }
        let title = format!("{who} brought a sleeping radio up {rate} times an hour");
        let confidence =
            Confidence::high("the system's own record of whose packets woke the radio");
        let mut finding = look.finding(&RULE, FindingSeverity::Warning, title, confidence);
        finding.evidence.push(seen);
        finding.who = Some(who);
        finding.at_stake = cellular(look, uid);
        found.push(finding);
    }
}

/// Reports how often the mobile radio came up while the screen was off.
fn of_device(look: &Look<'_>) -> Option<Finding> {
    let off = look.screen_off().filter(|_| look.is_device_looked_at())?;
    let of_device = |track: &&wattle_timeline::StateTrack| {
        track.kind == StateKind::CellRadio && track.scope == CounterScope::Global
    };
    let track = look.timeline.system.states.iter().find(of_device)?;
    let on = track.level.segments(look.window).filter(|segment| segment.value > 0);
    let on = windows::union(on.map(|segment| segment.window).collect());
    let unseen = windows::intersection(&on, &off);
    let (length, all) = (windows::total(&unseen).seconds(), windows::total(&off).seconds());
    let is_chatty = !unseen.is_empty()
        && length >= look.threshold(&RULE, "least-active")
        && unseen.len() as f64 >= look.threshold(&RULE, "least-transfers")
        && length >= all * look.threshold(&RULE, "most-radio-share");
    if !is_chatty {
        return None;
    }
    let share = percent(length / all);
    let title = format!("the mobile radio was up for {share} of the time with the screen off");
    let confidence = Confidence::medium("the radio's own states; who caused them is not in it");
    let mut finding = look.finding(&RULE, FindingSeverity::Warning, title, confidence);
    let text = format!(
        "{} in {} with the screen off: it came up {} times, {} times an hour, for {} each",
        seconds(length),
        seconds(all),
        unseen.len(),
        figure(unseen.len() as f64 * 3600.0 / all),
        seconds(length / unseen.len() as f64)
    );
    finding.evidence.push(evidence(text, windows::hull(&unseen)));
    finding.at_stake = look.stakes.component(&Component::Cellular, &unseen);
    Some(finding)
}

/// Estimates the cost of an app's use of the cellular radio: its tail, if that is separate, else all of it.
fn cellular(look: &Look<'_>, uid: Uid) -> Option<Estimate> {
    let radio = &Component::Cellular;
    look.stakes.tail(radio, Some(uid)).or_else(|| look.stakes.app(uid, radio))
}
