//! `wattle demo --polling`: the trade-off of Hitani et al. on the simulated phone, held against the simulator's truth.

use std::collections::HashSet;

use crate::support::{list, number, wattle};
use serde_json::Value;
use wattle_sim::{Simulated, scenario};
use wattle_units::Nanos;

const PERIODS: [f64; 6] = [100.0, 200.0, 500.0, 1000.0, 2000.0, 3000.0];

fn polling() -> Value {
    wattle(["demo", "--polling", "--seed", "5", "--json", "-"]).json()
}

/// Every run with its period.
fn runs(summary: &Value) -> Vec<(f64, Value)> {
    let rows = list(summary, "/rows");
    let of_row = |row: &Value| {
        let period = number(row, "/period_ms");
        list(row, "/runs").iter().map(|run| (period, run.clone())).collect::<Vec<_>>()
    };
    rows.iter().flat_map(of_row).collect()
}

fn simulate(period_ms: f64, seed: f64) -> Simulated {
    let period = Nanos::from_seconds(period_ms * 1e-3);
    let simulation = scenario::web_access(period, seed as u64).expect("a scenario");
    simulation.run().expect("a run")
}

#[track_caller]
fn close(found: f64, expected: f64, relative: f64, what: &str) {
    let off = (found - expected).abs();
    assert!(off <= relative * expected.abs(), "{what}: {found}, expected {expected}");
}

#[test]
fn its_json_follows_its_schema_and_is_documented() {
    let summary = polling();
    let schema = include_str!("../../../../docs/schema/polling-1.schema.json");
    let schema = serde_json::from_str(schema).expect("JSON");
    let validator = jsonschema::draft202012::new(&schema).expect("a schema");
    let errors: Vec<_> = validator.iter_errors(&summary).map(|e| e.to_string()).collect();
    assert!(errors.is_empty(), "{errors:#?}");
    let page = include_str!("../../../../docs/polling-json.md");
    let run = &runs(&summary)[0].1;
    for value in [&summary, run] {
        for key in value.as_object().expect("an object").keys() {
            let is_there =
                page.contains(&format!("`{key}`")) || page.contains(&format!("`{key}[]`"));
            assert!(is_there, "{key} is not documented");
        }
    }
    let periods: Vec<f64> =
        list(&summary, "/rows").iter().map(|row| number(row, "/period_ms")).collect();
    assert_eq!(periods, PERIODS);
    assert_eq!(summary["seeds"], serde_json::json!([5, 6]));
    assert_eq!(summary, polling(), "the same seed gives the same figures");
}

#[test]
fn figures_are_those_of_the_simulators_truth() {
    for (period, run) in runs(&polling()) {
        let truth = simulate(period, number(&run, "/seed")).truth;
        let device = truth.bytes.devices.iter().find(|device| device.device == "wlan0");
        let polled = device.and_then(|device| device.polled).expect("polled bytes").total();
        // What was counted is known to the byte; nothing of it may get lost on the way.
        close(number(&run, "/counted_bytes"), polled as f64, 0.0, "counted");
        let calls: Vec<_> = truth
            .bytes
            .calls
            .iter()
            .filter(|call| call.device == "wlan0")
            .filter(|call| call.path.last().is_some_and(|name| name.starts_with("java.net.")))
            .collect();
        let own: u64 = calls.iter().map(|call| call.own.total()).sum();
        close(number(&run, "/hooked_bytes"), own as f64, 0.0, "hooked");
        let (counted, given) = (number(&run, "/counted_bytes"), number(&run, "/allocated_bytes"));
        assert!(0.0 < given && given <= counted, "{given} of {counted}");
        close(number(&run, "/total_error"), 1.0 - given / counted, 1e-9, "total error");
        // Each call that moved something is there once, and those that moved nothing (connect).
        let distinct: HashSet<_> = calls.iter().map(|call| (call.tid, call.begin)).collect();
        assert!(number(&run, "/calls") >= distinct.len() as f64);

        let poller: Vec<_> = truth.threads.iter().filter(|thread| thread.pid == 900).collect();
        let cpu: f64 = poller.iter().map(|thread| thread.cpu.seconds()).sum();
        let joules: f64 = poller.iter().map(|thread| thread.charges.total().value()).sum();
        close(number(&run, "/poller_cpu_s"), cpu, 0.02, "the poller's time");
        close(number(&run, "/poller_joules"), joules, 0.1, "the poller's energy");
    }
}

/// Equation 2 by brute force, a millisecond at a time, from the simulator's calls and the text of the counters: total
/// error and allocation error.
fn by_brute_force(simulated: &Simulated) -> (f64, f64) {
    let text = String::from_utf8(simulated.counters.clone().expect("counters")).expect("UTF-8");
    let mut polls: Vec<(i64, f64)> = Vec::new();
    let mut begun = 0.0;
    for line in text.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words.as_slice() {
            ["@", boot, _] => begun = boot.parse().expect("a time"),
            ["wlan0:", counts @ ..] => {
                let bytes = |at: usize| counts[at].parse::<f64>().expect("a count");
                polls.push(((begun * 1e3) as i64, bytes(0) + bytes(8)));
            }
            _ => {}
        }
    }
    // Every network call of the trace, whether it moved bytes or not: by thread, in milliseconds.
    let timeline = wattle_ingest::read_bytes("trace", &simulated.trace).expect("a trace");
    let mut calls = Vec::new();
    for track in &timeline.code.slices.tracks {
        let wattle_timeline::SliceScope::Thread(thread) = track.scope else { continue };
        let tid = timeline.tasks.threads[thread.index()].tid.0;
        for slice in timeline.code.slices.of(track) {
            if timeline.names.get(slice.name).starts_with("java.net.") {
                let millis = |at: wattle_units::BootNanos| at.value() / 1_000_000;
                let own = simulated.truth.bytes.calls.iter().find(|call| {
                    call.device == "wlan0" && call.tid == tid && call.begin == slice.start
                });
                let own = own.map_or(0.0, |call| call.own.total() as f64);
                calls.push((millis(slice.start), millis(slice.end), own, 0.0));
            }
        }
    }
    let (mut counted, mut lost) = (0.0, 0.0);
    for pair in polls.windows(2) {
        let ((from, before), (until, after)) = (pair[0], pair[1]);
        let rose = after - before;
        counted += rose;
        let is_open = |call: &(i64, i64, f64, f64), at: i64| call.0 <= at && at < call.1;
        let all = (from..until).map(|at| calls.iter().filter(|call| is_open(call, at)).count());
        let all: usize = all.sum();
        if all == 0 {
            lost += rose;
            continue;
        }
        for call in &mut calls {
            let own = (from..until).filter(|at| is_open(call, *at)).count();
            call.3 += rose * own as f64 / all as f64;
        }
    }
    let differences: Vec<f64> = calls.iter().map(|call| call.2 - call.3).collect();
    let mean = differences.iter().sum::<f64>() / differences.len() as f64;
    let squares: f64 = differences.iter().map(|d| (d - mean).powi(2)).sum();
    (lost / counted, squares / differences.len() as f64)
}

#[test]
fn errors_are_those_of_brute_force() {
    for (period, run) in runs(&polling()) {
        let (total, variance) = by_brute_force(&simulate(period, number(&run, "/seed")));
        // Polls are known to 10 ms, of calls of 3 to 260 ms: short intervals can fall to the other side of a call.
        let found = number(&run, "/total_error");
        assert!((found - total).abs() < 0.012, "{period} ms: {found}, expected {total}");
        let found = number(&run, "/allocation_variance");
        close(found, variance, 0.12, &format!("{period} ms: variance"));
    }
}

#[test]
fn the_trade_off_is_that_of_the_paper() {
    let summary = polling();
    let mean = |key: &str| -> Vec<f64> {
        let of_row = |row: &Value| {
            let runs = list(row, "/runs");
            runs.iter().map(|run| number(run, key)).sum::<f64>() / runs.len() as f64
        };
        list(&summary, "/rows").iter().map(of_row).collect()
    };
    // Longer periods leave less without a call and share it less exactly.
    let total = mean("/total_error");
    assert!(total[4] < 0.5 * total[2] && total[5] < 0.5 * total[2], "{total:?}");
    let variance = mean("/allocation_variance");
    assert!(variance.is_sorted(), "{variance:?}");
    // The tool's own load falls with the period: about as many times as it wakes.
    for key in ["/poller_cpu_s", "/poller_joules", "/task_s"] {
        let load = mean(key);
        assert!(load.is_sorted_by(|a, b| a > b), "{key}: {load:?}");
    }
    let cpu = mean("/poller_cpu_s");
    close(cpu[0] / cpu[3], 10.0, 0.2, "ten times as often");
    close(mean("/task_relative")[3], 1.0, 1e-12, "the reference");
    // Their table, as printed.
    let paper = |row: usize| summary["rows"][row]["paper"].clone();
    assert_eq!(paper(1), Value::Null);
    assert_eq!(
        paper(2),
        serde_json::json!({"total_error": [0.0351, 0.0366], "allocation_variance": 2_099_537.0})
    );
    assert_eq!(paper(5)["total_error"], serde_json::json!([0.0069, 0.0043]));
}

#[test]
fn people_get_a_table() {
    let run = wattle(["demo", "--polling"]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    for words in [" 100 ms", "3000 ms", "3.51 / 3.66 %", "3.95", "profiling overhead"] {
        assert!(run.stdout.contains(words), "no {words:?} in:\n{}", run.stdout);
    }
    for line in run.stdout.lines() {
        assert!(line.chars().count() <= 118, "{line}");
    }
    assert_eq!(wattle(["demo", "--polling", "--quiet"]).stdout, "");
    let refused = wattle(["demo", "--polling", "--html", "x.html"]);
    assert_eq!(refused.code, Some(2));
    assert!(refused.stderr.contains("--polling"), "{}", refused.stderr);
}
