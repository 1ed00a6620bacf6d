//! `wattle demo`: command one of the README.

use crate::support::{list, number, wattle};

#[test]
fn truth_stands_beside_estimate() {
    let run = wattle(["demo"]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    for word in ["truth", "estimate", "90 % interval", "idle floor", "Totals reconcile"] {
        assert!(run.stdout.contains(word), "no {word:?} in:\n{}", run.stdout);
    }
}

#[test]
fn its_page_shows_the_defects_and_those_of_the_fixed_app_are_gone() {
    let folder = tempfile::tempdir().expect("folder");
    let path = |name: &str| folder.path().join(name).to_str().expect("UTF-8").to_owned();
    let findings = |flags: &[&str], page: &str| {
        let run = wattle([&["demo", "--html", page], flags].concat());
        assert_eq!(run.code, Some(0), "{}", run.stderr);
        let text = run.stdout;
        let (_, after) = text.split_once("Findings in its Perfetto trace").expect("findings");
        after.split("\n\n").next().unwrap_or_default().to_owned()
    };
    let wasteful = findings(&[], &path("demo.html"));
    for word in ["took a wakelock and did not release it", "kept Wi-Fi awake"] {
        assert!(wasteful.contains(word), "no {word:?} in:\n{wasteful}");
    }
    let fixed = findings(&["--fixed"], &path("fixed.html"));
    for word in ["wakelock", "kept Wi-Fi awake"] {
        assert!(!fixed.contains(word), "{word:?} in:\n{fixed}");
    }
    let page = std::fs::read_to_string(path("demo.html")).expect("a page");
    assert!(page.starts_with("<!"), "{}", &page[..100]);
    // Nothing is opened where nobody sits, and a page of the usual name is written only for people.
    let refused = wattle(["demo", "--polling", "--open"]);
    assert_eq!(refused.code, Some(2), "{}", refused.stderr);
}

#[test]
fn the_same_seed_gives_the_same_run() {
    let run = |seed| wattle(["demo", "--seed", seed, "--json", "-"]).json();
    assert_eq!(run("7"), run("7"));
    assert_ne!(run("7")["total_joules"], run("8")["total_joules"]);
}

#[test]
fn its_trace_can_be_reported_like_any_other() {
    let folder = tempfile::tempdir().expect("folder");
    let trace = folder.path().join("demo.perfetto-trace");
    let model = folder.path().join("demo.toml");
    let (trace, model) = (trace.to_str().expect("UTF-8"), model.to_str().expect("UTF-8"));
    let demo = wattle(["demo", "--trace", trace, "--device-model", model, "--json", "-"]).json();
    let report = wattle(["report", trace, "--device-model", model, "--json", "-"]).json();
    let (demo_total, total) = (number(&demo, "/total_joules"), number(&report, "/total_joules"));
    assert!((demo_total / total - 1.0).abs() < 1e-9, "{demo_total} J and {total} J");
    assert!(!list(&report, "/slices").is_empty());
}

#[test]
fn what_was_planted_at_idle_is_found() {
    let folder = tempfile::tempdir().expect("folder");
    let path = |name: &str| folder.path().join(name).to_str().expect("UTF-8").to_owned();
    let made = wattle(["demo", "--idle", &path("idle")]);
    assert_eq!(made.code, Some(0), "{}", made.stderr);
    assert!(made.stdout.contains("AfterMouse.race (1464), thread 2084"), "{}", made.stdout);
    let planted = std::fs::read_to_string(path("idle/planted.tsv")).expect("the truth");
    let peaks = planted.lines().count() - 1;
    for trace in ["idle/idle.etl", "idle/idle.perfetto-trace"] {
        let (trace, tables) = (path(trace), path("tables"));
        let process = ["--process", "AfterMouse.race"];
        let run = wattle(["diagnose", &trace, "--out", &tables, process[0], process[1]]);
        assert_eq!(run.code, Some(0), "{}", run.stderr);
        let statistics = path("tables/Statistic_HighCPUUsageRegion.csv");
        let statistics = std::fs::read_to_string(statistics).expect("regions");
        let rows = statistics.lines().skip(1).map(|line| line.split(',').collect::<Vec<_>>());
        let rows: Vec<_> = rows.filter(|row| row[1] == "2084").collect();
        assert_eq!(rows.len(), peaks, "{statistics}");
        for row in rows {
            let [interval, period] = [7, 15].map(|it: usize| row[it].parse::<f64>().expect("ms"));
            assert!((interval - 5.0).abs() < 0.25 && (period - 5.0).abs() < 0.25, "{statistics}");
        }
        let stacks = path("tables/CommonStacks_HighCPUUsageRegions.csv");
        let stacks = std::fs::read_to_string(stacks).expect("stacks");
        assert!(stacks.contains("AfterMouse.race"), "{stacks}");
    }
}
