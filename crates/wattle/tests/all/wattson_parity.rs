//! The state → milliwatt model against Perfetto's own (Wattson), on a real Pixel 6a trace.
//!
//! The reference was made by Perfetto's trace processor (commit ec5d16b1) with the queries named in the
//! README beside it: energy per CPU and shared, and per thread without the cost of idle transitions.

use std::collections::BTreeMap;

use crate::support::{list, number, trace, wattle};
use serde_json::Value;
use wattle_testdata::requires;

const TRACE: &str = "api32_startup_warm_pixel6a.perfetto-trace";
/// 0.1 %.
const TOLERANCE: f64 = 1e-3;

fn report() -> Value {
    let path = trace(TRACE);
    let arguments = ["report", "--model", "curves", "--json", "-"].map(std::ffi::OsString::from);
    wattle(arguments.into_iter().chain([path.into_os_string()])).json()
}

/// Rows of a CSV file with one header line and quoted text without commas inside quotes.
fn rows(name: &str) -> Vec<Vec<String>> {
    let path = trace(&format!("wattson_reference/api32_startup_warm_pixel6a.{name}.csv"));
    let text = std::fs::read_to_string(path).expect("reference");
    let cells =
        |line: &str| line.split(',').map(|cell| cell.trim_matches('"').to_owned()).collect();
    text.lines().skip(1).filter(|line| !line.is_empty()).map(cells).collect()
}

#[track_caller]
fn check(what: &str, found: f64, expected_mws: f64) {
    let expected = expected_mws * 1e-3;
    let off = (found - expected).abs() / expected;
    assert!(
        off <= TOLERANCE,
        "{what}: {found} J, Wattson says {expected} J ({:.3} % off)",
        off * 100.0
    );
}

#[requires(data)]
#[test]
fn energy_per_cpu_and_shared() {
    let (report, rows) = (report(), rows("wattson_cpus"));
    let cores: BTreeMap<u64, f64> = list(&report, "/cpus")
        .iter()
        .map(|cpu| (cpu["cpu"].as_u64().expect("cpu"), number(cpu, "/core_joules")))
        .collect();
    assert_eq!(rows.len(), 9);
    for row in rows {
        let expected: f64 = row[1].parse().expect("mws");
        match row[0].parse::<u64>() {
            Ok(cpu) => check(&format!("cpu {cpu}"), cores[&cpu], expected),
            Err(_) => check("shared", number(&report, "/cpu_shared_joules"), expected),
        }
    }
}

#[requires(data)]
#[test]
fn energy_per_thread() {
    let (report, rows) = (report(), rows("wattson_threads"));
    let mut threads: BTreeMap<(u64, u64), f64> = BTreeMap::new();
    for process in list(&report, "/processes") {
        for thread in list(process, "/threads") {
            let key = (process["pid"].as_u64().unwrap_or(0), thread["tid"].as_u64().expect("tid"));
            *threads.entry(key).or_default() += thread["cpu_core_joules"].as_f64().unwrap_or(0.0);
        }
    }
    let mut compared = 0;
    for row in rows {
        let expected: f64 = row[4].parse().expect("mws");
        let (tid, pid): (i64, i64) = (row[2].parse().expect("tid"), row[3].parse().unwrap_or(0));
        // The idle task is nobody's; interrupts stand in the reference as pseudo-threads whose numbers
        // are hashes of their names.
        if expected < 1.0 || tid == 0 || !(0..=1 << 22).contains(&tid) {
            continue;
        }
        let key = (u64::try_from(pid).expect("pid"), u64::try_from(tid).expect("tid"));
        let found = threads.get(&key).copied().unwrap_or_else(|| panic!("no thread {key:?}"));
        check(&format!("thread {} {key:?}", row[0]), found, expected);
        compared += 1;
    }
    assert!(compared > 50, "only {compared} threads compared");
}
