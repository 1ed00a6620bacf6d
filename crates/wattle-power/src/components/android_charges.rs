//! Android's own estimate (*Estimated power use*) as a model of components.
//!
//! Android states charges by component and by app. Up to Android 11 the lines of the device are what is left beside the
//! apps; from Android 12 on they are the whole, of which apps have parts:
//!
//! ```text
//!  Android 11   Uid u0a166: 533 ( cpu=63.1 radio=157 wifi=312 )   Cell standby: 348   Wifi: 5.08
//!               cellular = Σ radio + 348                          wifi = Σ wifi + 5.08
//!  Android 12   Global  wifi: 320 apps: 312                       UID u0a166: 533 ( cpu=63.1 wifi=312 )
//!               wifi = 320, of which apps have Σ wifi
//! ```
//!
//! Charge that Android shares out among apps (*smearing*) is the same once more and is not added. Source: AOSP
//! `BatteryStatsHelper` and `BatteryUsageStats`, `dump`.

use std::collections::{BTreeMap, BTreeSet};

use wattle_timeline::{Quantity, Timeline, Uid, Window};
use wattle_units::Provenance;

use super::component_charges::{Modelled, Request};
use super::draw::Drawn;
use super::figure_errors::Sources;
use super::portion::{Rule, RuleId, RuleResult};
use super::totals::{Stretches, Totals};
use super::{
    ambient, audio, awake, bluetooth, camera, cellular, cpu_totals, display, flashlight, gnss,
    measured_consumers, memory, phone_calls, sensors, video, wifi,
};
use crate::battery_facts::PLACEHOLDER;
use crate::voltage::Voltage;
use crate::{Component, ErrorModel, Figures, PowerTrack};

/// Android's names of components in all forms of a dump (text, check-in, protobuf) and the rules that are about them.
const NAMES: [(&str, Rule); 28] = [
    ("cpu", cpu_totals::RULE),
    ("wake", awake::WAKELOCK),
    ("wakelock", awake::WAKELOCK),
    ("idle", awake::IDLE),
    ("scrn", display::RULE),
    ("screen", display::RULE),
    ("ambi", ambient::RULE),
    ("ambient display", ambient::RULE),
    ("ambient_display", ambient::RULE),
    ("cell", cellular::RULE),
    ("radio", cellular::RULE),
    ("mobile radio", cellular::RULE),
    ("mobile_radio", cellular::RULE),
    ("phone", phone_calls::RULE),
    ("wifi", wifi::RULE),
    ("blue", bluetooth::RULE),
    ("bt", bluetooth::RULE),
    ("bluetooth", bluetooth::RULE),
    ("gps", gnss::RULE),
    ("gnss", gnss::RULE),
    ("sensor", sensors::RULE),
    ("sensors", sensors::RULE),
    ("camera", camera::RULE),
    ("flash", flashlight::RULE),
    ("flashlight", flashlight::RULE),
    ("audio", audio::RULE),
    ("video", video::RULE),
    ("memory", memory::RULE),
];
/// Names that are no components: sums, what Android could not assign or assigned twice, and services of the system that it
/// moves between apps.
const NO_COMPONENTS: [&str; 10] = [
    "total",
    "uid",
    "user",
    "???",
    "unacc",
    "over",
    "system_services",
    "system services",
    "reattributed",
    "reattributed_to_other_consumers",
];
/// Lines of the device that only Android 11 and earlier write: there they are what is left beside the apps.
const OF_REST: [&str; 4] = ["scrn", "cell", "unacc", "over"];
/// The component of apps whose estimate the dump does not divide by component (check-in lines, protobuf before Android 12).
const UNDIVIDED: &str = "apps";

/// Estimates of components by Android itself.
pub(crate) struct AndroidCharges {
    /// Tracks of components.
    pub(crate) tracks: Vec<PowerTrack>,
    /// When each component was estimated.
    pub(crate) covered: BTreeMap<Component, Vec<Window>>,
    /// Whether there is an estimate that rests on AOSP's placeholder profile, so that it is not used.
    pub(crate) is_placeholder: bool,
}

/// Android's own estimate of those components that are wanted.
pub(crate) fn estimate(
    timeline: &Timeline,
    voltage: &Voltage,
    is_wanted: &dyn Fn(&Component) -> bool,
    errors: &mut ErrorModel,
) -> AndroidCharges {
    let figures = Figures::default();
    let request = Request { timeline, figures: &figures, voltage, skip_cpu: false };
    let mut sources = Sources::new(errors, Provenance::Modelled, voltage.assumed);
    let mut modelled = Modelled::default();
    let mut is_placeholder = false;
    for totals in &Stretches::from_timeline(timeline).totals {
        if !totals.has(&[Quantity::EstimatedCharge]) || !is_of_recording(totals, timeline) {
            continue;
        }
        if is_of_placeholder(totals, timeline) {
            is_placeholder = true;
            continue;
        }
        for (rule, result) in results(totals) {
            if is_wanted(&rule.component) {
                modelled.take(&rule, &result, &request, totals.window, &mut sources);
            }
        }
    }
    AndroidCharges { tracks: modelled.tracks, covered: modelled.covered, is_placeholder }
}

/// Whether the stretch is mostly inside the recording: the mean power of days says nothing about ten seconds of them.
fn is_of_recording(totals: &Totals<'_>, timeline: &Timeline) -> bool {
    let inside = totals.window.intersect(timeline.window).duration().seconds();
    inside * 2.0 >= totals.window.duration().seconds()
}

/// Whether Android multiplied with currents that nobody measured: on emulators, and with AOSP's default profile.
fn is_of_placeholder(totals: &Totals<'_>, timeline: &Timeline) -> bool {
    timeline.device.is_virtual() || totals.device(Quantity::BatteryCapacity) == Some(PLACEHOLDER)
}

/// The charges of one component.
#[derive(Default)]
struct Charges {
    apps: BTreeMap<Uid, Drawn>,
    device: Option<Drawn>,
}

/// Every component with what apps and the device drew.
fn results(totals: &Totals<'_>) -> Vec<(Rule, RuleResult)> {
    let quantity = Quantity::EstimatedCharge;
    let is_of_rest = OF_REST.iter().any(|name| totals.device_tagged(quantity, name).is_some());
    let mut by_rule: BTreeMap<(RuleId, Component), (Rule, Charges)> = BTreeMap::new();
    let device = totals.device_tags(quantity).map(|(name, _)| name);
    let names: BTreeSet<&str> = device.chain(totals.app_tags(quantity)).collect();
    let mut divided: BTreeSet<Uid> = BTreeSet::new();
    for name in names {
        let Some(rule) = rule_of(name) else { continue };
        let key = (rule.id, rule.component.clone());
        let (_, charges) = by_rule.entry(key).or_insert_with(|| (rule, Charges::default()));
        if let Some(charge) = totals.device_tagged(quantity, name) {
            *charges.device.get_or_insert_default() += Drawn::milliampere_hours(charge);
        }
        for (uid, charge) in totals.apps_tagged(quantity, name) {
            divided.insert(uid);
            *charges.apps.entry(uid).or_default() += Drawn::milliampere_hours(charge);
        }
    }
    let mut results: Vec<_> = by_rule
        .into_values()
        .map(|(rule, charges)| {
            let result = result(&rule, charges, is_of_rest);
            (rule, result)
        })
        .collect();
    let mut whole = totals.apps_tagged(quantity, "uid");
    whole.retain(|uid, _| !divided.contains(uid));
    if !whole.is_empty() {
        let rule = measured_consumers::custom(UNDIVIDED);
        let apps = whole.into_iter().map(|(uid, charge)| (uid, Drawn::milliampere_hours(charge)));
        let charges = Charges { apps: apps.collect(), device: None };
        let result = result(&rule, charges, is_of_rest);
        results.push((rule, result));
    }
    results
}

/// The rule of a name; `None` where it is no component's.
fn rule_of(name: &str) -> Option<Rule> {
    let is_smeared = name.ends_with("-smeared");
    if is_smeared || NO_COMPONENTS.contains(&name) {
        return None;
    }
    let known = NAMES.iter().find(|(known, _)| *known == name);
    Some(known.map_or_else(|| measured_consumers::custom(name), |(_, rule)| rule.clone()))
}

fn result(rule: &Rule, charges: Charges, is_of_rest: bool) -> RuleResult {
    let Charges { apps, device } = charges;
    let of_apps: Drawn = apps.values().copied().sum();
    let whole = match device {
        Some(rest) if is_of_rest => of_apps + rest,
        Some(whole) => whole,
        None => of_apps,
    };
    rule.shared(apps, whole, &[])
}

/// Whether an estimate of the whole consumption of apps would count a component a second time.
pub(crate) fn is_undivided(component: &Component) -> bool {
    matches!(component, Component::Other(name) if name == UNDIVIDED)
}

#[cfg(test)]
mod tests {
    use wattle_timeline::{CounterScope, NameId, StateKind, StateTrack, Usage};
    use wattle_units::BootNanos;

    use super::*;
    use crate::Scope;

    const HOUR: i64 = 3_600_000_000_000;

    /// Charges in mAh by (uid, name) over one hour at 3.85 V: expected are milliwatts by component, of apps and in all.
    #[track_caller]
    fn check(charges: &[(Option<u32>, &str, f64)], expected: &[(&str, f64, f64)]) {
        let window = Window::new(BootNanos::new(0), BootNanos::new(HOUR));
        let mut timeline = Timeline { window, ..Timeline::default() };
        for (uid, name, value) in charges {
            let tag: Option<NameId> = Some(timeline.names.intern(name));
            let uid = uid.map(Uid);
            let quantity = Quantity::EstimatedCharge;
            timeline.system.usage.push(Usage { quantity, uid, tag, window, value: *value });
        }
        let voltage = Voltage::new(&timeline, None);
        let mut errors = ErrorModel::default();
        let found = estimate(&timeline, &voltage, &|_| true, &mut errors);
        let mut sums: BTreeMap<&str, (f64, f64)> = BTreeMap::new();
        for track in &found.tracks {
            let milliwatts = track.energy(window).value() / 3.6;
            let (apps, all) = sums.entry(track.component.name()).or_default();
            *apps += if matches!(track.scope, Scope::App(_)) { milliwatts } else { 0.0 };
            *all += milliwatts;
        }
        assert_eq!(sums.len(), expected.len(), "{sums:?}");
        for (component, of_apps, of_all) in expected {
            let (apps, all) = sums[component];
            let near = |a: f64, b: f64| (a - b * 3.85).abs() < 1e-9 * (1.0 + b);
            assert!(near(apps, *of_apps) && near(all, *of_all), "{component}: {apps}, {all}");
        }
    }

    #[test]
    fn both_generations_are_added_up_as_they_are_meant() {
        let app = Some(10_045);
        check(
            &[
                (app, "uid", 13.0),
                (app, "radio", 3.0),
                (app, "cpu", 10.0),
                (app, "screen-smeared", 7.0),
                (None, "scrn", 20.0),
                (None, "cell", 5.0),
                (None, "unacc", 9.0),
                (None, "total", 47.0),
            ],
            &[("cellular", 3.0, 8.0), ("cpu", 10.0, 10.0), ("display", 0.0, 20.0)],
        );
        check(
            &[
                (app, "uid", 13.0),
                (app, "mobile_radio", 3.0),
                (app, "cpu", 10.0),
                (None, "mobile_radio", 8.0),
                (None, "cpu", 10.0),
                (None, "FOO", 2.0),
                (None, "total", 20.0),
            ],
            &[("cellular", 3.0, 8.0), ("cpu", 10.0, 10.0), ("foo", 0.0, 2.0)],
        );
        // Check-in lines do not divide what an app used.
        check(
            &[(app, "uid", 13.0), (None, "scrn", 20.0)],
            &[("apps", 13.0, 13.0), ("display", 0.0, 20.0)],
        );
    }

    #[test]
    fn estimates_of_days_or_by_a_placeholder_are_not_used() {
        let window = Window::new(BootNanos::new(0), BootNanos::new(HOUR));
        let mut timeline = Timeline { window, ..Timeline::default() };
        let tag = Some(timeline.names.intern("scrn"));
        let mut add = |quantity, tag, value, window| {
            timeline.system.usage.push(Usage { quantity, uid: None, tag, window, value });
        };
        add(Quantity::EstimatedCharge, tag, 20.0, window);
        add(Quantity::BatteryCapacity, None, PLACEHOLDER, window);
        let voltage = Voltage::new(&timeline, None);
        let found = estimate(&timeline, &voltage, &|_| true, &mut ErrorModel::default());
        assert!(found.tracks.is_empty() && found.is_placeholder);
        timeline.system.usage.pop();
        timeline.window = Window::new(BootNanos::new(0), BootNanos::new(HOUR / 3));
        let found = estimate(&timeline, &voltage, &|_| true, &mut ErrorModel::default());
        assert!(found.tracks.is_empty() && !found.is_placeholder);
    }

    /// A history that tells of six minutes of a day with a lit panel, and no figures of it: all charge falls into them.
    #[test]
    fn a_short_history_holds_the_charge_of_a_long_day() {
        let day = 24 * HOUR;
        let window = Window::new(BootNanos::new(0), BootNanos::new(day));
        let mut timeline = Timeline { window, ..Timeline::default() };
        let tag = Some(timeline.names.intern("scrn"));
        let quantity = Quantity::EstimatedCharge;
        timeline.system.usage.push(Usage { quantity, uid: None, tag, window, value: 1169.0 });
        let level = [(0, 0), (HOUR, 1), (HOUR + HOUR / 10, 0)];
        timeline.system.states.push(StateTrack {
            kind: StateKind::Screen,
            scope: CounterScope::Global,
            tag: None,
            level: level.into_iter().map(|(time, level)| (BootNanos::new(time), level)).collect(),
        });
        let voltage = Voltage::new(&timeline, None);
        let found = estimate(&timeline, &voltage, &|_| true, &mut ErrorModel::default());
        let joules: f64 = found.tracks.iter().map(|track| track.energy(window).value()).sum();
        assert!((joules - 1169.0 * 3.6 * 3.85).abs() < 1e-6, "{joules}");
    }
}
