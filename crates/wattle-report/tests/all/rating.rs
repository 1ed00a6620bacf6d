//! Ratings: limits against figures worked by hand, and what a rating may never do.

use crate::support;
use proptest::prelude::*;
use serde_json::Value;
use wattle_ledger::{CoverageEntry, Ledger};
use wattle_report::{
    Category, Letter, Limits, RatedEnergy, RatedMeasure, RatedPer, ReportOptions, quartiles,
};

use crate::support::{json, terminal};

#[track_caller]
fn check_quartiles(values: &[f64], expected: Option<(f64, f64)>) {
    assert_eq!(quartiles(values), expected, "{values:?}");
}

#[test]
fn quartiles_are_medians_of_the_halves() {
    check_quartiles(&[], None);
    check_quartiles(&[1.0], None);
    check_quartiles(&[1.0, f64::NAN], None);
    check_quartiles(&[4.0, 1.0, 3.0, 2.0], Some((1.5, 3.5)));
    check_quartiles(&[1.0, 2.0, 3.0, 4.0, 5.0], Some((2.0, 4.0)));
    // Textbook samples, by Tukey's hinges.
    let eleven = [6.0, 7.0, 15.0, 36.0, 39.0, 40.0, 41.0, 42.0, 43.0, 47.0, 49.0];
    check_quartiles(&eleven, Some((25.5, 42.5)));
    check_quartiles(&[7.0, 15.0, 36.0, 39.0, 40.0, 41.0], Some((15.0, 40.0)));
}

#[track_caller]
fn check_limits(found: Option<Limits>, expected: [f64; 4]) {
    let found = found.expect("limits").values();
    for (found, expected) in found.iter().zip(expected) {
        assert!((found - expected).abs() < 1e-9, "{found}, expected {expected}");
    }
}

#[test]
fn limits_are_aeons() {
    use Letter::{A, B, C, D, E};
    // Q1 15, Q3 35: from -15, that is 0, to 65, by 13.
    check_limits(Limits::of_values(&[10.0, 20.0, 30.0, 40.0]), [13.0, 26.0, 39.0, 52.0]);
    // Q1 100.5, Q3 102.5: from 97.5 to 105.5, by 1.6.
    let close_by = [103.0, 100.0, 102.0, 101.0];
    check_limits(Limits::of_values(&close_by), [99.1, 100.7, 102.3, 103.9]);
    check_limits(Limits::of_baseline(296.0, 50.0), [246.0, 296.0, 346.0, 396.0]);
    assert_eq!(Limits::of_values(&[5.0; 8]), None, "no width, no classes");
    let reddit = Limits::of_baseline(296.0, 50.0).expect("limits");
    let at = [0.0, 245.9, 246.0, 295.9, 296.0, 346.0, 396.0, 9e9].map(|j| reddit.letter(j));
    assert_eq!(at, [A, A, B, B, C, D, E, E]);
}

#[test]
fn the_librarys_baselines_are_read() {
    for (name, limits) in [
        ("aeon-reddit-browsers", [246.0, 296.0, 346.0, 396.0]),
        ("aeon-web-browsers", [65.0, 145.0, 225.0, 305.0]),
    ] {
        let category = Category::of_library(name).expect(name);
        check_limits(category.limits(), limits);
        assert_eq!(category.measure, RatedMeasure { energy: RatedEnergy::App, per: RatedPer::Run });
        assert!(category.source.expect("a source").contains("Aeon-Backend"));
    }
    assert_eq!(Category::library().count(), 2);
}

proptest! {
    #[test]
    fn more_energy_is_never_a_better_letter(
        values in proptest::collection::vec(0.0..1e6_f64, 2..40),
        mut two in (0.0..2e6_f64, 0.0..2e6_f64),
        factor in 1e-6..1e6_f64,
    ) {
        let Some(limits) = Limits::of_values(&values) else { return Ok(()) };
        if two.0 > two.1 {
            two = (two.1, two.0);
        }
        prop_assert!(limits.letter(two.0) <= limits.letter(two.1));
        // Neither order nor unit matters.
        let mut turned = values.clone();
        turned.reverse();
        prop_assert_eq!(Limits::of_values(&turned), Some(limits));
        let scaled: Vec<f64> = values.iter().map(|value| value * factor).collect();
        let scaled = Limits::of_values(&scaled).expect("limits");
        for (scaled, limit) in scaled.values().iter().zip(limits.values()) {
            prop_assert!((scaled / factor - limit).abs() <= 1e-9 * limit.abs().max(1.0));
        }
        prop_assert_eq!(limits.letter(0.0), Letter::A);
        prop_assert_eq!(limits.letter(f64::MAX), Letter::E);
    }
}

/// References around the app's 3.5 J [3.22 J – 3.80 J]; classes of 1 J begin at these limits.
fn category(joules: &[f64]) -> Category {
    let list: Vec<String> = joules.iter().map(f64::to_string).collect();
    let text = format!(
        r#"{{"format": "wattle-category/1", "name": "Chats", "of": "app", "source": "by hand",
            "provenance": "assumed", "joules": [{}]}}"#,
        list.join(", ")
    );
    Category::parse("chats.json", &text).expect("a category")
}

fn covered(executed: u64) -> Ledger {
    let mut ledger = support::phone();
    ledger.sheets.coverage = vec![
        CoverageEntry { class: "com.example.Login".into(), methods: 60, executed },
        CoverageEntry { class: "com.example.Main".into(), methods: 40, executed: 0 },
    ];
    ledger
}

fn options(category: Category) -> ReportOptions {
    let mut options = ReportOptions::default();
    options.apps = vec!["com.example.app".into()];
    options.category = Some(category);
    options.color = true;
    options
}

/// Rating and its place in the terminal.
fn rated(ledger: &Ledger, category: Category) -> (Value, String) {
    let options = options(category);
    let report = json(ledger, &options).expect("a report");
    let page = terminal(ledger, &options);
    let (_, rest) = page.split_once("Rating").or(page.split_once("No rating")).expect("a rating");
    let line = page.lines().find(|line| line.contains("ating")).expect("a line").to_owned();
    let (part, _) = rest.split_once("\n\n").expect("an end");
    (report["rating"].clone(), format!("{line}\n{part}"))
}

const GREEN: &str = "\u{1b}[1;32m";

#[track_caller]
fn check(ledger: &Ledger, joules: &[f64], letters: [&str; 3], warnings: &[&str], green: bool) {
    let (rating, page) = rated(ledger, category(joules));
    let found = [&rating["letter"], &rating["letters"][0], &rating["letters"][1]];
    assert_eq!(found.map(|letter| letter.as_str().unwrap_or("-")), letters, "{rating}");
    let codes: Vec<&str> = rating["warnings"]
        .as_array()
        .expect("a list")
        .iter()
        .filter_map(|warning| warning["code"].as_str())
        .collect();
    assert_eq!(codes, warnings, "{rating}");
    assert_eq!(rating["comparable"], warnings.is_empty() && letters[0] != "-");
    assert_eq!(page.contains(GREEN), green, "{page}");
}

#[test]
fn a_lazy_test_is_never_green() {
    // Q1 15, Q3 35: the limits are 13, 26, 39, 52, so 3.5 J are an A.
    let others = [10.0, 20.0, 20.0, 30.0, 30.0, 40.0];
    check(&covered(60), &others, ["A", "A", "A"], &[], true);
    check(&covered(12), &others, ["A", "A", "A"], &["low-coverage"], false);
    check(&support::phone(), &others, ["A", "A", "A"], &["coverage-unknown"], false);
    check(&covered(60), &others[..4], ["A", "A", "A"], &["few-references"], false);
    let (rating, page) = rated(&covered(12), category(&others));
    assert_eq!(rating["coverage"]["executed"], 12);
    assert!(page.contains("only 12 % of the probed methods ran"), "{page}");
    let mut lenient = category(&others);
    lenient.least_coverage = 0.1;
    let (rating, page) = rated(&covered(12), lenient);
    assert!(rating["comparable"] == true && page.contains(GREEN), "{page}");
}

#[test]
fn an_interval_over_a_limit_is_a_range_of_letters() {
    // Q1 2.5, Q3 3.5, so 1 to 5 by 0.8: limits 1.8, 2.6, 3.4, 4.2; 3.22 J is a C, 3.5 and 3.80 J are D.
    let others = [2.0, 2.5, 2.5, 3.0, 3.5, 3.5, 4.0];
    check(&covered(60), &others, ["D", "C", "D"], &[], false);
    let (rating, page) = rated(&covered(60), category(&others));
    assert!(page.contains("Rating D (C–D) in Chats"), "{page}");
    // 2, 2.5, 2.5 and 3 of 7 spend less; 3.5 J do not spend less than 3.5 J.
    let percentile = rating["percentile"].as_f64().expect("a percentile");
    assert!((percentile - 400.0 / 7.0).abs() < 1e-9, "{percentile}");
}

#[test]
fn what_cannot_be_compared_has_no_letter() {
    check(&covered(60), &[3.0; 6], ["-", "-", "-"], &[], false);
    let (rating, _) = rated(&support::no_energy(), category(&[1.0, 2.0, 3.0, 4.0, 5.0]));
    assert!(rating["letter"].is_null() && rating["joules"].is_null(), "{rating}");
    assert!(rating["no_letter_reason"].is_string(), "{rating}");
    let mut device = category(&[1.0, 2.0]);
    device.measure.energy = RatedEnergy::Device;
    let error = category(&[1.0]).add(device).expect_err("another measure").to_string();
    assert!(error.contains("energy of the device"), "{error}");
}

#[test]
fn ledgers_are_references_of_their_own_app() {
    let measure = RatedMeasure { energy: RatedEnergy::App, per: RatedPer::Minute };
    let mut category = Category::new("phones", measure);
    let mut own = support::phone();
    own.recording.apps = vec!["com.example.app".into()];
    category.add_ledger("own", &own, &[]);
    category.add_ledger("named", &support::phone(), &["com.example.app".into()]);
    category.add_ledger("other", &support::phone(), &["com.example.absent".into()]);
    category.add_ledger("nothing", &support::no_energy(), &["com.example.app".into()]);
    // 3.5 J in 10 s.
    for value in category.values() {
        assert!((value - 21.0).abs() < 1e-9, "{value}");
    }
    assert_eq!(category.values().len(), 2);
    let reasons: Vec<&str> = category.left_out.iter().map(|left| left.reason.as_str()).collect();
    assert_eq!(reasons, ["no process of com.example.absent in it", "no energy figure"]);
}

#[test]
fn strangers_are_warned_about() {
    let mut category = Category::new("phones", RatedMeasure::default());
    let mut ledger = covered(60);
    for nth in 0..5 {
        let mut other = support::phone();
        other.bookings.iter_mut().for_each(|booking| {
            booking.joules = booking.joules * (1.0 + f64::from(nth));
        });
        category.add_ledger(&format!("phone {nth}"), &other, &[]);
    }
    let codes = |ledger: &Ledger| {
        let (rating, _) = rated(ledger, category.clone());
        rating["warnings"].to_string()
    };
    assert_eq!(codes(&ledger), "[]");
    ledger.recording.device.model = Some("Another".into());
    assert!(codes(&ledger).contains("other-device"), "{}", codes(&ledger));
    ledger.rows.components[1].name = wattle_power::Component::Wifi;
    assert!(codes(&ledger).contains("other-components"), "{}", codes(&ledger));
}

#[test]
fn a_rating_on_a_terminal() {
    let mut options = options(category(&[2.0, 2.5, 2.5, 3.0, 3.5, 3.5, 4.0]));
    options.color = false;
    let page = terminal(&covered(12), &options);
    let (_, part) = page.split_once("other processes").expect("the app's part");
    let (part, _) = part.split_once("Components").expect("an end");
    insta::assert_snapshot!(part);
}

#[track_caller]
fn check_refused(text: &str, part: &str) {
    let error = Category::parse("own", text).expect_err("an error").to_string();
    assert!(error.contains(part), "{error}");
}

#[test]
fn what_is_wrong_with_a_file_is_said() {
    let head = "format = 'wattle-category/1'\nname = 'x'\nof = 'app'\nsource = 's'\n";
    check_refused("format = 'y'\nname = 'x'\nof = 'app'\nsource = 's'", "wattle-category/1");
    check_refused(head, "neither");
    check_refused(&format!("{head}joules = [-1.0]"), "0 or more");
    check_refused(&format!("{head}joules = [nan]"), "0 or more");
    check_refused(&format!("{head}[baseline]\njoules = 1\nwidth = 0"), "above 0");
    check_refused("{", "EOF");
    let named = format!("{head}[[reference]]\nname = 'a'\njoules = 1.5");
    let category = Category::parse("own", &named).expect("a category");
    assert_eq!(category.values(), [1.5]);
}
