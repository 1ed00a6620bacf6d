//! Consumers that the device measured itself.
//!
//! Android's power-statistics HAL (`EnergyConsumer`) measures whole components; what it measured replaces the model, and
//! the model only shares it out, unless Android already did. Consumers of no known rule are components of their own
//! (AOSP `CustomEnergyConsumerPowerCalculator`).

use std::collections::{BTreeMap, BTreeSet};

use wattle_timeline::{Quantity, Uid};

use super::draw::Drawn;
use super::portion::{Portion, Rule, RuleId, RuleResult};
use super::totals::Totals;
use crate::{Component, Scope};

/// Names of consumers, in lower case, and the rules that they replace. Sources: AOSP `EnergyConsumerStats`
/// (`screen-on`, `mobile-radio`), `EnergyConsumerType` of the HAL, `BatteryConsumer` (`ambient_display`).
const NAMES: [(&str, RuleId); 20] = [
    ("cpu", RuleId::Cpu),
    ("cpu_cluster", RuleId::Cpu),
    ("screen", RuleId::Screen),
    ("screen-on", RuleId::Screen),
    ("display", RuleId::Screen),
    ("ambient", RuleId::Ambient),
    ("ambient display", RuleId::Ambient),
    ("ambient_display", RuleId::Ambient),
    ("screen-doze", RuleId::Ambient),
    ("wifi", RuleId::Wifi),
    ("bluetooth", RuleId::Bluetooth),
    ("gnss", RuleId::Gnss),
    ("gps", RuleId::Gnss),
    ("mobile radio", RuleId::Cellular),
    ("mobile_radio", RuleId::Cellular),
    ("mobile-radio", RuleId::Cellular),
    ("cell", RuleId::Cellular),
    ("camera", RuleId::Camera),
    ("phone", RuleId::Phone),
    ("call", RuleId::Phone),
];

/// The rule of a consumer that no rule is about.
pub(super) fn custom(name: &str) -> Rule {
    let component = Component::from(name.to_ascii_lowercase());
    Rule { id: RuleId::Custom, component, shape: &[] }
}

/// The rule that a consumer replaces.
fn rule_of(name: &str) -> Option<RuleId> {
    let name = name.to_ascii_lowercase();
    NAMES.iter().find(|(known, _)| *known == name).map(|(_, rule)| *rule)
}

/// Measured consumption of one rule's component.
#[derive(Default)]
struct Measured {
    device: Option<Drawn>,
    apps: BTreeMap<Uid, Drawn>,
}

fn consumers<'a>(totals: &'a Totals<'_>) -> BTreeSet<&'a str> {
    let device = totals.device_tags(Quantity::MeasuredCharge).map(|(name, _)| name);
    device.chain(totals.app_tags(Quantity::MeasuredCharge)).collect()
}

fn measured(totals: &Totals<'_>, is_it: impl Fn(&str) -> bool) -> Measured {
    let mut measured = Measured::default();
    for name in consumers(totals).into_iter().filter(|name| is_it(name)) {
        let charge = Drawn::milliampere_hours;
        if let Some(value) = totals.device_tagged(Quantity::MeasuredCharge, name) {
            *measured.device.get_or_insert_default() += charge(value);
        }
        for (uid, value) in totals.apps_tagged(Quantity::MeasuredCharge, name) {
            *measured.apps.entry(uid).or_default() += charge(value);
        }
    }
    measured
}

/// Replaces the modelled answer by the measured one, if there is one.
pub(super) fn replace(rule: &Rule, totals: &Totals<'_>, modelled: RuleResult) -> RuleResult {
    let measured = measured(totals, |name| rule_of(name) == Some(rule.id));
    let Some(device) = measured.device.filter(|device| !device.is_zero()) else {
        return modelled;
    };
    let portions = if measured.apps.is_empty() {
        scaled(rule, device, modelled.portions, totals)
    } else {
        rule.shared(measured.apps, device, &[]).portions
    };
    let portions = portions.into_iter().map(|portion| Portion { measured: true, ..portion });
    RuleResult { portions: portions.collect(), ..RuleResult::default() }
}

/// By the model's shares; the panel, without figures of its own, by the time in front.
fn scaled(rule: &Rule, device: Drawn, modelled: Vec<Portion>, totals: &Totals<'_>) -> Vec<Portion> {
    let foreground = (rule.id == RuleId::Screen).then(|| totals.apps(Quantity::Foreground));
    if let Some(times) = foreground.filter(|times| times.values().sum::<f64>() > 0.0) {
        let whole: f64 = times.values().sum();
        let share = |(uid, seconds)| rule.portion(Scope::App(uid), device * (seconds / whole));
        return times.into_iter().map(share).collect();
    }
    let whole: f64 = modelled.iter().map(|portion| portion.drawn.weight()).sum();
    if whole <= 0.0 {
        return vec![rule.portion(Scope::Device, device)];
    }
    let part = |portion: &Portion| device * (portion.drawn.weight() / whole);
    modelled.into_iter().map(|portion| Portion { drawn: part(&portion), ..portion }).collect()
}

/// Consumers that no rule is about.
pub(super) fn others(totals: &Totals<'_>) -> RuleResult {
    let mut answer = RuleResult::default();
    for name in consumers(totals).into_iter().filter(|name| rule_of(name).is_none()) {
        let measured = measured(totals, |other| other == name);
        let rule = custom(name);
        let apps: Drawn = measured.apps.values().copied().sum();
        let shared = rule.shared(measured.apps, measured.device.unwrap_or(apps), &[]);
        let portions = shared.portions.into_iter();
        answer.portions.extend(portions.map(|p| Portion { measured: true, ..p }));
    }
    answer
}
