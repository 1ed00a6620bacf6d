//! `wattle report` as its users run it: the real program on real traces.

use crate::support::{Run, list, number, trace, wattle};
use serde_json::Value;
use wattle_testdata::requires;

const PIXEL_6A: &str = "api32_startup_warm_pixel6a.perfetto-trace";
const PIXEL_6_PRO: &str = "power_rails_pixel6pro.perfetto-trace";
const GALAXY_S21: &str = "ms_sched_freq_idle_galaxyS21.perfetto-trace";

#[track_caller]
fn json(name: &str, flags: &[&str]) -> Value {
    let path = trace(name);
    let path = path.to_str().expect("UTF-8");
    wattle([&["report", path, "--json", "-"], flags].concat()).json()
}

fn sum(rows: &[Value], key: &str) -> f64 {
    rows.iter().map(|row| row[key].as_f64().unwrap_or(0.0)).sum()
}

#[requires(data)]
#[test]
fn every_real_trace_gives_a_report_that_closes() {
    let names = [
        PIXEL_6A,
        PIXEL_6_PRO,
        GALAXY_S21,
        "ms_cpu_sampling.perfetto-trace",
        "nia_pixel7pro_atrace.perfetto-trace",
        "studio_perflib_ftrace.perfetto-trace",
        "emanafa/trace-1623058691-1622418866.0",
        "emanafa/trace-1623926538-1622418867.0",
        "emanafa/trace-1626775333-1614351254.0",
    ];
    for name in names {
        let report = json(name, &[]);
        assert!(number(&report, "/duration_s") > 0.5, "{name}");
        if report["total_joules"].is_null() {
            assert!(list(&report, "/components").is_empty(), "{name}: components without a total");
            continue;
        }
        let total = number(&report, "/total_joules");
        assert!(number(&report, "/closure_error") <= 1e-9, "{name}");
        let components = sum(list(&report, "/components"), "joules");
        let accounts = sum(list(&report, "/accounts"), "joules");
        assert!(
            (components / total - 1.0).abs() < 1e-9,
            "{name}: components {components} of {total}"
        );
        assert!((accounts / total - 1.0).abs() < 1e-9, "{name}: accounts {accounts} of {total}");
    }
}

/// First and last energies of the counters in microwatt-seconds, from Android Studio's own test of this
/// trace (`CountersRequestHandlerTest.PopulatePowerCounterTracksMinMaxView`).
const RAILS: [(&str, u64, u64); 16] = [
    ("S10M_VDD_TPU", 45_010_544, 45_050_919),
    ("VSYS_PWR_MODEM", 706_394_215, 706_802_171),
    ("VSYS_PWR_RFFE", 329_485_043, 329_658_344),
    ("S2M_VDD_CPUCL2", 315_816_544, 315_851_107),
    ("S3M_VDD_CPUCL1", 201_472_568, 201_538_891),
    ("S4M_VDD_CPUCL0", 914_570_290, 915_041_009),
    ("S5M_VDD_INT", 170_596_149, 170_741_769),
    ("S1M_VDD_MIF", 276_383_853, 276_582_588),
    ("VSYS_PWR_MMWAVE", 29_615_531, 29_638_919),
    ("L2S_VDD_AOC_RET", 101_084_540, 101_194_992),
    ("S9S_VDD_AOC", 59_499_148, 59_714_693),
    ("S5S_VDDQ_MEM", 49_491_308, 49_530_909),
    ("S10S_VDD2L", 98_630_257, 98_686_276),
    ("S4S_VDD2H_MEM", 216_253_421, 216_410_943),
    ("S2S_VDD_G3D", 20_970_895, 20_988_306),
    ("VSYS_PWR_DISPLAY", 59_750_307, 61_007_557),
];

#[requires(data)]
#[test]
fn rails_are_last_minus_first_exactly() {
    let report = json(PIXEL_6_PRO, &[]);
    let rails = list(&report, "/rails");
    assert_eq!(rails.len(), RAILS.len());
    for (name, first, last) in RAILS {
        let rail = rails.iter().find(|rail| rail["name"] == name).expect(name);
        let microjoules = number(rail, "/joules") * 1e6;
        assert!((microjoules - (last - first) as f64).abs() < 1e-3, "{name}: {microjoules} µWs");
    }
}

#[requires(data)]
#[test]
fn two_halves_are_the_whole() {
    let (whole, first, second) = (
        json(PIXEL_6A, &["--model", "curves"]),
        json(PIXEL_6A, &["--model", "curves", "--to", "0.9"]),
        json(PIXEL_6A, &["--model", "curves", "--from", "900ms"]),
    );
    let total = |report| number(report, "/total_joules");
    let (parts, whole) = (total(&first) + total(&second), total(&whole));
    assert!((parts / whole - 1.0).abs() < 1e-9, "{parts} J in parts, {whole} J in one");
}

#[requires(data)]
#[test]
fn a_slice_is_a_window() {
    let all = json(PIXEL_6A, &[]);
    let name = list(&all, "/slices")[0]["name"].as_str().expect("name").to_owned();
    let report = json(PIXEL_6A, &["--slice", &name]);
    assert!(number(&report, "/duration_s") < number(&all, "/duration_s"));
    assert!(number(&report, "/total_joules") < number(&all, "/total_joules"));
}

#[requires(data)]
#[test]
fn an_app_is_a_part() {
    const APP: &str = "androidx.benchmark.integration.macrobenchmark.target";
    let report = json(PIXEL_6A, &["--app", APP]);
    let app = number(&report, "/app/joules");
    let total = number(&report, "/total_joules");
    assert!(app > 0.0 && app < total, "{app} J of {total} J");
}

#[requires(data)]
#[test]
fn shared_power_follows_the_policy() {
    let shared = |policy| {
        let report = json(PIXEL_6A, &["--shared", policy]);
        let rows = list(&report, "/accounts").to_vec();
        let of = |name: &str| -> f64 {
            rows.iter()
                .filter(|row| row["name"] == name && row["charge"] == "shared")
                .map(|row| number(row, "/joules"))
                .sum()
        };
        (of("threads"), of("unattributed"), number(&report, "/total_joules"))
    };
    let (divided, kept) = (shared("proportional"), shared("none"));
    assert!(divided.0 > 0.0 && kept.0 == 0.0 && kept.1 > divided.1);
    assert!((divided.2 / kept.2 - 1.0).abs() < 1e-12, "the policy changes who pays, not how much");
}

#[requires(data)]
#[test]
fn a_saved_ledger_gives_the_same_report() {
    let path = trace(PIXEL_6A);
    let folder = tempfile::tempdir().expect("folder");
    let saved = folder.path().join("x.ledger.json.zst");
    let (path, saved) = (path.to_str().expect("UTF-8"), saved.to_str().expect("UTF-8"));
    let fresh = wattle(["report", path, "--json", "-", "--save", saved]).json();
    let again = wattle(["report", saved, "--json", "-"]).json();
    assert_eq!(fresh, again);
    let refused = wattle(["report", saved, "--model", "curves"]);
    assert_eq!(refused.code, Some(2), "{}", refused.stderr);
}

#[requires(data)]
#[test]
fn artifacts_of_one_recording_are_read_together() {
    let path = trace(PIXEL_6A);
    let bytes = std::fs::read(&path).expect("trace");
    let folder = tempfile::tempdir().expect("folder");
    let inside = folder.path().join("a.perfetto-trace");
    std::fs::write(&inside, bytes).expect("copy");
    let one = wattle(["report", path.to_str().expect("UTF-8"), "--json", "-"]).json();
    let folder = folder.path().to_str().expect("UTF-8");
    let recording = wattle(["report", folder, "--json", "-"]).json();
    assert_eq!(one["total_joules"], recording["total_joules"]);
}

#[requires(data)]
#[test]
fn html_is_one_small_file() {
    let path = trace(PIXEL_6A);
    let folder = tempfile::tempdir().expect("folder");
    let page = folder.path().join("report.html");
    let run = wattle([
        "report",
        path.to_str().expect("UTF-8"),
        "--quiet",
        "--html",
        page.to_str().expect("UTF-8"),
    ]);
    assert_eq!((run.code, run.stdout.as_str()), (Some(0), ""));
    let text = std::fs::read_to_string(page).expect("page");
    assert!(text.len() < 2_000_000, "{} bytes", text.len());
    assert!(!text.contains("http://") || !text.contains("src=\"http"), "the page asks the network");
}

#[requires(data)]
#[test]
fn defaults_come_from_the_configuration_and_flags_win() {
    let path = trace(PIXEL_6A);
    let folder = tempfile::tempdir().expect("folder");
    let config = folder.path().join("wattle.toml");
    std::fs::write(&config, "[report]\nmodel = \"curves\"\nshared = \"none\"\n").expect("file");
    let (path, config) = (path.to_str().expect("UTF-8"), config.to_str().expect("UTF-8"));
    let configured = wattle(["report", path, "--json", "-", "--config", config]).json();
    assert_eq!(configured["model"]["kind"], "curves");
    assert_eq!(configured["shared_policy"], "none");
    let flags = ["report", path, "--json", "-", "--config", config, "--shared", "first-waker"];
    assert_eq!(wattle(flags).json()["shared_policy"], "first-waker");
    std::fs::write(folder.path().join("bad.toml"), "[report]\nmodle = 1\n").expect("file");
    let bad = folder.path().join("bad.toml");
    let run = wattle(["report", path, "--config", bad.to_str().expect("UTF-8")]);
    assert_eq!(run.code, Some(2));
    assert!(run.stderr.contains("modle"), "{}", run.stderr);
}

#[track_caller]
fn check_usage(arguments: &[&str], said: &str) {
    let Run { code, stderr, .. } = wattle(arguments);
    assert_eq!(code, Some(2), "{stderr}");
    assert!(stderr.contains(said), "{stderr}");
}

#[test]
fn wrong_usage_is_code_2() {
    check_usage(&["report"], "TRACE");
    check_usage(&["frobnicate"], "frobnicate");
    check_usage(&["report", "x", "--from", "1", "--slice", "y"], "cannot be used with");
}

#[requires(data)]
#[test]
fn what_a_real_trace_cannot_give_is_code_2() {
    let path = trace(PIXEL_6A);
    let path = path.to_str().expect("UTF-8");
    check_usage(&["report", path, "--from", "soon"], "expected seconds");
    check_usage(&["report", path, "--from", "1000"], "leave nothing");
    check_usage(&["report", path, "--slice", "no such slice"], "no slice of this name");
    check_usage(&["report", path, "--voltage", "-3"], "--voltage");
    check_usage(&["report", path, "--html", "-"], "--html -");
    check_usage(&["report", path, "a.ledger.json.zst"], "report it alone");
}

#[requires(data)]
#[test]
fn a_core_that_nothing_watched_has_no_figure() {
    let report = json(GALAXY_S21, &[]);
    // CPU 4 logged its clock only; CPU 7 logged nothing at all and has no row.
    let cores: Vec<&Value> = list(&report, "/cpus").iter().map(|cpu| &cpu["core_joules"]).collect();
    assert_eq!(cores.len(), 7);
    assert!(cores[4].is_null() && cores[5].as_f64().is_some(), "{cores:?}");
}

#[requires(data)]
#[test]
fn a_ledger_may_have_any_name() {
    let path = trace(PIXEL_6A);
    let folder = tempfile::tempdir().expect("folder");
    let saved = folder.path().join("result");
    let (path, saved) = (path.to_str().expect("UTF-8"), saved.to_str().expect("UTF-8"));
    assert_eq!(wattle(["report", path, "--quiet", "--save", saved]).code, Some(0));
    let again = wattle(["report", saved, "--json", "-"]).json();
    assert_eq!(again, wattle(["report", path, "--json", "-"]).json());
}

#[requires(data)]
#[test]
fn an_app_that_is_not_there_names_those_that_are() {
    let path = trace(PIXEL_6A);
    let path = path.to_str().expect("UTF-8");
    let run = wattle(["report", path, "--app", "com.android.systemUi"]);
    assert_eq!(run.code, Some(2), "{}", run.stderr);
    assert!(run.stderr.contains("no process of com.android.systemUi"), "{}", run.stderr);
    assert!(run.stderr.contains("did you mean com.android.systemui"), "{}", run.stderr);
}
