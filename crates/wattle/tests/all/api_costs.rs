//! Tables of API costs on the command line: listed, shown, checked, and laid beside a saved ledger.

use std::path::Path;

use crate::support::{list, number, wattle};
use wattle_ledger::{Ledger, PathEntry, ProcessEntry, SiteEntry, ThreadEntry};
use wattle_power::ApiCosts;
use wattle_sim::{Action, AppSpec, PhoneSpec, Simulated, Simulation, ThreadSpec, Workload};
use wattle_timeline::{SiteKind, Window};
use wattle_units::{BootNanos, Nanos};

const OWN: &str = "format = 'wattle-api-costs/1'\nname = 'own'\nsource = 'a test'\n\
    provenance = 'measured'\nerror = 0.1\nerror_source = 'a test'\n\
    [costs]\n'android.widget.Toast.show()' = 0.5\n";

fn text(path: &Path) -> String {
    path.display().to_string()
}

#[test]
fn tables_are_listed_shown_and_checked() {
    let listed = wattle(["model", "list", "--json", "-"]).json();
    let is_table = |row: &&serde_json::Value| row["kind"] == "api-costs";
    let tables: Vec<_> = listed.as_array().unwrap().iter().filter(is_table).collect();
    assert_eq!((tables.len(), &tables[0]["methods"]), (1, &806.into()));
    let listed = wattle(["model", "list"]).stdout;
    assert!(listed.contains("linares-vasquez-2014") && listed.contains("sm8250"), "{listed}");

    let shown = wattle(["model", "show", "Linares-Vasquez-2014", "--json", "-"]).json();
    let costs = list(&shown, "/costs");
    assert_eq!(costs.len(), 806);
    assert_eq!(costs[0]["signature"], "android.app.Activity.setContentView(int)");
    assert!((number(&costs[0], "/joules") - 0.1515).abs() < 1e-4, "{}", costs[0]);
    assert_eq!(costs.iter().filter(|cost| cost["greedy"] == true).count(), 131);

    let folder = tempfile::tempdir().unwrap();
    let path = text(&folder.path().join("written.toml"));
    let run = wattle(["model", "show", "linares-vasquez-2014", "--toml", &path]);
    assert!(run.stdout.contains("131 are energy-greedy"), "{}", run.stdout);
    assert_eq!(wattle(["model", "show", &path, "--json", "-"]).json(), shown);
    let checked = wattle(["model", "check", &path]);
    assert_eq!(checked.code, Some(0), "{}", checked.stdout);
    assert!(checked.stdout.contains("9 methods cost nothing"), "{}", checked.stdout);
    std::fs::write(&path, OWN.replace("0.5", "500")).unwrap();
    let checked = wattle(["model", "check", &path]);
    assert_eq!(checked.code, Some(1));
    assert!(checked.stdout.contains("is it in millijoules?"), "{}", checked.stdout);
    std::fs::write(&path, OWN.replace("0.5", "nan")).unwrap();
    let run = wattle(["model", "check", &path]);
    assert_eq!(run.code, Some(3));
    assert!(run.stderr.contains("expected joules a call"), "{}", run.stderr);
}

/// A ledger of an app that makes and shows a toast three times.
fn ledger() -> Ledger {
    let mut ledger = Ledger::empty(Window::new(BootNanos::new(0), BootNanos::new(1_000)));
    ledger.rows.processes.push(ProcessEntry {
        pid: Some(1),
        name: "com.app".to_owned(),
        uid: None,
        package: None,
    });
    ledger.rows.threads.push(ThreadEntry {
        process: 0,
        tid: 1,
        name: "main".to_owned(),
        cpu: Nanos::ZERO,
    });
    for (site, method) in ["makeText", "show"].into_iter().enumerate() {
        ledger.rows.sites.push(SiteEntry {
            kind: SiteKind::Call,
            class: "android.widget.Toast".to_owned(),
            method: method.to_owned(),
            descriptor: None,
            file: None,
            line: None,
            within: None,
            api: None,
        });
        ledger.rows.paths.push(PathEntry {
            thread: 0,
            caller: None,
            name: method.to_owned(),
            calls: 3,
            self_cpu: Nanos::ZERO,
            probe_cpu: Nanos::ZERO,
            wall: Nanos::ZERO,
            site: Some(site as u32),
            from_lines: Vec::new(),
            frame: None,
            samples: 0,
            clock_cpu: None,
        });
    }
    ledger.fill_api_sheet(ApiCosts::library());
    ledger
}

#[test]
fn a_saved_ledger_takes_another_table() {
    let folder = tempfile::tempdir().unwrap();
    let (saved, again) = (folder.path().join("a.ledger.json.zst"), folder.path().join("b"));
    let (own, config) = (folder.path().join("own.toml"), folder.path().join("config.toml"));
    std::fs::write(&own, OWN).unwrap();
    std::fs::write(&config, "[report]\napi-costs = ['own.toml']\n").unwrap();
    std::fs::write(&saved, ledger().to_bytes().unwrap()).unwrap();
    let check = |flags: &[&str], show: f64, tables: usize| {
        let (from, to) = (text(&saved), text(&again));
        let run = wattle([&["report", &from, "--quiet", "--save", &to], flags].concat());
        assert_eq!(run.code, Some(0), "{}", run.stderr);
        let sheet = Ledger::load(&again).unwrap().sheets.apis;
        let cost = |api: usize| sheet.apis[api].cost.as_ref().unwrap().per_call.joules.value();
        assert_eq!((cost(0), cost(1), sheet.tables.len()), (0.007_864_691, show, tables));
    };
    check(&[], 0.000_573_975_8, 1);
    check(&["--api-costs", &text(&own)], 0.5, 2);
    // What it was saved with is not changed by defaults for new results.
    check(&["--config", &text(&config)], 0.000_573_975_8, 1);
    std::fs::write(&own, "format = 'wattle-device-model/1'").unwrap();
    let run = wattle(["report", &text(&saved), "--api-costs", &text(&own)]);
    assert_eq!(run.code, Some(3));
    assert!(run.stderr.contains("wattle-api-costs/1"), "{}", run.stderr);
}

#[test]
fn what_calibration_of_costs_needs_is_said() {
    let check = |flags: &[&str], code: i32, words: &str| {
        let run = wattle([&["calibrate", "--api-costs"], flags].concat());
        assert_eq!(run.code, Some(code), "{}", run.stderr);
        assert!(run.stderr.contains(words), "{}", run.stderr);
    };
    check(&[], 2, "needs recordings");
    check(&["x", "--parameters", "cpu.busy"], 2, "cannot be used with");
    let folder = tempfile::tempdir().unwrap();
    let trace = folder.path().join("demo.pftrace");
    let simulated = wattle_sim::scenario::demo(1).unwrap().run().unwrap();
    std::fs::write(&trace, &simulated.trace).unwrap();
    check(&[&text(&trace)], 3, "no calls into the framework");
    check(&[&text(&trace), "--target", "meter"], 3, "no power measured by meter");
}

/// A probe map as `docs/instrument.md` has it: three calls in one method.
const MAP: &str = concat!(
    r#"{"wattle_probe_map":1,"package":"com.app","mode":"apis","sink":"trace","code":[],"probes":3}"#,
    "\n",
    r#"{"class":"com.app.Main","methods":[{"name":"run","descriptor":"()V","calls":[{"id":1,"class":"android.app.Dialog","name":"show","descriptor":"()V","line":3},{"id":2,"class":"android.webkit.WebView","name":"loadUrl","descriptor":"(Ljava/lang/String;)V","line":4},{"id":3,"class":"android.util.Log","name":"i","descriptor":"(Ljava/lang/String;Ljava/lang/String;)I","line":5}]}]}"#,
    "\n"
);

/// Labels that probes write at these calls: a section's name, the number, and the first digits of the map's SHA-256, as
/// `sha256sum` has it.
const LABELS: [&str; 3] = [
    "android.app.Dialog.show #1@2e5b7887",
    "android.webkit.WebView.loadUrl #2@2e5b7887",
    "android.util.Log.i #3@2e5b7887",
];

/// A phone with rails, and an app each of whose threads makes one of the calls, now and then.
fn simulated(seed: u64) -> Simulated {
    let thread = |(index, (label, (sleep, work))): (usize, (&&str, (f64, f64)))| {
        let pause = Nanos::from_seconds(sleep);
        let program = vec![
            Action::Sleep { length: pause, spread: 1.0 },
            Action::call(label, vec![Action::compute(work)]),
        ];
        ThreadSpec::new(&format!("thread {index}"), program).on_clusters(&[2 - index])
    };
    let work = [(0.9, 90.0), (0.5, 40.0), (0.4, 25.0)];
    let app = AppSpec {
        name: "com.app".into(),
        package: Some("com.app".into()),
        uid: 10_001,
        recorder: false,
        threads: LABELS.iter().zip(work).enumerate().map(thread).collect(),
    };
    let duration = Nanos::from_seconds(120.0);
    let workload =
        Workload { duration, apps: vec![app], interrupts: Vec::new(), events: Vec::new() };
    Simulation::new(PhoneSpec::pixel_like(), workload, seed).unwrap().run().unwrap()
}

/// From rails and probes of a simulated phone to a table, and with the table to a report: each call costs what the processor truly
/// drew for it.
#[test]
fn costs_come_back_from_rails() {
    let simulated = simulated(3);
    let folder = tempfile::tempdir().unwrap();
    let recording = folder.path().join("recording");
    std::fs::create_dir(&recording).unwrap();
    std::fs::write(recording.join("t.perfetto-trace"), &simulated.trace).unwrap();
    std::fs::write(recording.join("app.probes.jsonl"), MAP).unwrap();
    let (recording, own) = (text(&recording), text(&folder.path().join("own.toml")));
    let flags = ["--target", "cpu", "--every", "0.25", "--output", &own, "--json", "-"];
    let found = wattle([&["calibrate", "--api-costs", &recording], &flags[..]].concat()).json();
    let costs = list(&found, "/api_costs/costs");
    let truth: Vec<(f64, u64)> = LABELS
        .iter()
        .map(|label| {
            let of = simulated.truth.methods.iter().filter(|of| of.path == [*label]);
            of.fold((0.0, 0), |sum, of| (sum.0 + of.total_joules.value(), sum.1 + of.calls))
        })
        .collect();
    let signatures = [
        "android.app.Dialog.show()",
        "android.webkit.WebView.loadUrl(java.lang.String)",
        "android.util.Log.i(java.lang.String#java.lang.String)",
    ];
    assert_eq!(costs.len(), 3, "{found}");
    // The costliest first, as they are in truth.
    for ((cost, (joules, calls)), signature) in costs.iter().zip(&truth).zip(signatures) {
        assert_eq!(cost["signature"], signature);
        let per_call = joules / *calls as f64;
        let ratio = number(cost, "/joules") / per_call;
        assert!((ratio - 1.0).abs() < 0.2, "{signature}: {ratio} of {per_call} J: {cost}");
        assert!(cost["calls"].as_u64().unwrap().abs_diff(*calls) <= 5, "{cost} {calls}");
    }
    let r_squared = number(&found, "/api_costs/cross_validation/r_squared");
    assert!(r_squared > 0.8, "{r_squared}");
    assert_eq!(wattle(["model", "check", &own]).code, Some(0));

    let saved = text(&folder.path().join("a.ledger.json.zst"));
    let run = wattle(["report", &recording, "--api-costs", &own, "--quiet", "--save", &saved]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let sheet = Ledger::load(Path::new(&saved)).unwrap().sheets.apis;
    assert_eq!((sheet.tables.len(), sheet.tables[1].name.as_str()), (2, "calibrated"));
    let of = sheet.apis.iter().map(|api| {
        let cost = api.cost.as_ref().unwrap();
        assert_eq!(cost.table, 1);
        cost.per_call.joules.value() * api.calls as f64
    });
    let (sum, truth) = (of.sum::<f64>(), truth.iter().map(|(joules, _)| joules).sum::<f64>());
    assert!((sum / truth - 1.0).abs() < 0.1, "{sum} {truth}");
}
