//! Cellular radio.
//!
//! AOSP `MobileRadioPowerCalculator`. Active: rx and tx times of the modem by level of power, technology and range of
//! frequencies × current; where the modem reports none or its currents are not known, `radio.active` × the time in
//! the high-power state. It is shared out by the apps' own time in that state. Inactive: sleep and idle times ×
//! current; where they are not known, scanning and the time in each class of signal.

use std::collections::BTreeMap;

use wattle_timeline::{Quantity, StateKind, Uid};

use super::draw::{Drawn, Rate, Rates};
use super::portion::{Rule, RuleId, RuleResult};
use super::totals::Totals;
use crate::{Component, Scope};

pub(super) const ACTIVE: &str = "radio.active";
pub(super) const SLEEP: &str = "modem.controller.sleep";
pub(super) const IDLE: &str = "modem.controller.idle";
pub(super) const RX: &str = "modem.controller.rx";
pub(super) const TX: &str = "modem.controller.tx";
pub(super) const VOLTAGE: &str = "modem.controller.voltage";
pub(super) const ON: &str = "radio.on";
pub(super) const SCAN: &str = "radio.scanning";

/// Levels of transmission power, and classes of signal.
const LEVELS: u8 = 5;

pub(super) const RULE: Rule =
    Rule { id: RuleId::Cellular, component: Component::Cellular, shape: &[StateKind::CellRadio] };

/// The same, for what is drawn without any traffic.
const INACTIVE: Rule = Rule { id: RuleId::Cellular, component: Component::Cellular, shape: &[] };

/// Drawn by receiving and transmitting, and how long.
#[derive(Default)]
struct Active {
    rx: Drawn,
    tx: Drawn,
    rx_seconds: f64,
    tx_seconds: f64,
    known: bool,
}

pub(super) fn answer(totals: &Totals<'_>, rates: Rates<'_>) -> RuleResult {
    let quantities = [Quantity::CellActive, Quantity::CellReceive, Quantity::CellSleep];
    let others = [Quantity::CellIdle, Quantity::CellScan, Quantity::CellSignal(0)];
    let signals = [1, 2, 3, 4].map(Quantity::CellSignal);
    if !totals.has(&quantities) && !totals.has(&others) && !totals.has(&signals) {
        return RuleResult::default();
    }
    let modem = by_modem(totals, rates);
    let seconds = totals.device(Quantity::CellActive);
    let counted = seconds.is_some() || modem.rx_seconds + modem.tx_seconds > 0.0;
    let mut missing = Vec::new();
    let known = if modem.known {
        Some(modem.rx + modem.tx)
    } else {
        active(rates).map(|rate| rate.over(seconds.unwrap_or(0.0)))
    };
    if known.is_none() && counted {
        missing.extend([ACTIVE, RX, TX]);
    }
    // Without figures nothing is known of the modem, so that nothing is covered.
    let used: &[&'static str] = if known.is_some() { &[RX, TX, ACTIVE] } else { &[] };
    let active = known.unwrap_or_default();
    let apps = shares(totals, &modem, active, seconds);
    let mut answer = RULE.shared(apps, active, used);
    let (inactive, lacking) = inactive(totals, rates);
    if !inactive.is_zero() {
        answer.portions.push(INACTIVE.portion(Scope::Floor, inactive));
        answer.used.extend([SLEEP, IDLE, ON, SCAN]);
    }
    missing.extend(lacking);
    answer.missing = missing;
    answer
}

/// Drawn in the high-power state. Without `radio.active`, the mean of receiving and of the levels of transmitting.
pub(super) fn active(rates: Rates<'_>) -> Option<Rate> {
    if let Some(rate) = rates.radio(ACTIVE, 0, VOLTAGE) {
        return Some(rate);
    }
    let mut sum = rates.radio(RX, 0, VOLTAGE)?;
    for level in 0..LEVELS {
        sum = sum + rates.radio(TX, usize::from(level), VOLTAGE)?;
    }
    Some(sum * (1.0 / f64::from(LEVELS + 1)))
}

/// By technology and range of frequencies (`nr.mmwave`, then `nr`), else by what holds for any.
fn modem_rate(rates: Rates<'_>, tag: &str, what: &str, level: usize) -> Option<Rate> {
    let technology = tag.split('.').next().unwrap_or_default();
    let names = [tag, technology].map(|of| format!("modem.active.{of}.{what}"));
    let of_technology = names.iter().find_map(|name| rates.radio(name, level, VOLTAGE));
    of_technology.or_else(|| rates.radio(&format!("modem.controller.{what}"), level, VOLTAGE))
}

fn by_modem(totals: &Totals<'_>, rates: Rates<'_>) -> Active {
    let mut active = Active::default();
    for (tag, seconds) in totals.device_tags(Quantity::CellReceive) {
        active.rx_seconds += seconds;
        if let Some(rate) = modem_rate(rates, tag, "rx", 0) {
            active.rx += rate.over(seconds);
            active.known = true;
        }
    }
    for level in 0..LEVELS {
        for (tag, seconds) in totals.device_tags(Quantity::CellTransmit(level)) {
            active.tx_seconds += seconds;
            if let Some(rate) = modem_rate(rates, tag, "tx", usize::from(level)) {
                active.tx += rate.over(seconds);
                active.known = true;
            }
        }
    }
    active
}

/// By the apps' time in the high-power state; where none is counted, by their packets.
fn shares(
    totals: &Totals<'_>,
    modem: &Active,
    active: Drawn,
    seconds: Option<f64>,
) -> BTreeMap<Uid, Drawn> {
    let times = totals.apps(Quantity::CellActive);
    let of_apps: f64 = times.values().sum();
    if of_apps > 0.0 {
        let whole = seconds.unwrap_or(0.0).max(of_apps);
        return times.into_iter().map(|(uid, time)| (uid, active * (time / whole))).collect();
    }
    let received = totals.apps(Quantity::CellReceivedPackets);
    let sent = totals.apps(Quantity::CellSentPackets);
    by_packets(&received, &sent, modem, active)
}

/// Android's rule for a modem that reports its times: receiving is shared by packets received. While it transmits a
/// modem receives, too, so transmitting is shared by packets sent and the part of those received that fell into it.
fn by_packets(
    received: &BTreeMap<Uid, f64>,
    sent: &BTreeMap<Uid, f64>,
    modem: &Active,
    active: Drawn,
) -> BTreeMap<Uid, Drawn> {
    let seconds = modem.rx_seconds + modem.tx_seconds;
    let duplex = if seconds > 0.0 { modem.tx_seconds / seconds } else { 1.0 };
    let uids: std::collections::BTreeSet<Uid> =
        received.keys().chain(sent.keys()).copied().collect();
    let of = |map: &BTreeMap<Uid, f64>, uid: Uid| map.get(&uid).copied().unwrap_or(0.0);
    let in_transmit = |uid| of(sent, uid) + of(received, uid) * duplex;
    let all_received: f64 = received.values().sum();
    let all_in_transmit: f64 = uids.iter().map(|uid| in_transmit(*uid)).sum();
    if all_in_transmit == 0.0 {
        return BTreeMap::new();
    }
    let share = |uid: Uid| {
        let transmit = in_transmit(uid) / all_in_transmit;
        if !modem.known {
            return active * transmit;
        }
        let receive = if all_received > 0.0 { of(received, uid) / all_received } else { transmit };
        modem.rx * receive + modem.tx * transmit
    };
    uids.into_iter().map(|uid| (uid, share(uid))).collect()
}

/// Asleep and idle; with the figures that it lacked.
fn inactive(totals: &Totals<'_>, rates: Rates<'_>) -> (Drawn, Vec<&'static str>) {
    let (asleep, idle) = (totals.device(Quantity::CellSleep), totals.device(Quantity::CellIdle));
    let sleeping = rates.radio(SLEEP, 0, VOLTAGE);
    let idling = rates.radio(IDLE, 0, VOLTAGE);
    if (asleep.is_some() || idle.is_some())
        && let (Some(sleeping), Some(idling)) = (sleeping, idling)
    {
        let drawn = sleeping.over(asleep.unwrap_or(0.0)) + idling.over(idle.unwrap_or(0.0));
        return (drawn, Vec::new());
    }
    let mut drawn = Drawn::default();
    let mut counted = false;
    for class in 0..LEVELS {
        let Some(seconds) = totals.device(Quantity::CellSignal(class)) else { continue };
        counted = true;
        if let Some(rate) = at_signal(rates, class, idling) {
            drawn += rate.over(seconds);
        }
    }
    // The text of a dump does not print how long the phone looked for a network; its history does.
    let scanned = totals.device(Quantity::CellScan);
    if let Some(seconds) = scanned.or_else(|| totals.seconds_in(StateKind::CellScan))
        && let Some(rate) = rates.radio(SCAN, 0, VOLTAGE)
    {
        drawn += rate.over(seconds);
    }
    let lacking = counted && at_signal(rates, 0, idling).is_none();
    (drawn, if lacking { vec![ON, IDLE] } else { Vec::new() })
}

/// While paging, by class of signal. Without `radio.on`, AOSP makes it of the modem's idle current: 25/180 of it
/// without a signal, 1/256 of it and at least 1 mA with one.
pub(super) fn at_signal(rates: Rates<'_>, class: u8, idling: Option<Rate>) -> Option<Rate> {
    if let Some(rate) = rates.radio(ON, usize::from(class), VOLTAGE) {
        return Some(rate);
    }
    let idling = idling?;
    if class == 0 {
        return Some(idling * (25.0 / 180.0));
    }
    let least = rates.of_milliamperes(1.0, VOLTAGE);
    Some((idling * (1.0 / 256.0)).max(least))
}
