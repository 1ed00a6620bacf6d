//! Series of two builds on the simulated phone: equal builds are equal, and what is added to one of them is found.

use std::time::Duration;

use crate::phone_bench::{PhoneBench, options};
use crate::support::{list, number};
use serde_json::Value;
use wattle_phone::{LaunchSpec, MadePackage, PhoneOptions, Step};
use wattle_testdata::requires;

const PACKAGE: &str = "com.example.series";
/// Length of one run.
const SECONDS: &str = "2";

/// The work of the app: four threads that compute in rounds, and requests and files, less than fills a run, so that a run that
/// takes longer has no more of it. `extra`: the part by which there are more rounds of the same kind.
fn work(extra: f64) -> Vec<Step> {
    let rounds = (60.0 * (1.0 + extra)).round() as u32;
    let thread = |number: u32| {
        let mut own = Vec::new();
        for round in 0..rounds {
            let micros = 11_000 + 300 * ((round + number) % 7);
            own.push(Step::Busy(Duration::from_micros(micros.into())));
            own.push(Step::sleep(10));
            if round == 20 + number {
                own.push(Step::Network { rx: 180_000, tx: 6_000 });
                own.push(Step::Storage { read: 120_000, write: 60_000 });
            }
        }
        Step::Thread { name: format!("worker-{number}"), steps: own }
    };
    (0..4).map(thread).collect()
}

/// A phone on which the build 2 of the app does more than the build 1.
fn phone(extra: f64, seed: u64) -> PhoneOptions {
    let mut phone = options();
    phone.seed = seed;
    phone.launches = vec![
        LaunchSpec::new(PACKAGE, Some(1), work(0.0)),
        LaunchSpec::new(PACKAGE, Some(2), work(extra)),
    ];
    phone
}

/// The difference between two builds in one series.
struct Difference {
    /// Of the app, as a share of the first build's energy.
    share: f64,
    verdict: String,
}

/// Runs one series on a phone of its own.
#[track_caller]
fn series(extra: f64, seed: u64, repeat: u32) -> Difference {
    let bench = PhoneBench::new(phone(extra, seed));
    let build = |version| {
        let mut package = MadePackage::new(PACKAGE);
        package.version_code = version;
        let path = bench.package(&format!("app{version}.apk"), &package);
        path.to_string_lossy().into_owned()
    };
    // Signed by one key each, so that one does not replace the other: Wattle signs both anew.
    let (first, second) = (build(1), build(2));
    let repeat = repeat.to_string();
    let run = bench.run([
        "run",
        &first,
        "--compare",
        &second,
        "--no-probes",
        "--replace",
        "--force",
        "--duration",
        SECONDS,
        "--repeat",
        &repeat,
        "--out",
        "rec",
        "--json",
        "series.json",
        "--quiet",
    ]);
    assert_eq!(run.code, Some(0), "{}{}", run.stdout, run.stderr);
    let text = std::fs::read(bench.path("series.json")).expect("a series");
    let series: Value = serde_json::from_slice(&text).expect("JSON");
    for run in list(&series, "/runs") {
        assert!(["passed", "warm-up"].contains(&run["outcome"].as_str().unwrap_or("")), "{run}");
        println!(
            "  {} {} J in {} s",
            run["build"],
            run.pointer("/app/joules").unwrap_or(&run["app_joules"]),
            run["duration_s"]
        );
    }
    if let Some(kept) = std::env::var_os("WATTLE_KEEP") {
        let _ = std::fs::remove_dir_all(&kept);
        let copied =
            std::process::Command::new("cp").arg("-r").arg(bench.path("rec")).arg(&kept).status();
        assert!(copied.is_ok_and(|status| status.success()));
    }
    let difference = series.pointer("/differences/0").expect("a difference");
    assert_eq!(difference["arrangement"], if repeat == "1" { "one-run-each" } else { "in-turns" });
    // Components explain all of it.
    let joules = number(difference, "/joules");
    let parts: Vec<f64> =
        list(difference, "/components").iter().map(|row| number(row, "/joules")).collect();
    let size: f64 = parts.iter().map(|part| part.abs()).sum();
    let sum: f64 = parts.iter().sum();
    assert!(!parts.is_empty() && (sum - joules).abs() <= 1e-6 * size, "{sum} {joules}");
    Difference {
        share: number(difference, "/share"),
        verdict: difference["verdict"].as_str().expect("a verdict").to_owned(),
    }
}

/// Whether a series says that its builds differ.
fn is_found(difference: &Difference) -> bool {
    ["higher", "lower"].contains(&difference.verdict.as_str())
}

#[requires(program = "adb")]
#[test]
fn equal_builds_are_equal_and_a_larger_one_is_larger() {
    // Runs scatter by less than 1 % on an idle machine, and more on a busy one; what survived a reset was once 18 %.
    let same = series(0.0, 1, 3);
    assert!(same.share.abs() <= 0.12, "{} {}", same.share, same.verdict);
    let larger = series(0.3, 1, 3);
    assert!(larger.share >= 0.12, "{} {}", larger.share, larger.verdict);
}

/// The number of series, `WATTLE_SERIES`, and of runs of each build, `WATTLE_REPEAT`.
fn asked(variable: &str, otherwise: u32) -> u32 {
    std::env::var(variable).ok().and_then(|text| text.parse().ok()).unwrap_or(otherwise)
}

/// Runs many series and gives their differences.
fn many(extra: f64) -> Vec<Difference> {
    let (count, repeat) = (asked("WATTLE_SERIES", 50), asked("WATTLE_REPEAT", 5));
    let run = |seed| {
        let found = series(extra, u64::from(seed), repeat);
        println!("series {seed}: {:+.3} % {}", found.share * 100.0, found.verdict);
        found
    };
    (1..=count).map(run).collect()
}

fn mean(all: &[Difference]) -> f64 {
    all.iter().map(|difference| difference.share).sum::<f64>() / all.len() as f64
}

#[requires(program = "adb")]
#[test]
#[ignore = "about a minute for each series: WATTLE_SERIES=50 WATTLE_REPEAT=5 cargo test -p wattle --test all -- --ignored --nocapture many_equal_series"]
fn many_equal_series_are_flat() {
    let all = many(0.0);
    let wrong = all.iter().filter(|difference| is_found(difference)).count();
    let mean = mean(&all);
    println!(
        "{wrong} of {} series say that equal builds differ; mean {:+.3} %",
        all.len(),
        mean * 100.0
    );
    assert!(wrong as f64 <= 0.05 * all.len() as f64, "{wrong} of {}", all.len());
    assert!(mean.abs() <= 0.01, "{mean}");
}

#[requires(program = "adb")]
#[test]
#[ignore = "about a minute for each series: WATTLE_SERIES=50 WATTLE_REPEAT=5 WATTLE_EXTRA=0.05 cargo test -p wattle --test all -- --ignored --nocapture many_series_find"]
fn many_series_find_what_was_added() {
    let extra =
        std::env::var("WATTLE_EXTRA").ok().and_then(|text| text.parse().ok()).unwrap_or(0.05);
    let all = many(extra);
    let found = all.iter().filter(|difference| difference.verdict == "higher").count();
    println!(
        "{found} of {} series find {:+.1} %; mean {:+.3} %",
        all.len(),
        extra * 100.0,
        mean(&all) * 100.0
    );
    assert!(found as f64 >= 0.9 * all.len() as f64, "{found} of {}", all.len());
}
