//! Energy in human units: against figures worked by hand, and against Orka's.

use crate::support;
use serde_json::Value;
use wattle_ledger::Ledger;
use wattle_power::{BatteryCapacity, BatteryFacts, BatteryVoltage};
use wattle_report::{
    Figure, GridCarbon, HumanFigure, HumanOptions, HumanUnits, ReferenceDevices, ReportOptions,
};

use crate::support::json;
use wattle_timeline::Window;
use wattle_units::{Coulombs, Estimate, Interval, Joules, Provenance, Volts};

/// Orka's sample: what batterystats of an emulator said a run had drawn.
const ORKA_MAH: f64 = 0.0233;

fn figure(joules: f64) -> Figure {
    let [low, high] = [joules * 0.9, joules * 1.2].map(Joules::new);
    Figure(Some(Estimate {
        joules: Joules::new(joules),
        interval: Interval { low, high },
        provenance: Provenance::Modelled,
    }))
}

fn options(reference: &str) -> HumanOptions {
    let mut options = HumanOptions::default();
    options.reference = ReferenceDevices::library().named(reference).cloned();
    assert!(options.reference.is_some(), "{reference}");
    options
}

fn ledger(capacity_mah: Option<f64>, volts: Option<f64>) -> Ledger {
    let source = "somebody".to_owned();
    let mut ledger = Ledger::empty(Window::default());
    ledger.power.battery_facts = BatteryFacts {
        capacity: capacity_mah.map(|mah| BatteryCapacity {
            charge: Coulombs::from_microampere_hours(mah * 1e3),
            source: source.clone(),
        }),
        voltage: volts.map(|volts| BatteryVoltage { volts: Volts::new(volts), source }),
    };
    ledger
}

fn converted(ledger: &Ledger, reference: &str, joules: f64) -> HumanFigure {
    let units = HumanUnits::new(ledger, &options(reference)).expect("a reference");
    units.of(figure(joules)).expect("a figure")
}

#[track_caller]
fn close(found: f64, expected: f64, part: f64) {
    assert!((found / expected - 1.0).abs() < part, "{found}, expected {expected}");
}

/// Watts of web browsing, video and 3D game, to the digits given.
#[track_caller]
fn check_device(id: &str, watt_hours: f64, watts: [f64; 3]) {
    let device = ReferenceDevices::library().named(id).expect(id);
    close(device.battery.energy.value(), watt_hours * 3600.0, 1e-12);
    let names: Vec<&str> = device.activities.iter().map(|each| each.name.as_str()).collect();
    assert_eq!(names, ["web browsing", "video", "3D game"], "{id}");
    for (activity, watts) in device.activities.iter().zip(watts) {
        assert!((activity.power.value() - watts).abs() < 5.1e-4, "{id}: {activity:?}");
        assert!(!activity.source.is_empty());
    }
}

#[test]
fn devices_draw_their_battery_by_the_hours() {
    // By hand: 15.01 / 9, / 10, / 4; 16 / 9, / 10.5, / 4.08; 19.3 and 19.4 by hours and minutes.
    check_device("nexus-7-2013", 15.01, [1.668, 1.501, 3.753]);
    check_device("Nexus 7 (2012)", 16.0, [1.778, 1.524, 3.922]);
    check_device("galaxy-s20-ultra", 19.3, [1.559, 1.841, 2.098]);
    check_device("GALAXY-S21-ULTRA", 19.4, [1.204, 2.188, 2.238]);
}

#[test]
fn seconds_are_joules_by_watts() {
    let human = converted(&ledger(None, None), "nexus-7-2013", 54_036.0);
    let hours: Vec<f64> = human.activities.iter().map(|a| a.seconds.value / 3600.0).collect();
    for (found, expected) in hours.iter().zip([9.0, 10.0, 4.0]) {
        close(*found, expected, 1e-12);
    }
    let browsing = human.activities[0].seconds;
    close(browsing.low, 0.9 * 32_400.0, 1e-12);
    close(browsing.high, 1.2 * 32_400.0, 1e-12);
    close(human.battery_share.value, 1.0, 1e-12);
    close(human.mah.expect("a voltage").value, 3950.0, 1e-12);
    // 15.01 Wh at 481 g/kWh.
    close(human.co2e_grams.value, 7.219_81, 1e-9);
    close(human.co2e_grams.high, 1.2 * 7.219_81, 1e-9);
}

/// Returns Orka's figure: a fraction of the emulator's fictitious 1000 mAh by the hours of a Nexus 7.
fn orka(mah: f64, hours: f64) -> f64 {
    mah / 1000.0 * hours * 3600.0
}

#[test]
fn orkas_seconds_are_those_of_an_emulators_battery() {
    let device = ReferenceDevices::library().named("nexus-7-2013").expect("a device");
    let nominal = device.battery.nominal.expect("a voltage");
    let joules = ORKA_MAH * 3.6 * nominal.value();
    let human = converted(&ledger(None, None), "nexus-7-2013", joules);
    let shown = [(9.0, 0.7549), (10.0, 0.8388), (4.0, 0.3355)];
    for (activity, (hours, orkas)) in human.activities.iter().zip(shown) {
        assert!((orka(ORKA_MAH, hours) - orkas).abs() < 5e-5, "{}", orka(ORKA_MAH, hours));
        close(orka(ORKA_MAH, hours) / activity.seconds.value, 3950.0 / 1000.0, 1e-9);
    }
    let browsing = human.activities[0].seconds.value;
    assert!((browsing - 0.191).abs() < 5e-4, "{browsing} s");
    close(human.mah.expect("a voltage").value, ORKA_MAH, 1e-12);
    close(human.battery_share.value, ORKA_MAH / 3950.0, 1e-9);
}

/// Share of 100 J and its mAh, by what is known of the recorded device.
#[track_caller]
fn check_battery(capacity: Option<f64>, volts: Option<f64>, share: f64, mah: f64, of: &str) {
    let ledger = ledger(capacity, volts);
    let units = HumanUnits::new(&ledger, &options("galaxy-s21-ultra")).expect("a reference");
    let human = units.of(figure(100.0)).expect("a figure");
    close(human.battery_share.value, share, 1e-9);
    close(human.mah.expect("a voltage").value, mah, 1e-9);
    let of_battery = serde_json::to_value(&units).expect("JSON");
    assert_eq!(of_battery["battery"]["of"], of);
}

#[test]
fn a_share_is_of_the_recorded_devices_own_battery_where_that_is_real() {
    // 100 J are 100 / 3.6 / V mAh.
    let at = |volts: f64| 100.0 / 3.6 / volts;
    check_battery(None, None, 100.0 / 69_840.0, at(3.88), "reference-device");
    check_battery(None, Some(4.2), 100.0 / 69_840.0, at(4.2), "reference-device");
    check_battery(Some(4410.0), Some(4.2), at(4.2) / 4410.0, at(4.2), "recorded-device");
    check_battery(Some(4410.0), None, at(3.88) / 4410.0, at(3.88), "recorded-device");
    // A ledger is a file that anybody may have written.
    for nonsense in [0.0, -5.0, f64::NAN, f64::INFINITY] {
        check_battery(
            Some(nonsense),
            Some(nonsense),
            100.0 / 69_840.0,
            at(3.88),
            "reference-device",
        );
    }
}

#[test]
fn the_recorded_device_is_its_own_reference_where_it_is_known() {
    let mut ledger = ledger(None, None);
    let name = |ledger: &Ledger| {
        HumanUnits::new(ledger, &HumanOptions::default()).expect("a reference").reference.id
    };
    assert_eq!(name(&ledger), "galaxy-s21-ultra");
    ledger.recording.device.codename = Some("flo".to_owned());
    assert_eq!(name(&ledger), "nexus-7-2013");
    ledger.recording.device.board = Some("ranchu".to_owned());
    assert_eq!(name(&ledger), "galaxy-s21-ultra", "an emulator is no device");
}

#[test]
fn no_data_is_no_figure() {
    let units = HumanUnits::new(&ledger(None, None), &HumanOptions::default()).expect("units");
    assert_eq!(units.of(Figure::NO_DATA), None);
    assert_eq!(units.of(figure(f64::NAN)), None);
    let zero = units.of(Figure::zero(Provenance::Measured)).expect("0 J is data");
    assert_eq!(zero.activities[0].seconds.value.abs(), 0.0);
}

fn report(ledger: &Ledger) -> Value {
    let mut options = ReportOptions::default();
    options.apps = vec!["com.example.app".into()];
    json(ledger, &options).expect("a report")
}

#[test]
fn human_units_stand_where_a_total_stands() {
    let with_tests = report(&support::recorded_phone());
    let watts = 19.4 / 16.117;
    for (joules, human) in [
        ("/total/joules", "/human"),
        ("/app/joules", "/app/human"),
        ("/tests/0/joules", "/tests/0/human"),
    ] {
        let joules = with_tests.pointer(joules).and_then(Value::as_f64).expect(joules);
        let seconds = format!("{human}/activities/0/seconds");
        let seconds = with_tests.pointer(&seconds).and_then(Value::as_f64).expect(human);
        close(seconds, joules / watts, 1e-9);
    }
    let without = report(&support::no_energy());
    assert!(without["human"].is_null() && without["app"]["human"].is_null(), "{without}");
}

#[test]
fn the_terminal_says_whose_battery_it_is() {
    let mut ledger = support::phone();
    // Wherever lines break.
    let page = |ledger: &Ledger| {
        let page = support::terminal(ledger, &ReportOptions::default());
        page.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    assert!(page(&ledger).contains("0.011 % of its battery"), "{}", page(&ledger));
    ledger.power.battery_facts = self::ledger(Some(4410.0), Some(4.0)).power.battery_facts;
    // 7.8 J at 4 V are 0.5417 mAh, of 4410.
    assert!(page(&ledger).contains("0.012 % of this device's battery"), "{}", page(&ledger));
    assert!(page(&ledger).contains("542 µAh"), "{}", page(&ledger));
    let without = support::terminal(&support::no_energy(), &ReportOptions::default());
    assert!(!without.contains("web browsing"), "{without}");
}

#[track_caller]
fn check_refused(text: &str, part: &str) {
    let error = ReferenceDevices::parse("own.toml", text).expect_err("an error").to_string();
    assert!(error.contains("own.toml") && error.contains(part), "{error}");
}

#[test]
fn what_is_wrong_with_a_file_is_said() {
    let device = |battery: &str, activity: &str| {
        format!(
            "format = 'wattle-reference-devices/1'\n[[device]]\nid = 'x'\nname = 'X'\n[device.battery]\n{battery}\n{activity}"
        )
    };
    let battery = "energy_wh = 10\nsource = 's'";
    check_refused("format = 'other/1'", "wattle-reference-devices/1");
    check_refused("format = 'wattle-reference-devices/1'", "no device");
    check_refused(&device("source = 's'", ""), "energy_wh");
    check_refused(&device("energy_wh = 10\nsource = ''", ""), "source");
    check_refused(&device("energy_wh = -1\nsource = 's'", ""), "above 0");
    check_refused(&device("energy_wh = inf\nsource = 's'", ""), "above 0");
    check_refused(
        &device("energy_wh = 10\ncapacity_mah = 5000\nnominal_v = 3.8\nsource = 's'", ""),
        "19.00 Wh",
    );
    let activity = |figures: &str| {
        device(battery, &format!("[[device.activity]]\nname = 'a'\nsource = 's'\n{figures}"))
    };
    check_refused(&activity(""), "either hours or watts");
    check_refused(&activity("hours = 1\nwatts = 2"), "either hours or watts");
    check_refused(&activity("hours = 0"), "above 0");
    check_refused(&activity("hour = 1"), "hour");
    let good = ReferenceDevices::parse("own.toml", &activity("watts = 2")).expect("a device");
    assert!((good.named("x").expect("x").activities[0].power.value() - 2.0).abs() < 1e-12);
    let carbon = |text: &str| GridCarbon::parse("grid.toml", text);
    let head = "format = 'wattle-grid-carbon/1'\nsource = 's'";
    assert!(carbon(&format!("{head}\ngrams_per_kwh = -1")).is_err());
    assert!(carbon("format = 'wattle-grid-carbon/1'\ngrams_per_kwh = 1\nsource = ''").is_err());
    let own = carbon(&format!("{head}\ngrams_per_kwh = 360")).expect("a factor");
    close(own.grams(Joules::new(10.0)), 1e-3, 1e-12);
}
