//! The same trace through Perfetto's Wattson and through the ledger.
//!
//! Before every CPU's frequency is known (the first 6.3 ms of 1.9 s) Wattson has no power at all; Wattle
//! carries the first frequency back and says so. The comparison begins where both know.

use std::collections::BTreeMap;

use wattle_ledger::{Account, AttributionOptions, Charge, Ledger, RuntimeTax, attribute};
use wattle_power::{ModelChoice, PowerOptions};
use wattle_testdata::requires;
use wattle_timeline::{SchedSlices, Window};

const TRACE: &str = "perfetto/api32_startup_warm_pixel6a.perfetto-trace";
const REFERENCE: &str = "perfetto/wattson_reference/api32_startup_warm_pixel6a.wattson_";

/// Largest relative error of a figure against Wattson's.
const TOLERANCE: f64 = 1e-3;

/// Of the whole trace, and from the instant on at which every CPU's frequency is known.
fn ledgers() -> [Ledger; 2] {
    let path = wattle_testdata::path(TRACE);
    let mut timeline = wattle_ingest::read_paths(&[path]).expect("a timeline");
    // Wattson leaves out what still ran when the trace ended.
    for cpu in &mut timeline.cpus {
        let mut finished = SchedSlices::default();
        cpu.sched.iter().filter(|s| s.end_state.is_some()).for_each(|s| finished.push(s));
        cpu.sched = finished;
    }
    let mut options = PowerOptions::default();
    options.model = ModelChoice::Curves;
    let estimate = wattle_power::estimate(&timeline, &options).expect("power");
    let mut options = AttributionOptions::default();
    // Wattson does not tell the recorder from others.
    options.recorders.clear();
    let whole = attribute(&timeline, &estimate, &options).expect("a ledger");
    let known = timeline.cpus.iter().filter_map(|cpu| Some(cpu.frequency.first()?.0)).max();
    options.window = Some(Window::new(known.expect("frequencies"), timeline.window.end));
    [whole, attribute(&timeline, &estimate, &options).expect("a ledger")]
}

/// Core energy without wake transitions, in millijoules by tid and pid.
fn threads(ledger: &Ledger) -> BTreeMap<(u32, u32), f64> {
    let mut found = BTreeMap::new();
    for booking in ledger.bookings.iter().filter(|booking| booking.charge == Charge::Core) {
        if let Account::Path { path } = ledger.rows.accounts[booking.account.0 as usize] {
            let thread = &ledger.rows.threads[ledger.rows.paths[path.0 as usize].thread as usize];
            let pid = ledger.rows.processes[thread.process as usize].pid.unwrap_or(thread.tid);
            *found.entry((thread.tid, pid)).or_default() += booking.joules.millijoules();
        }
    }
    found
}

/// The rows of a CSV file with quoted texts; the files have no quotes inside them.
fn rows(name: &str) -> Vec<Vec<String>> {
    let text = wattle_testdata::bytes(&format!("{REFERENCE}{name}.csv"));
    let text = String::from_utf8(text).expect("text");
    let row = |line: &str| line.split(',').map(|cell| cell.trim_matches('"').to_owned()).collect();
    text.lines().skip(1).map(row).collect()
}

fn number(cell: &str) -> f64 {
    cell.parse().expect("a number")
}

#[requires(data)]
#[test]
fn cores_and_shared_power_agree_with_wattson() {
    let ([_, ledger], rows) = (ledgers(), rows("cpus"));
    assert_eq!(rows.len(), 9);
    for row in rows {
        let (cpu, millijoules) = (number(&row[0]), number(&row[1]));
        let found: f64 = if cpu < 0.0 {
            let shared = ledger.estimate_where(|booking| booking.charge == Charge::Shared);
            shared.expect("shared power").joules.millijoules()
        } else {
            let core = &ledger.rows.cpus[cpu as usize];
            core.joules_by_source.iter().map(|(_, joules)| joules.millijoules()).sum()
        };
        assert!((found / millijoules - 1.0).abs() < TOLERANCE, "cpu {cpu}: {found} {millijoules}");
    }
}

#[requires(data)]
#[test]
fn threads_agree_with_wattson() {
    let ([whole, known], rows) = (ledgers(), rows("threads"));
    let (whole, known) = (threads(&whole), threads(&known));
    let (mut compared, mut equal) = (0, 0);
    for row in rows {
        let [name, _, tid, pid, millijoules, _] = row.as_slice() else { panic!("{row:?}") };
        let millijoules = number(millijoules);
        if millijoules < 1.0 || name == "swapper" {
            continue;
        }
        compared += 1;
        let key = (number(tid) as u32, number(pid) as u32);
        let (high, low) = (whole[&key], known[&key]);
        equal += u32::from((low / millijoules - 1.0).abs() < TOLERANCE);
        // A thread that ran in the first milliseconds, on a CPU that Wattson already knows.
        assert!(
            low * (1.0 - TOLERANCE) < millijoules && millijoules < high * (1.0 + TOLERANCE),
            "{name} {key:?}: {low} to {high} mJ, Wattson {millijoules} mJ"
        );
    }
    // The file has 97 rows of at least 1 mJ; one is the idle task's.
    assert_eq!((compared, equal), (96, 95));
}

/// Threads of the runtime are a class as a whole: what the class has of a thread is what Wattson gives to the thread.
#[requires(data)]
#[test]
fn the_runtimes_threads_agree_with_wattson() {
    use wattle_ledger::RuntimeClass::{GarbageCollection, JitCompilation};
    let ([_, known], rows) = (ledgers(), rows("threads"));
    let tax = RuntimeTax::from_ledger(&known);
    let mut of_class = known.clone();
    let mut compared = 0;
    for (name, class) in [
        ("Jit thread pool", JitCompilation),
        ("Profile Saver", JitCompilation),
        ("HeapTaskDaemon", GarbageCollection),
    ] {
        of_class.bookings.clone_from(&known.bookings);
        of_class.bookings.retain(|booking| {
            let path = known.rows.accounts[booking.account.0 as usize].path();
            path.and_then(|path| tax.class_of(path)) == Some(class)
        });
        let found = threads(&of_class);
        for row in rows.iter().filter(|row| row[0] == name && number(&row[4]) > 0.01) {
            let key = (row[2].parse().expect("tid"), row[3].parse().expect("pid"));
            let (found, expected) = (found.get(&key).copied().unwrap_or(0.0), number(&row[4]));
            assert!((found / expected - 1.0).abs() < TOLERANCE, "{row:?}: {found} {expected}");
            compared += 1;
        }
    }
    assert_eq!(compared, 14, "threads of the runtime above 0.01 mJ in the reference");
}
