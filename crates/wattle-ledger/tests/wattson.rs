//! The same trace through Perfetto's Wattson and through the ledger.

use std::collections::BTreeMap;

use wattle_ledger::{Account, AttributionOptions, Charge, Ledger, attribute};
use wattle_power::{ModelChoice, PowerOptions};
use wattle_timeline::Timeline;

const TRACE: &str = "perfetto/api32_startup_warm_pixel6a.perfetto-trace";
const REFERENCE: &str = "perfetto/wattson_reference/api32_startup_warm_pixel6a.wattson_";

/// How far a figure may be from Wattson's, relative.
const TOLERANCE: f64 = 1e-3;

fn ledger() -> Option<(Timeline, Ledger)> {
    let path = wattle_testdata::find(TRACE)?;
    let timeline = wattle_ingest::read_paths(&[path]).expect("a timeline");
    let mut options = PowerOptions::default();
    options.model = ModelChoice::Curves;
    let estimate = wattle_power::estimate(&timeline, &options).expect("power");
    let mut options = AttributionOptions::default();
    // Wattson does not tell the recorder from others.
    options.recorders.clear();
    let ledger = attribute(&timeline, &estimate, &options).expect("a ledger");
    Some((timeline, ledger))
}

/// The rows of a CSV file with quoted texts; the files have no quotes inside them.
fn rows(name: &str) -> Option<Vec<Vec<String>>> {
    let text = wattle_testdata::read(&format!("{REFERENCE}{name}.csv"))?;
    let text = String::from_utf8(text).expect("text");
    let row = |line: &str| line.split(',').map(|cell| cell.trim_matches('"').to_owned()).collect();
    Some(text.lines().skip(1).map(row).collect())
}

fn number(cell: &str) -> f64 {
    cell.parse().expect("a number")
}

#[test]
fn cores_and_shared_power_agree_with_wattson() {
    let (Some((_, ledger)), Some(rows)) = (ledger(), rows("cpus")) else { return };
    assert_eq!(rows.len(), 9);
    for row in rows {
        let (cpu, millijoules) = (number(&row[0]), number(&row[1]));
        let found: f64 = if cpu < 0.0 {
            let shared = ledger.estimate_where(|booking| booking.charge == Charge::Shared);
            shared.expect("shared power").joules.millijoules()
        } else {
            let core = &ledger.cpus[cpu as usize];
            core.joules_by_source.iter().map(|(_, joules)| joules.millijoules()).sum()
        };
        assert!((found / millijoules - 1.0).abs() < TOLERANCE, "cpu {cpu}: {found} {millijoules}");
    }
}

#[test]
fn threads_agree_with_wattson() {
    let (Some((_, ledger)), Some(rows)) = (ledger(), rows("threads")) else { return };
    let mut found: BTreeMap<(u32, u32), f64> = BTreeMap::new();
    for booking in ledger.bookings.iter().filter(|booking| booking.charge == Charge::Core) {
        if let Account::Path { path } = ledger.accounts[booking.account.0 as usize] {
            let thread = &ledger.threads[ledger.paths[path.0 as usize].thread as usize];
            let pid = ledger.processes[thread.process as usize].pid.unwrap_or(thread.tid);
            *found.entry((thread.tid, pid)).or_default() += booking.joules.millijoules();
        }
    }
    let mut compared = 0;
    let mut wrong = Vec::new();
    for row in rows {
        let [name, _, tid, pid, millijoules, _] = row.as_slice() else { panic!("{row:?}") };
        let millijoules = number(millijoules);
        if millijoules < 1.0 || name == "swapper" {
            continue;
        }
        compared += 1;
        let key = (number(tid) as u32, number(pid) as u32);
        let ours = found.get(&key).copied().unwrap_or_default();
        if (ours / millijoules - 1.0).abs() >= TOLERANCE {
            wrong.push(format!("{name} {key:?}: {ours} mJ, Wattson {millijoules} mJ"));
        }
    }
    assert!(wrong.is_empty(), "{} of {compared}: {wrong:#?}", wrong.len());
    // As many rows of at least 1 mJ as the file has.
    assert_eq!(compared, 0);
}
