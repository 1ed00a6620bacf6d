//! The table on the published data sets, held to what it promises: ratios to a baseline of the same run, intervals that hold.

use wattle_accuracy::{Line, Options, Role, Table, judge};
use wattle_testdata::requires;

fn table(file: &str, folds: usize) -> Table {
    let path = wattle_testdata::path(file);
    let options = Options { folds, ..Options::default() };
    judge(&[path], &options).expect("a table")
}

#[track_caller]
fn line<'a>(table: &'a Table, target: &str, role: Role) -> &'a Line {
    let set = table.sets.first().expect("a set").name;
    table.line(set, target, role).unwrap_or_else(|| panic!("no {role:?} of {target}"))
}

#[track_caller]
fn holds(line: &Line) {
    let coverage = line.coverage.expect("an interval");
    assert!((0.85..=0.95).contains(&coverage), "{}: {coverage}", line.model);
}

#[requires(data)]
#[test]
fn androwatts_is_predicted_better_than_by_boosted_trees() {
    let table = table("models/androwatts/androwatts.csv", 5);
    println!("{}", wattle_accuracy::terminal(&table));
    // What scikit-learn's GradientBoostingRegressor (300 trees of depth 3, 5 %, 70 % of the rows, logarithm of power) reached
    // on the same five folds and inputs, mean of three seeds, in percent: the baseline must be as good.
    let scikit_learn = [
        ("battery", 6.41),
        ("rail sum", 4.55),
        ("CPU", 5.74),
        ("display", 5.39),
        ("GPU", 3.58),
        ("WLAN", 5.14),
    ];
    for (target, percent) in scikit_learn {
        let baseline = line(&table, target, Role::Baseline);
        assert_eq!((baseline.rows, baseline.left_out), (700, 0));
        assert!(100.0 * baseline.mape <= 1.03 * percent, "{target}: {}", baseline.mape);
        let best = line(&table, target, Role::Best);
        assert!(best.ratio.expect("a ratio") <= 1.0, "{target}: {:?}", best.ratio);
        let physics = line(&table, target, Role::Interpretable);
        assert!(physics.mape <= baseline.mape + 0.01, "{target}: {}", physics.mape);
        for line in [baseline, best, physics] {
            holds(line);
        }
    }
}

#[requires(data)]
#[test]
fn freqbench_is_predicted_better_than_by_straight_lines() {
    let table = table("models/freqbench/freqbench.csv", 5);
    println!("{}", wattle_accuracy::terminal(&table));
    let set = table.sets.first().expect("a set");
    assert_eq!(set.groups, "70 clusters of 19 SoCs");
    for target in ["power(f) from 3 points", "power(f) from 5 points"] {
        let best = line(&table, target, Role::Best);
        assert!(best.ratio.expect("a ratio") <= 1.0, "{target}: {:?}", best.ratio);
        holds(line(&table, target, Role::Baseline));
        holds(best);
    }
}

/// The same points whether from the joined table or from the runs' own archive.
#[requires(data)]
#[test]
fn the_archive_of_results_has_the_points_of_the_joined_table() {
    let archive = "power_meter/freqbench-gs101-sdm845-sm8250-msm8998-exynos9611.tar.gz";
    let archive = wattle_testdata::path(archive);
    let joined = wattle_testdata::path("models/freqbench/freqbench.csv");
    let alone = judge(std::slice::from_ref(&archive), &Options::default()).expect("a table");
    let set = alone.sets.first().expect("a set");
    assert_eq!((set.rows, set.groups.as_str()), (329, "17 clusters of 5 SoCs"));
    let both = judge(&[joined, archive], &Options::default()).expect("a table");
    let set = both.sets.first().expect("a set");
    assert_eq!(set.groups, "70 clusters of 19 SoCs");
    assert!(set.notes.contains(&"17 clusters are in several files, counted once".to_owned()));
}

#[requires(data)]
#[test]
fn android_runner_is_compared_run_by_run() {
    let folder = wattle_testdata::path("power_meter");
    let options = Options { set: Some("android-runner".to_owned()), ..Options::default() };
    let table = judge(&[folder], &options).expect("a table");
    println!("{}", wattle_accuracy::terminal(&table));
    let set = table.sets.first().expect("a set");
    assert_eq!(set.groups, "243 metered runs of 27 apps, 180 estimated runs of 6 apps");
    let same = line(&table, "run's joules, same app", Role::Best);
    assert_eq!(same.rows, 243);
    assert!(same.ratio.expect("a ratio") < 0.7);
    holds(same);
    // 54 metered runs of six apps; the means of the files say that the estimate is 1.27 to 2.06 times the meter's.
    let plain = line(&table, "run's joules, new app", Role::Reference);
    assert_eq!((plain.rows, plain.coverage), (54, None));
    assert!((0.7..1.1).contains(&plain.bias), "{}", plain.bias);
    let calibrated = line(&table, "run's joules, new app", Role::Interpretable);
    assert!(calibrated.mape < 0.25 * plain.mape, "{}", calibrated.mape);
}
