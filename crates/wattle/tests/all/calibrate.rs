//! `wattle calibrate` and `wattle model`, from recordings and tables with known truth to reports.

use std::fmt::Write as _;

use crate::support::{list, number, wattle};

/// The simulated phone's rails, fitted by busy clocks, without any model of it: the fitted power of the whole run is what the
/// rails measured, and a report that may not use rails finds the CPU's energy by the file alone.
#[test]
fn a_model_from_rails_explains_the_recording_without_them() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let (trace, bare, model) = (path("demo.pftrace"), path("bare.pftrace"), path("cal.toml"));
    let simulation = wattle_sim::scenario::demo(1).unwrap();
    let simulated = simulation.run().unwrap();
    std::fs::write(&trace, &simulated.trace).unwrap();
    let parameters = "cpu.policy0.busy_ghz,cpu.policy4.busy_ghz,cpu.policy6.busy_ghz";
    let found = wattle([
        "calibrate",
        &trace,
        "--target",
        "cpu",
        "--every",
        "0.1",
        "--parameters",
        parameters,
        "--output",
        &model,
        "--json",
        "-",
    ])
    .json();
    assert_eq!(found.pointer("/schema").and_then(|v| v.as_str()), Some("wattle-calibration/1"));
    let held_out = number(&found, "/linear/cross_validation/mean_error");
    assert!(held_out < 0.1, "{held_out}");
    let coverage = number(&found, "/linear/cross_validation/interval_coverage");
    assert!((0.82..=0.98).contains(&coverage), "{coverage}");
    let truth =
        simulated.truth.total.value() / (simulated.truth.end - simulated.truth.start).seconds();
    let mean = number(&found, "/linear/mean_mw") * 1e-3;
    assert!((mean / truth - 1.0).abs() < 0.05, "{mean} {truth}");

    // The same phone and run without rails: by the calibrated file alone.
    std::fs::write(&bare, without_rails()).unwrap();
    let report = wattle(["report", &bare, "--device-model", &model, "--json", "-"]).json();
    let components = list(&report, "/components");
    let cpu =
        components.iter().find(|c| c.pointer("/name").and_then(|v| v.as_str()) == Some("cpu"));
    let cpu = cpu.unwrap();
    let joules = number(cpu, "/joules");
    let whole = simulated.truth.total.value();
    assert!((joules / whole - 1.0).abs() < 0.1, "{joules} {whole}");
}

/// The demo's trace without its power rails.
fn without_rails() -> Vec<u8> {
    let phone = wattle_sim::PhoneSpec::pixel_like().without_rails();
    let workload = wattle_sim::scenario::news_app(wattle_units::Nanos::from_seconds(15.0));
    wattle_sim::Simulation::new(phone, workload, 1).unwrap().run().unwrap().trace
}

/// Runs of a phone whose energies are 0.4 W and 2 mJ a count, those of another phone 1.5 times as much.
#[test]
fn energies_of_runs_are_fitted_judged_predicted_and_moved_to_another_phone() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let runs = |seed: u64, count: u64, scale: f64| {
        // A linear congruential generator, upper bits.
        let mut state = seed;
        let mut between = |low: f64, high: f64| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            low + (high - low) * (state >> 11) as f64 / (1_u64 << 53) as f64
        };
        let mut text = "app,counts,seconds,joules".to_owned();
        for run in 0..count {
            let (seconds, rate) = (between(10.0, 60.0), between(0.0, 500.0));
            let noise = (0..12).map(|_| between(-0.03, 0.03)).sum::<f64>().exp();
            let joules = scale * (0.4 + 2e-3 * rate) * seconds * noise;
            write!(text, "\napp{},{:.3},{seconds:.4},{joules:.6}", run % 40, rate * seconds)
                .unwrap();
        }
        text
    };
    let (train, test, here) = (path("train.csv"), path("test.csv"), path("here.csv"));
    let (model, moved) = (path("model.toml"), path("moved.toml"));
    std::fs::write(&train, runs(1, 200, 1.0).replacen(",1", ",oops1", 1)).unwrap();
    std::fs::write(&test, runs(2, 200, 1.0)).unwrap();
    std::fs::write(&here, runs(3, 10, 1.5)).unwrap();
    let columns = ["--target", "joules", "--target-unit", "J", "--duration", "seconds"];
    let common = ["--parameters", "counts", "--group", "app", "--json", "-"];
    let files = ["calibrate", "--train", &train, "--test", &test, "--output", &model];
    let found = wattle([&files[..], &columns, &common].concat()).json();
    let kinds = list(&found, "/linear/kinds").len();
    assert_eq!(kinds, 3);
    assert!(number(&found, "/tested/mean_error") < 0.06);
    assert!(number(&found, "/tested/bias").abs() < 0.02);
    assert!((0.82..=0.97).contains(&number(&found, "/tested/interval_coverage")));
    let warnings = found.pointer("/linear/warnings").unwrap().to_string();
    assert!(warnings.contains("1 cell is not a number: train.csv, line"), "{warnings}");

    let predicted = wattle(["model", "predict", &model, &test, "--json", "-"]).json();
    assert_eq!(number(&predicted, "/errors/mean_error"), number(&found, "/tested/mean_error"));
    let csv = wattle(["model", "predict", &model, &test, "--csv", "-"]);
    assert_eq!(csv.stdout.lines().count(), 201);
    assert!(
        csv.stdout.starts_with("row,predicted_J,low_J,high_J,measured_J\n1,"),
        "{}",
        csv.stdout
    );

    let anchored = wattle(["calibrate", "--anchor", &here, "--into", &model, "--output", &moved]);
    assert_eq!(anchored.code, Some(0), "{}", anchored.stderr);
    std::fs::write(&here, runs(4, 200, 1.5)).unwrap();
    let after = wattle(["model", "predict", &moved, &here, "--json", "-"]).json();
    assert!(number(&after, "/errors/bias").abs() < 0.06);
    let before = wattle(["model", "predict", &model, &here, "--json", "-"]).json();
    assert!(number(&before, "/errors/bias") < -0.3);

    let wrong =
        wattle(["calibrate", "--csv", &train, "--target", "joules", "--parameters", "nothing"]);
    assert_eq!(wrong.code, Some(2), "{}", wrong.stderr);
    assert!(wrong.stderr.contains("app, counts, seconds, joules"), "{}", wrong.stderr);
}

#[test]
fn a_counter_becomes_a_figure_of_an_existing_model() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let mut text = "ms,bt".to_owned();
    for row in 0..200 {
        let seconds = f64::from(row) * 0.6;
        let charge = 0.0244 + 0.383 * seconds / 3600.0;
        write!(text, "\n{},{charge:.4}", seconds * 1e3).unwrap();
    }
    let (csv, old, new) = (path("bt.csv"), path("old.toml"), path("new.toml"));
    std::fs::write(&csv, text).unwrap();
    assert_eq!(wattle(["model", "show", "Pixel 6 power profile", "--toml", &old]).code, Some(0));
    let run = wattle([
        "calibrate",
        "--slope",
        "--csv",
        &csv,
        "--time",
        "ms",
        "--time-unit",
        "ms",
        "--target",
        "bt",
        "--figure",
        "bluetooth.on",
        "--into",
        &old,
        "--output",
        &new,
    ]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert!(run.stdout.contains("bluetooth.on = 0.38"), "{}", run.stdout);
    let compared = wattle(["model", "diff", &old, &new, "--json", "-"]).json();
    let changed: Vec<_> = list(&compared, "/rows")
        .iter()
        .filter(|row| row.pointer("/ratio").and_then(serde_json::Value::as_f64) != Some(1.0))
        .filter(|row| row.pointer("/a") != row.pointer("/b"))
        .collect();
    assert_eq!(changed.len(), 1, "{changed:?}");
    let run = wattle([
        "calibrate",
        "--slope",
        "--csv",
        &csv,
        "--time",
        "s",
        "--target",
        "bt",
        "--figure",
        "x",
    ]);
    assert_eq!(run.code, Some(2), "{}", run.stderr);
    assert!(run.stderr.contains("there are ms, bt"), "{}", run.stderr);
}

#[test]
fn models_are_listed_shown_and_checked() {
    let all = wattle(["model", "list", "--json", "-"]).json();
    let library = concat!(env!("CARGO_MANIFEST_DIR"), "/../wattle-power/models");
    let files = std::fs::read_dir(library).unwrap().count();
    assert_eq!(all.as_array().unwrap().len(), files);
    let shown = wattle(["model", "show", "kona", "--json", "-"]).json();
    assert_eq!(shown.pointer("/name").and_then(|v| v.as_str()), Some("sm8250 (freqbench)"));
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("bad.toml");
    let bad = "format = 'wattle-device-model/1'\nname = 'bad'\nversion = 1\n[[policy]]\nid = 0\ncpus = [0]\n\
               curve = [[1000, 0, 100000, 0, 0]]\n";
    std::fs::write(&path, bad).unwrap();
    let run = wattle(["model", "check", &path.display().to_string()]);
    assert_eq!(run.code, Some(1));
    assert!(run.stdout.contains("no core draws that"), "{}", run.stdout);
    assert_eq!(wattle(["model", "show", "no such model"]).code, Some(2));
}

/// A phone that draws more than its model says, and leaks. The model learns from two recordings with rails, one after the other; a
/// report of a third without rails, of other apps, is then nearer to the truth than before, and its interval is narrower and holds.
#[test]
fn curves_learn_from_rails_for_recordings_without_them() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let effects: wattle_sim::Effects = "leakage=1.6,binning=0.1,activity=0.2".parse().unwrap();
    let seconds = wattle_units::Nanos::from_seconds(6.0);
    let (plain, model) = (path("plain.toml"), path("phone.toml"));
    for (run, name) in [(101, "one.pftrace"), (102, "two.pftrace")] {
        let run = wattle_sim::scenario::other_apps(&effects, seconds, 7, run).unwrap();
        let simulated = run.run().unwrap();
        std::fs::write(path(name), &simulated.trace).unwrap();
        if name == "one.pftrace" {
            std::fs::write(&plain, &simulated.device_model).unwrap();
            std::fs::write(&model, &simulated.device_model).unwrap();
        }
        let found = wattle(["calibrate", "--update", &model, &path(name), "--json", "-"]).json();
        let rails = list(&found, "/rails/rails");
        assert_eq!(rails.len(), 3, "{found}");
    }
    let text = wattle(["calibrate", "--update", &model, &path("two.pftrace")]).stdout;
    assert!(text.contains("by power rails of 2 recordings"), "{text}");

    let simulated = wattle_sim::scenario::other_apps(&effects, seconds, 7, 103).unwrap().run();
    let simulated = simulated.unwrap();
    let bare = wattle_sim::TraceSource::PowerRails.removed_from(&simulated.trace).unwrap();
    std::fs::write(path("bare.pftrace"), bare).unwrap();
    let truth = simulated.truth.total.value();
    let cpu = |model: &str| {
        let report =
            wattle(["report", &path("bare.pftrace"), "--device-model", model, "--json", "-"])
                .json();
        let components = list(&report, "/components");
        let is_cpu = |it: &&serde_json::Value| {
            it.pointer("/name").and_then(serde_json::Value::as_str) == Some("cpu")
        };
        let cpu = components.iter().find(is_cpu).unwrap();
        let figure = |key: &str| number(cpu, key);
        [figure("/joules"), figure("/interval_joules/0"), figure("/interval_joules/1")]
    };
    let [before, low, high] = cpu(&plain);
    let [after, learnt_low, learnt_high] = cpu(&model);
    assert!((after - truth).abs() < (before - truth).abs(), "{before} {after} {truth}");
    assert!((after / truth - 1.0).abs() < 0.12, "{after} {truth}");
    assert!(
        learnt_high - learnt_low < 0.7 * (high - low),
        "{low}..{high} {learnt_low}..{learnt_high}"
    );
    assert!((learnt_low..=learnt_high).contains(&truth), "{learnt_low}..{learnt_high} {truth}");
    let report = wattle(["report", &path("bare.pftrace"), "--device-model", &model, "--json", "-"]);
    let report = report.json();
    let source = report.pointer("/model/source").and_then(serde_json::Value::as_str).unwrap();
    assert!(source.contains("corrected by power rails of 2 recordings"), "{source}");

    let learnt = std::fs::read(&model).unwrap();
    let twice = wattle(["calibrate", "--update", &model, &path("one.pftrace"), "--json", &model]);
    assert_eq!(twice.code, Some(2), "{}", twice.stderr);
    assert_eq!(std::fs::read(&model).unwrap(), learnt);
    let none = wattle(["calibrate", "--update", &model, &path("bare.pftrace")]);
    assert!(none.stderr.contains("found no power rails"), "{}", none.stderr);
}
