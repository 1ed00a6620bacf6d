//! Suspicious methods of ledgers whose figures can be worked by hand.

use crate::support;
use wattle_ledger::Ledger;
use wattle_report::{
    Report, ReportOptions, SuspectMethodRow, SuspectTestRow, SuspectsComparison, SuspectsReport,
    SuspectsSample, Suspicion, suspects_terminal,
};

use crate::support::terminal;
use wattle_units::Joules;

/// The normal quantile of a two-sided 90 % interval, from a printed table.
const NORMAL_90: f64 = 1.644_853_627;

fn of(ledger: &Ledger) -> SuspectsReport {
    let report = Report::new(ledger, &ReportOptions::default());
    report.tests.suspects.expect("methods of tests")
}

fn test<'a>(suspects: &'a SuspectsReport, name: &str) -> &'a SuspectTestRow {
    suspects.tests.iter().find(|row| row.name.ends_with(name)).expect("the test")
}

fn method<'a>(
    suspects: &'a SuspectsReport,
    method: &str,
    descriptor: &str,
) -> &'a SuspectMethodRow {
    let is_it = |row: &&SuspectMethodRow| {
        row.method == method && row.descriptor.as_deref() == Some(descriptor)
    };
    suspects.methods.iter().find(is_it).expect("the method")
}

#[track_caller]
fn close(found: Option<f64>, expected: f64) {
    let found = found.expect("a number");
    assert!((found - expected).abs() < 1e-6, "{found}, expected {expected}");
}

#[test]
fn tests_above_the_mean_power_are_excessive() {
    let suspects = of(&support::suspects_phone());
    close(suspects.mean_mw, 2650.0 / 6.0);
    assert_eq!((suspects.excessive, suspects.normal, suspects.uncertain), (3, 3, 1));
    for (name, milliwatts, excessive, uncertain, methods) in [
        ("#idle", 100.0, false, false, 4),
        ("#list", 100.0, false, false, 2),
        ("#sync", 1000.0, true, false, 4),
        ("#upload", 800.0, true, false, 3),
        ("#menu", 200.0, false, false, 2),
        ("#border", 450.0, true, true, 2),
    ] {
        let row = test(&suspects, name);
        close(Some(row.mean_mw), milliwatts);
        assert_eq!((row.excessive, row.uncertain, row.methods), (excessive, uncertain, methods));
    }
    // 5 % in common and 1 % of its own, log-normal.
    let factor = (NORMAL_90 * 0.05_f64.hypot(0.01)).exp();
    let [low, high] = test(&suspects, "#border").interval_mw;
    close(Some(low), 450.0 / factor);
    close(Some(high), 450.0 * factor);
    let left_out: Vec<_> =
        suspects.left_out.iter().map(|row| (row.reason.as_str(), row.tests)).collect();
    assert_eq!(left_out, [("failed", 1)]);
}

/// Counts of a method's tests, its scores by Ochiai and Tarantula, and its rank.
struct Expected {
    counts: [usize; 4],
    scores: [f64; 2],
    rank: usize,
}

/// A method's class by colour, counts, scores to four digits, and rank.
#[track_caller]
fn check(
    suspects: &SuspectsReport,
    (name, descriptor): (&str, &str),
    suspicion: Suspicion,
    Expected { counts, scores: [ochiai, tarantula], rank }: Expected,
) {
    let row = method(suspects, name, descriptor);
    assert_eq!(row.suspicion, Some(suspicion), "{name}");
    assert_eq!([row.e_f, row.e_p, row.n_f, row.n_p], counts, "{name}");
    assert!((row.ochiai.expect("a score") - ochiai).abs() < 5e-5, "{name}: {:?}", row.ochiai);
    assert!((row.tarantula.expect("a score") - tarantula).abs() < 5e-5, "{name}");
    assert_eq!(row.rank, Some(rank), "{name}");
}

#[test]
fn methods_of_excessive_tests_are_suspected() {
    use Suspicion::{Green, Red, Yellow};
    let suspects = of(&support::suspects_phone());
    assert_eq!(suspects.no_localisation, None);
    check(
        &suspects,
        ("poll", "()V"),
        Red,
        Expected { counts: [3, 0, 0, 3], scores: [1.0, 1.0], rank: 1 },
    );
    check(
        &suspects,
        ("onCreate", "()V"),
        Yellow,
        Expected { counts: [3, 3, 0, 0], scores: [0.5_f64.sqrt(), 0.5], rank: 2 },
    );
    check(
        &suspects,
        ("send", "(I)V"),
        Red,
        Expected { counts: [1, 0, 2, 3], scores: [0.5774, 1.0], rank: 4 },
    );
    check(
        &suspects,
        ("send", "(J)V"),
        Red,
        Expected { counts: [1, 0, 2, 3], scores: [0.5774, 1.0], rank: 4 },
    );
    check(
        &suspects,
        ("draw", "()V"),
        Yellow,
        Expected { counts: [1, 1, 2, 2], scores: [0.4082, 0.5], rank: 5 },
    );
    check(
        &suspects,
        ("bind", "()V"),
        Green,
        Expected { counts: [0, 3, 3, 0], scores: [0.0, 0.0], rank: 7 },
    );
    check(
        &suspects,
        ("evil", "()V"),
        Green,
        Expected { counts: [0, 1, 3, 2], scores: [0.0, 0.0], rank: 7 },
    );
    let order: Vec<_> = suspects.methods.iter().map(|row| row.method.as_str()).collect();
    // Between equals more joules come first, then the name.
    assert_eq!(order, ["poll", "onCreate", "send", "send", "draw", "evil", "bind"]);
    assert_eq!(suspects.methods[2].descriptor.as_deref(), Some("(I)V"));
    assert_eq!(method(&suspects, "poll", "()V").calls, 6);
    close(method(&suspects, "poll", "()V").own.joules().map(Joules::value), 2.0);
    assert_eq!(method(&suspects, "bind", "()V").own.joules(), None, "no data is not 0");
}

/// Joules at stake, and by how much they may be off: worked by source, so that what the mean and the tests have in common cancels.
#[track_caller]
fn stake(
    suspects: &SuspectsReport,
    row: (&str, &str),
    joules: f64,
    by_source: [f64; 2],
    seconds: f64,
) {
    let row = method(suspects, row.0, row.1);
    close(row.at_stake.joules().map(Joules::value), joules);
    let interval = row.at_stake.interval().expect("an interval");
    let reach = NORMAL_90 * 0.05_f64.hypot(0.01) * by_source[0].hypot(by_source[1]);
    close(Some(interval.low.value()), joules - reach);
    close(Some(interval.high.value()), joules + reach);
    close(row.excess_mw, joules / seconds * 1e3);
}

#[test]
fn joules_at_stake_are_above_the_mean() {
    let suspects = of(&support::suspects_phone());
    // A second at the mean is 1/6 J of LITTLE (#sync) and 1.65/6 J of BIG.
    stake(&suspects, ("poll", "()V"), 1.85, [2.0 - 1.0, 2.5 - 1.65], 6.0);
    stake(&suspects, ("onCreate", "()V"), 1.85, [2.0 - 1.0, 2.5 - 1.65], 6.0);
    stake(&suspects, ("send", "(I)V"), 2.0 - 5.3 / 6.0, [2.0 - 2.0 / 6.0, -3.3 / 6.0], 2.0);
    stake(&suspects, ("send", "(J)V"), 1.6 - 5.3 / 6.0, [-2.0 / 6.0, 1.6 - 3.3 / 6.0], 2.0);
    let green = method(&suspects, "bind", "()V");
    assert_eq!((green.at_stake.joules(), green.excess_mw), (None, None));
}

#[test]
fn classes_say_what_did_not_run() {
    let suspects = of(&support::suspects_phone());
    let rows: Vec<_> = suspects
        .classes
        .iter()
        .map(|row| (row.class.rsplit('.').next().unwrap_or_default(), row.methods, row.executed))
        .collect();
    for expected in
        [("Main", 5, 1), ("Sync", 4, 3), ("List$Row", 3, 1), ("Unused", 7, 0), ("Crash", 1, 0)]
    {
        assert!(rows.contains(&expected), "{expected:?} in {rows:?}");
    }
}

/// Why there are no scores.
#[track_caller]
fn check_none(ledger: &Ledger, words: &str) {
    let suspects = of(ledger);
    let reason = suspects.no_localisation.as_deref().expect("a reason");
    assert!(reason.contains(words), "{reason}");
    for row in &suspects.methods {
        let numbers =
            [row.ochiai, row.tarantula, row.excess_mw, row.at_stake.joules().map(Joules::value)];
        assert_eq!(numbers, [None; 4]);
        assert_eq!((row.suspicion, row.rank), (None, None));
    }
    let page = terminal(ledger, &ReportOptions::default());
    assert!(page.contains("no method can be suspected"), "{page}");
}

#[test]
fn without_a_comparison_nobody_is_suspected() {
    let phone = support::suspects_phone();
    let mut single = phone.clone();
    for test in &mut single.test_runs.tests[1..] {
        test.outcome = "skipped".into();
    }
    check_none(&single, "only one test");
    let mut none = single.clone();
    none.test_runs.tests[0].outcome = "crashed".into();
    check_none(&none, "no test can be looked at");
    let mut equal = phone.clone();
    for booking in &mut equal.test_runs.bookings {
        booking.own = Joules::new(0.1);
    }
    check_none(&equal, "same mean power");
    let mut bare = phone.clone();
    bare.test_runs.methods.retain(|entry| entry.test == 4);
    check_none(&bare, "no method with probes ran");
    let mut unknown = phone;
    unknown.test_runs.methods.clear();
    let report = Report::new(&unknown, &ReportOptions::default());
    assert!(report.tests.suspects.is_none());
}

#[test]
fn tests_without_an_energy_are_not_normal() {
    let mut ledger = support::suspects_phone();
    ledger.test_runs.bookings.retain(|booking| booking.test != 0);
    ledger.test_runs.tests[1].window.end = ledger.test_runs.tests[1].window.start;
    let suspects = of(&ledger);
    let reasons: Vec<_> = suspects.left_out.iter().map(|row| row.reason.as_str()).collect();
    assert_eq!(reasons, ["failed", "no energy figure of the app", "no time inside the window"]);
    assert_eq!(suspects.tests.len(), 4);
}

#[test]
fn entries_that_point_nowhere_are_harmless() {
    let mut ledger = support::suspects_phone();
    let expected = of(&ledger).methods.len();
    for entry in [(99, 0), (0, 99), (u32::MAX, u32::MAX)] {
        let (test, site) = entry;
        ledger.test_runs.methods.push(wattle_ledger::TestMethodEntry {
            test,
            site,
            calls: u64::MAX,
        });
    }
    assert_eq!(of(&ledger).methods.len(), expected);
}

/// The phone cut into two ledgers, tests alternating.
fn halves() -> [Ledger; 2] {
    [0, 1].map(|half| {
        let mut ledger = support::suspects_phone();
        for (at, test) in ledger.test_runs.tests.iter_mut().enumerate() {
            if at % 2 != half && test.outcome != "failed" {
                test.outcome = "interrupted".into();
            }
        }
        ledger
    })
}

fn samples(ledgers: &[Ledger]) -> Vec<SuspectsSample> {
    let names = ["monday.ledger.json.zst", "tuesday.ledger.json.zst"];
    ledgers.iter().zip(names).map(|(ledger, name)| SuspectsSample::new(name, ledger)).collect()
}

#[test]
fn two_ledgers_are_as_good_as_one() {
    let whole = of(&support::suspects_phone());
    let mut ledgers = halves();
    for _ in 0..2 {
        let suspects = SuspectsComparison::new(&samples(&ledgers)).suspects;
        close(suspects.mean_mw, whole.mean_mw.expect("a mean"));
        assert_eq!((suspects.excessive, suspects.normal), (whole.excessive, whole.normal));
        for (row, expected) in suspects.methods.iter().zip(&whole.methods) {
            assert_eq!((&row.method, &row.descriptor), (&expected.method, &expected.descriptor));
            assert_eq!(
                (row.rank, row.ochiai, row.suspicion),
                (expected.rank, expected.ochiai, expected.suspicion)
            );
            let joules = |row: &SuspectMethodRow| row.at_stake.joules().map(Joules::value);
            match joules(expected) {
                Some(expected) => close(joules(row), expected),
                None => assert_eq!(joules(row), None),
            }
            // What the halves have in common does not cancel any more.
            let width =
                |row: &SuspectMethodRow| row.at_stake.interval().map(|i| i.half_width().value());
            assert!(width(row) >= width(expected).map(|width| width * (1.0 - 1e-9)));
        }
        assert_eq!(suspects.classes, whole.classes);
        ledgers.reverse();
    }
}

#[test]
fn different_devices_are_remarked() {
    let mut ledgers = halves();
    ledgers[1].recording.device.model = Some("Pixel 9".into());
    let suspects = SuspectsComparison::new(&samples(&ledgers)).suspects;
    assert!(suspects.remarks.iter().any(|remark| remark.contains("different devices")));
    ledgers[1].test_runs.tests[1].window.end = ledgers[1].test_runs.tests[3].window.end;
    let suspects = SuspectsComparison::new(&samples(&ledgers)).suspects;
    assert!(suspects.remarks.iter().any(|remark| remark.contains("at the same time")));
}

#[test]
fn suspects_of_a_report() {
    let page = terminal(&support::suspects_phone(), &ReportOptions::default());
    let (_, rest) = page.split_once("\nSuspicious methods\n").expect("the section");
    // Its lines are indented; the next heading is not.
    let section = rest.lines().take_while(|line| line.is_empty() || line.starts_with("  "));
    insta::assert_snapshot!(section.collect::<Vec<_>>().join("\n").trim_end());
}

#[test]
fn suspects_of_several_ledgers() {
    let mut options = ReportOptions::default();
    options.width = Some(90);
    options.top = 4;
    insta::assert_snapshot!(suspects_terminal(
        &SuspectsComparison::new(&samples(&halves())),
        &options
    ));
}
