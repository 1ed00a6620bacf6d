//! Bluetooth.
//!
//! AOSP `BluetoothPowerCalculator`: idle, rx and tx time × current, for each app and for the device, where the
//! controller reports its times; what it counted itself stands above the product. What the device has more than all
//! apps is the device's.

use std::collections::BTreeMap;

use wattle_timeline::{Quantity, StateKind, Uid};

use super::draw::{Drawn, Rates};
use super::portion::{Rule, RuleId, RuleResult};
use super::totals::Totals;
use super::wifi::{Controller, Times};
use crate::Component;

pub(super) const IDLE: &str = "bluetooth.controller.idle";
const RX: &str = "bluetooth.controller.rx";
const TX: &str = "bluetooth.controller.tx";
pub(super) const VOLTAGE: &str = "bluetooth.controller.voltage";

pub(super) const RULE: Rule = Rule {
    id: RuleId::Bluetooth,
    component: Component::Bluetooth,
    shape: &[StateKind::BluetoothScan, StateKind::Bluetooth],
};

pub(super) fn answer(totals: &Totals<'_>, rates: Rates<'_>) -> RuleResult {
    let states = [Quantity::BluetoothIdle, Quantity::BluetoothReceive, Quantity::BluetoothTransmit];
    let counted = |uid: Option<Uid>| match uid {
        None => totals.device(Quantity::BluetoothCharge),
        Some(uid) => totals.apps(Quantity::BluetoothCharge).get(&uid).copied(),
    };
    if !totals.has(&states) && counted(None).is_none() {
        return RuleResult::default();
    }
    let Some(controller) = Controller::new(rates, [IDLE, RX, TX, VOLTAGE]) else {
        return match counted(None).filter(|charge| *charge > 0.0) {
            Some(charge) => RULE.shared(BTreeMap::new(), rates.counted(charge, VOLTAGE), &[]),
            None => RuleResult::missing(&[IDLE, RX, TX]),
        };
    };
    let mut times: BTreeMap<Uid, Times> = BTreeMap::new();
    let [idle, rx, tx] = states.map(|quantity| totals.apps(quantity));
    for (uid, seconds) in idle {
        times.entry(uid).or_default().idle = seconds;
    }
    for (uid, seconds) in rx {
        times.entry(uid).or_default().rx = seconds;
    }
    for (uid, seconds) in tx {
        times.entry(uid).or_default().tx = seconds;
    }
    let drawn = |charge: Option<f64>, times: Times| -> Drawn {
        let counted = charge.filter(|charge| *charge > 0.0);
        counted.map_or_else(|| controller.over(times), |charge| rates.counted(charge, VOLTAGE))
    };
    let apps = times.into_iter().map(|(uid, t)| (uid, drawn(counted(Some(uid)), t))).collect();
    let [idle, rx, tx] = states.map(|quantity| totals.device(quantity).unwrap_or(0.0));
    let device = drawn(counted(None), Times { idle, rx, tx });
    RULE.shared(apps, device, &[IDLE, RX, TX])
}
