//! Sensors.
//!
//! AOSP `SensorPowerCalculator`: an app's time with each sensor × the current that the sensor's driver states.

use std::collections::BTreeMap;

use wattle_timeline::{Quantity, StateKind, Uid};

use super::draw::{Drawn, Rates};
use super::portion::{Rule, RuleId, RuleResult};
use super::totals::Totals;
use crate::Component;

/// Android counts satellite positioning as a sensor of this handle; it has a rule of its own.
const GPS: i32 = -10_000;

pub(super) const RULE: Rule =
    Rule { id: RuleId::Sensors, component: Component::Sensors, shape: &[StateKind::Sensor] };

/// The figure of a sensor.
pub(super) fn figure(handle: i32) -> String {
    format!("sensor.{handle}")
}

pub(super) fn answer(totals: &Totals<'_>, rates: Rates<'_>) -> RuleResult {
    let mut apps: BTreeMap<Uid, Drawn> = BTreeMap::new();
    let mut device = Drawn::default();
    let mut unknown = false;
    let mut known = false;
    for quantity in totals.quantities() {
        let Quantity::Sensor(handle) = quantity else { continue };
        if handle == GPS {
            continue;
        }
        let Some(rate) = rates.first(&figure(handle)) else {
            unknown = true;
            continue;
        };
        known = true;
        for (uid, seconds) in totals.apps(quantity) {
            *apps.entry(uid).or_default() += rate.over(seconds);
        }
        device += rate.over(totals.device(quantity).unwrap_or(0.0));
    }
    let mut answer = RuleResult::default();
    if known {
        answer = RULE.shared(apps, device, &["sensor"]);
    }
    if unknown {
        answer.missing.push("sensor.<handle>");
    }
    answer
}
