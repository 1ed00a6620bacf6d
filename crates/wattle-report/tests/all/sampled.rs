//! Samples without energy.

use crate::support;
use support::Builder;
use wattle_ledger::{FrameClass, FrameEntry, Ledger, Sampling};
use wattle_report::{Report, ReportOptions};

use crate::support::terminal;
use wattle_units::Nanos;

/// Two threads with stacks without times: `a` three times, `a; b` four, `a; b; a` twice, and `b` five.
fn ledger() -> Ledger {
    let mut b = Builder::new(0.0);
    b.ledger.rows.components.clear();
    let app = b.process(10, "com.app", Some("com.app"), 10_001);
    let frame = |function: &str| FrameEntry {
        class: FrameClass::Native,
        function: Some(function.to_owned()),
        mapping: Some("/lib/x.so".to_owned()),
        inlined: false,
        file: None,
        line: None,
    };
    b.ledger.rows.frames = vec![frame("a"), frame("b")];
    let main = b.thread(app, 10, "main", 0);
    let root = b.path(main, None, "", 0, [0, 0]);
    let outer = b.path(main, Some(root), "a", 0, [0, 0]);
    let inner = b.path(main, Some(outer), "b", 0, [0, 0]);
    let again = b.path(main, Some(inner), "a", 0, [0, 0]);
    let worker = b.thread(app, 11, "worker", 0);
    let other = b.path(worker, None, "", 0, [0, 0]);
    let alone = b.path(worker, Some(other), "b", 0, [0, 0]);
    for (path, frame, samples) in [(outer, 0, 3), (inner, 1, 4), (again, 0, 2), (alone, 1, 5)] {
        let path = &mut b.ledger.rows.paths[path.0 as usize];
        (path.frame, path.samples) = (Some(frame), samples);
    }
    b.ledger.sheets.sampling = Some(Sampling {
        event: "samples".to_owned(),
        samples: 14,
        others: 0,
        truncated: 0,
        without_stack: 0,
        is_schedule_inferred: false,
        unsampled: Nanos::ZERO,
    });
    b.ledger
}

#[test]
fn stacks_without_times_are_counted_and_have_no_energy() {
    let ledger = ledger();
    let report = Report::new(&ledger, &ReportOptions::default());
    assert!(report.energy.total.0.is_none());
    let reason = report.energy.no_energy_reason.clone().unwrap();
    assert!(reason.contains("without times"), "{reason}");
    let sampled = report.software.sampled.unwrap();
    assert_eq!((sampled.total, sampled.unit.as_str()), (14, "samples"));
    let threads: Vec<_> =
        sampled.threads.iter().map(|thread| (thread.name.as_str(), thread.samples)).collect();
    assert_eq!(threads, [("main", 9), ("worker", 5)]);
    // What calls itself counts once.
    let functions: Vec<_> =
        sampled.functions.iter().map(|it| (it.name.as_str(), it.own, it.total)).collect();
    assert_eq!(functions, [("b", 9, 11), ("a", 5, 9)]);
    let page = terminal(&ledger, &ReportOptions::default());
    assert!(page.contains("no energy figure: ") && page.contains("Sampled functions"), "{page}");
}
