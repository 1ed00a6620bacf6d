//! Wi-Fi.
//!
//! AOSP `WifiPowerCalculator`. With a controller that reports its times, and all three of its currents known: idle, rx
//! and tx time × current, for each app and for the device; what the controller itself counted stands above the
//! product of its times. Without: packets × the current of a 2 KB packet at 1 Mb/s + running, scanning and batched
//! scans; the device's own is `wifi.on` × its running time. What the device has more than all apps is the device's.

use std::collections::BTreeMap;

use wattle_timeline::{Quantity, StateKind, Uid};

use super::draw::{Drawn, Rate, Rates};
use super::portion::{Rule, RuleId, RuleResult};
use super::totals::Totals;
use crate::Component;

pub(super) const IDLE: &str = "wifi.controller.idle";
pub(super) const RX: &str = "wifi.controller.rx";
pub(super) const TX: &str = "wifi.controller.tx";
pub(super) const VOLTAGE: &str = "wifi.controller.voltage";
pub(super) const ON: &str = "wifi.on";
pub(super) const ACTIVE: &str = "wifi.active";
pub(super) const SCAN: &str = "wifi.scan";
const BATCHED: &str = "wifi.batchedscan";

/// Seconds that AOSP takes a packet to be on the air: 2 KB at 1 Mb/s.
pub(super) const PACKET_SECONDS: f64 = 2048.0 * 8.0 / 1e6;

const PACKETS: [Quantity; 2] = [Quantity::WifiReceivedPackets, Quantity::WifiSentPackets];

/// Android tells five rates of batched scans apart.
const BATCHED_BINS: u8 = 5;

pub(super) const RULE: Rule = Rule {
    id: RuleId::Wifi,
    component: Component::Wifi,
    shape: &[StateKind::WifiRadio, StateKind::WifiRunning, StateKind::Wifi],
};

/// Currents of a controller; `None` unless all three are known and above 0, as AOSP has it.
pub(super) struct Controller {
    pub(super) idle: Rate,
    pub(super) rx: Rate,
    pub(super) tx: Rate,
}

impl Controller {
    pub(super) fn new(rates: Rates<'_>, names: [&str; 4]) -> Option<Self> {
        let [idle, rx, tx, voltage] = names;
        let rate = |name| rates.radio(name, 0, voltage).filter(|rate| !rate.is_zero());
        Some(Self { idle: rate(idle)?, rx: rate(rx)?, tx: rate(tx)? })
    }

    pub(super) fn over(&self, times: Times) -> Drawn {
        self.idle.over(times.idle) + self.rx.over(times.rx) + self.tx.over(times.tx)
    }
}

/// Seconds in each state of a controller.
#[derive(Clone, Copy, Default)]
pub(super) struct Times {
    pub(super) idle: f64,
    pub(super) rx: f64,
    pub(super) tx: f64,
}

/// AOSP's time of a packet is that of a slow network: on a fast one the packets of a second take minutes. A radio is on the air for
/// all of the time at most. Gives how many times too long the packets' time was.
pub(super) fn limit_packets(totals: &mut Totals<'_>) -> Option<f64> {
    let seconds = totals.window.duration().seconds();
    totals.limit(&PACKETS, seconds / PACKET_SECONDS)
}

pub(super) fn answer(totals: &Totals<'_>, rates: Rates<'_>) -> RuleResult {
    let reports = totals.device(Quantity::WifiReceive).is_some()
        || totals.device(Quantity::WifiIdle).is_some();
    let controller = Controller::new(rates, [IDLE, RX, TX, VOLTAGE]);
    match controller {
        Some(controller) if reports => by_controller(totals, rates, &controller),
        _ => by_timers(totals, rates, reports),
    }
}

fn by_controller(totals: &Totals<'_>, rates: Rates<'_>, controller: &Controller) -> RuleResult {
    let transmit: Vec<Quantity> =
        totals.quantities().filter(|q| matches!(q, Quantity::WifiTransmit(_))).collect();
    let mut times: BTreeMap<Uid, Times> = BTreeMap::new();
    for (uid, seconds) in totals.apps(Quantity::WifiIdle) {
        times.entry(uid).or_default().idle += seconds;
    }
    for (uid, seconds) in totals.apps(Quantity::WifiReceive) {
        times.entry(uid).or_default().rx += seconds;
    }
    for quantity in &transmit {
        for (uid, seconds) in totals.apps(*quantity) {
            times.entry(uid).or_default().tx += seconds;
        }
    }
    let apps = times.into_iter().map(|(uid, times)| (uid, controller.over(times))).collect();
    let device = Times {
        idle: totals.device(Quantity::WifiIdle).unwrap_or(0.0),
        rx: totals.device(Quantity::WifiReceive).unwrap_or(0.0),
        tx: transmit.iter().filter_map(|quantity| totals.device(*quantity)).sum(),
    };
    let counted = totals.device(Quantity::WifiCharge).filter(|charge| *charge > 0.0);
    let device =
        counted.map_or_else(|| controller.over(device), |charge| rates.counted(charge, VOLTAGE));
    RULE.shared(apps, device, &[IDLE, RX, TX])
}

fn by_timers(totals: &Totals<'_>, rates: Rates<'_>, reports: bool) -> RuleResult {
    let counted = reports
        || totals.has(&PACKETS)
        || totals.has(&[Quantity::WifiRunning, Quantity::WifiScan, Quantity::Wifi]);
    if !counted {
        return RuleResult::default();
    }
    let rate = |name| rates.radio(name, 0, VOLTAGE);
    let (on, active, scan) = (rate(ON), rate(ACTIVE), rate(SCAN));
    if on.is_none() && active.is_none() {
        return RuleResult::missing(&[IDLE, RX, TX, ON, ACTIVE]);
    }
    let mut apps: BTreeMap<Uid, Drawn> = BTreeMap::new();
    let mut add = |quantity: Quantity, rate: Option<Rate>, factor: f64| {
        let Some(rate) = rate else { return };
        for (uid, value) in totals.apps(quantity) {
            *apps.entry(uid).or_default() += rate.over(value * factor);
        }
    };
    for quantity in PACKETS {
        add(quantity, active, PACKET_SECONDS);
    }
    add(Quantity::WifiRunning, on, 1.0);
    add(Quantity::WifiScan, scan, 1.0);
    for bin in 0..BATCHED_BINS {
        let rate = rates.radio(BATCHED, usize::from(bin), VOLTAGE);
        add(Quantity::WifiBatchScan(bin), rate, 1.0);
    }
    let running = totals.device(Quantity::WifiRunning).or(totals.device(Quantity::Wifi));
    let device = on.unwrap_or_default().over(running.unwrap_or(0.0));
    RULE.shared(apps, device, &[ON, ACTIVE, SCAN, BATCHED])
}
