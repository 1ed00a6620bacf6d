//! Verdicts on rules.

use crate::support::{at_celsius, energy, judged, policy, row, run, runs, tried};
use wattle_gate::{
    Baseline, BaselineOrigin, CheckVerdict, FindingEnergy, GateError, GateRun, ScatterCause, check,
};

/// A rule of one subject with these limits, for one run of 300 mJ (±4 %) and ten earlier ones of 300 mJ.
#[track_caller]
fn verdict(rule: &str, expected: CheckVerdict) {
    let report = judged(
        &format!("[[rule]]\n{rule}"),
        &[run("now", 0.3)],
        &runs("before", 10, 0.3, 0.001, 1),
    );
    assert_eq!(row(&report).verdict, expected, "{rule}: {}", row(&report).text);
}

#[test]
fn budgets_are_judged_by_intervals() {
    verdict("subject = \"app\"\nat-most = \"320 mJ\"", CheckVerdict::Passed);
    verdict("subject = \"app\"\nat-most = \"280 mJ\"", CheckVerdict::Failed);
    verdict("subject = \"app\"\nat-most = \"301 mJ\"", CheckVerdict::Inconclusive);
    verdict("subject = \"app\"\nat-most = \"299 mJ\"", CheckVerdict::Inconclusive);
    verdict("subject = \"total\"\nat-most = \"2 J\"", CheckVerdict::Passed);
    verdict("subject = \"component:cpu\"\nat-most = \"90 mJ\"", CheckVerdict::Failed);
    // Both methods are 45 mJ together.
    verdict(
        "subject = \"method:com.example.news.Feed.*\"\nat-most = \"47 mJ\"",
        CheckVerdict::Passed,
    );
    verdict(
        "subject = \"method:com.example.news.Feed.*\"\nat-most = \"40 mJ\"",
        CheckVerdict::Failed,
    );
    // What no run has may be a name that was misspelt; what nobody looked for is unknown.
    verdict("subject = \"component:wifi\"\nat-most = \"0 J\"", CheckVerdict::NotMeasured);
    verdict(
        "subject = \"method:com.example.nwes.*\"\nat-most = \"1 J\"",
        CheckVerdict::NotMeasured,
    );
    verdict("subject = \"finding:wakelock-*\"\nat-most = \"0 J\"", CheckVerdict::NotMeasured);
}

#[test]
fn findings_have_budgets() {
    let mut found = run("now", 0.3);
    found.findings = Some(vec![FindingEnergy {
        rule: "wakelock-held-long".to_owned(),
        energy: energy(0.02, 0.1),
    }]);
    let rule = "[[rule]]\nsubject = \"finding:wakelock-*\"\nat-most = \"10 mJ\"";
    assert_eq!(row(&judged(rule, &[found.clone()], &[])).verdict, CheckVerdict::Failed);
    found.findings = Some(Vec::new());
    assert_eq!(row(&judged(rule, &[found], &[])).verdict, CheckVerdict::Passed);
}

const GROWTH: &str = "[[rule]]\nsubject = \"app\"\ngrow-at-most = \"5%\"";

#[test]
fn growth_is_judged_against_many_runs() {
    let before = runs("before", 10, 0.3, 0.01, 1);
    let with = |current: &[GateRun]| row(&judged(GROWTH, current, &before)).clone();
    assert_eq!(with(&runs("now", 5, 0.3, 0.01, 2)).verdict, CheckVerdict::Passed);
    let grown = with(&runs("now", 5, 0.33, 0.01, 3));
    assert_eq!(grown.verdict, CheckVerdict::Failed, "{}", grown.text);
    assert!(grown.text.contains("over the last 10 runs of main"), "{}", grown.text);
    // Less is never too much.
    assert_eq!(with(&runs("now", 5, 0.2, 0.01, 4)).verdict, CheckVerdict::Passed);
    // With one run of each build, the scatter is unknown.
    let single = row(&judged(GROWTH, &[run("now", 0.4)], &[run("before", 0.3)])).clone();
    assert_eq!(single.verdict, CheckVerdict::Inconclusive, "{}", single.text);
    // One run far above ten is too much, too; one a little above is open, with a number of runs.
    assert_eq!(with(&runs("now", 1, 0.4, 0.0, 5)).verdict, CheckVerdict::Failed);
    let open = with(&runs("now", 3, 0.316, 0.02, 6));
    assert_eq!(open.verdict, CheckVerdict::Inconclusive, "{}", open.text);
    assert!(
        ["more run", "threshold", "device model"].iter().any(|part| open.text.contains(part)),
        "{}",
        open.text
    );
}

#[test]
fn without_a_baseline_nothing_is_said_of_growth() {
    let report = judged(GROWTH, &[run("now", 0.3)], &[]);
    assert_eq!(row(&report).verdict, CheckVerdict::NotMeasured);
    assert!(report.passes(false) && !report.passes(true));
    assert!(report.headline().contains("nothing to compare with"), "{}", report.headline());
}

#[test]
fn runs_of_another_device_or_model_are_left_out() {
    let mut other = run("other", 0.2);
    other.facts.device.title = Some("Galaxy S21".to_owned());
    let mut older = run("older", 0.2);
    older.facts.device.model_name = Some("pixel-6".to_owned());
    let mut app = run("app", 0.2);
    app.facts.app.package = "com.example.mail".to_owned();
    let report = judged(GROWTH, &[run("now", 0.3)], &[other, older, app]);
    let reasons: Vec<&str> =
        report.baseline.refused.iter().map(|(_, reason)| reason.as_str()).collect();
    assert_eq!(
        reasons,
        [
            "its device is Galaxy S21, not Pixel 6a",
            "its device model is pixel-6, not pixel-6a",
            "its app is com.example.mail, not com.example.news",
        ]
    );
    assert_eq!(row(&report).verdict, CheckVerdict::NotMeasured);
}

#[test]
fn rules_hold_for_their_scenario() {
    let text = "[[rule]]\nsubject = \"app\"\nscenario = \"start*\"\nat-most = \"1 mJ\"";
    let report = judged(text, &[run("now", 0.3)], &[]);
    assert_eq!(row(&report).verdict, CheckVerdict::NotMeasured);
    assert_eq!(row(&report).text, "app: no run is of the scenario start*");
    assert!(!report.passes(true));
}

#[test]
fn wide_scatter_is_flaky_and_its_cause_is_named() {
    let limit = "[[rule]]\nsubject = \"app\"\nat-most = \"310 mJ\"";
    let warm: Vec<GateRun> = (0..6)
        .map(|number| {
            let celsius = 25.0 + f64::from(number);
            at_celsius(run(&format!("now{number}"), 0.2 + 0.035 * f64::from(number)), celsius)
        })
        .collect();
    let found = row(&judged(limit, &warm, &[])).clone();
    assert_eq!(found.verdict, CheckVerdict::Flaky, "{}", found.text);
    assert_eq!(found.cause, Some(ScatterCause::Heat { celsius: (25.0, 30.0) }));
    // The rest of the device stays at the same share, so nothing says that it was the app's neighbours.
    let scattered = [0.2, 0.4, 0.22, 0.38].map(|joules| {
        let mut run = run("now", joules);
        run.total = Some(energy(joules + 1.0, 0.04));
        run
    });
    let found = row(&judged(limit, &scattered, &[])).clone();
    assert_eq!((found.verdict, found.cause), (CheckVerdict::Flaky, None), "{}", found.text);
}

/// Of 300 suites of equal builds with 20 rules each, at most 5 % may fail; a growth of 10 % at 2 % noise is found.
#[test]
fn equal_builds_rarely_fail_and_grown_ones_do() {
    let mut text = String::new();
    for _ in 0..20 {
        text.push_str("[[rule]]\nsubject = \"app\"\ngrow-at-most = \"3%\"\n");
    }
    let mut failed = [0; 2];
    let (series, effects) = (300, [1.0, 1.1]);
    for (index, effect) in effects.into_iter().enumerate() {
        for seed in 0..series {
            let before = runs("before", 10, 0.3, 0.02, 2 * seed + 1);
            let now = runs("now", 5, 0.3 * effect, 0.02, 900_000 + 2 * seed);
            let report = judged(&text, &now, &before);
            failed[index] += usize::from(!report.passes(false));
        }
    }
    assert!(failed[0] as f64 <= 0.05 * series as f64, "{} of {series} equal ones fail", failed[0]);
    assert!(failed[1] as f64 >= 0.95 * series as f64, "{} of {series} grown ones fail", failed[1]);
}

/// A method that is gone costs nothing now.
#[test]
fn what_only_the_baseline_has_costs_nothing() {
    let mut without = run("now", 0.3);
    without.methods.remove("com.example.news.Feed.load");
    let text = "[[rule]]\nsubject = \"method:com.example.news.Feed.load\"\ngrow-at-most = \"5%\"";
    let report = judged(text, &[without], &runs("before", 5, 0.3, 0.01, 1));
    assert_eq!(row(&report).verdict, CheckVerdict::Passed, "{}", row(&report).text);
}

#[test]
fn runs_of_several_devices_are_refused_and_names_stay_on_their_line() {
    let mut other = run("other", 0.2);
    other.facts.device.title = Some("Galaxy\n::error::S21".to_owned());
    let refused = tried(GROWTH, &[run("now", 0.3), other.clone()], &[]).err();
    let text = refused.expect("an error").to_string();
    assert!(text.contains("its device is Galaxy") && !text.contains('\n'), "{text}");
    let origin = BaselineOrigin::Named("main\n::error::y".to_owned());
    let baseline = Baseline { runs: &[other], last: 10, origin };
    let report = check(&policy(GROWTH), &[run("now\n::error::x", 0.3)], &baseline);
    let text = wattle_gate::format::terminal(&report.expect("a report"));
    assert!(!text.lines().any(|line| line.trim_start().starts_with("::error")), "{text}");
}

#[test]
fn what_says_nothing_is_refused() {
    let refused = |text: &str| tried(text, &[run("now", 0.3)], &[]).err();
    assert_eq!(refused(""), Some(GateError::NoRules));
    let no_runs = refused(&format!("{GROWTH}\n[baseline]\nlast = 0"));
    assert_eq!(no_runs, Some(GateError::EmptyBaseline));
    let no_limit = refused("[[rule]]\nsubject = \"app\"");
    assert_eq!(no_limit, Some(GateError::NoLimit("app".to_owned())));
    assert_eq!(tried(GROWTH, &[], &[]).err(), Some(GateError::NoRuns));
    for wrong in [
        "[[rule]]\nsubject = \"phone\"\nat-most = \"1 J\"",
        "[[rule]]\nsubject = \"app\"\nat-most = \"much\"",
        "[[rule]]\nsubject = \"app\"\ngrow-at-most = \"much\"",
        "[[rule]]\nsubject = \"app\"\nmost = \"1 J\"",
        "rules = 1",
    ] {
        assert!(toml::from_str::<wattle_gate::Policy>(wrong).is_err(), "{wrong}");
    }
    // Figures that are no numbers are unknown.
    let mut broken = run("now", 0.3);
    broken.app = Some(energy(f64::NAN, 0.1));
    let report = judged("[[rule]]\nsubject = \"app\"\nat-most = \"1 J\"", &[broken], &[]);
    assert_eq!(row(&report).verdict, CheckVerdict::NotMeasured);
}
