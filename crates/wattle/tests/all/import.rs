//! `wattle import`: results of other tools, from the command to the report.

use std::path::Path;

use serde_json::json;

use crate::support::{list, number, wattle};

fn text(path: &Path) -> &str {
    path.to_str().expect("UTF-8")
}

#[test]
fn a_macrobenchmark_becomes_a_series_that_can_be_reported() {
    let folder = tempfile::tempdir().expect("a folder");
    let results = folder.path().join("results");
    std::fs::create_dir(&results).expect("a folder");
    let name = |number: u32| format!("Start_cold_iter{number:03}_2025-11-29.perfetto-trace");
    let mut outputs = Vec::new();
    for number in 0..2 {
        let trace = results.join(name(number));
        let seed = number.to_string();
        let demo = wattle(["demo", "--quiet", "--seed", &seed, "--trace", text(&trace)]);
        assert_eq!(demo.code, Some(0), "{}", demo.stderr);
        outputs.push(json!({
            "type": "PerfettoTrace", "label": format!("Trace Iteration {number}"), "filename": name(number)
        }));
    }
    let data = json!({
        "context": { "build": { "brand": "sim", "model": "SimPixel", "version": { "sdk": 34 } }, "cpuCoreCount": 8 },
        "benchmarks": [{
            "name": "cold", "className": "com.example.Start", "metrics": {}, "repeatIterations": 2,
            "profilerOutputs": outputs,
        }],
    });
    std::fs::write(results.join("x-benchmarkData.json"), data.to_string()).expect("written");
    let target = folder.path().join("recordings");
    let imported = wattle(["import", text(&results), "-o", text(&target), "--json", "-"]).json();
    assert_eq!(imported["schema"], "wattle-import/1");
    assert_eq!(imported["tool"], "Macrobenchmark");
    let [series] = list(&imported, "/recordings") else { panic!("{imported}") };
    assert_eq!(series["runs"], 2);
    let series = target.join("Start-cold");
    for (run, number_of_run) in [("0", 0), ("1", 1)] {
        let report = wattle(["report", text(&series.join(run)), "--json", "-"]).json();
        let own = results.join(name(number_of_run));
        let alone = wattle(["report", text(&own), "--json", "-"]).json();
        let (found, expected) = (number(&report, "/total_joules"), number(&alone, "/total_joules"));
        assert!(
            (found - expected).abs() <= 1e-9 * expected,
            "{found} J, of the trace alone {expected} J"
        );
    }
    let again = wattle(["import", text(&results), "-o", text(&target)]);
    assert_eq!(again.code, Some(2), "{}", again.stderr);
}

#[test]
fn results_without_energy_are_refused_with_what_to_do() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("results.json");
    let measure = json!({ "cpu": { "perName": { "UI Thread": 3.0 }, "perCore": {} }, "time": 500 });
    let result = json!({ "name": "start", "iterations": [{ "time": 500, "measures": [measure] }] });
    std::fs::write(&file, result.to_string()).expect("written");
    let refused = wattle(["import", text(&file)]);
    assert_eq!(refused.code, Some(3));
    assert!(refused.stderr.contains("neither clocks nor power"), "{}", refused.stderr);
}
