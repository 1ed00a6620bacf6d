//! Whatever a ledger holds, every view of it has the same sum.

use crate::support;
use proptest::prelude::*;
use serde_json::Value;
use wattle_ledger::{Account, Charge, Ledger, PathId};
use wattle_power::SourceId;
use wattle_report::ReportOptions;

use crate::support::json;

/// Who pays a booking: a call below one of the earlier paths, or an account that is no thread's.
#[derive(Clone, Debug)]
enum Payer {
    Call { thread: usize, caller: usize, name: u8 },
    Other(u8),
}

fn payer() -> impl Strategy<Value = Payer> {
    prop_oneof![
        4 => (0..4_usize, any::<usize>(), 0..4_u8)
            .prop_map(|(thread, caller, name)| Payer::Call { thread, caller, name }),
        1 => (0..6_u8).prop_map(Payer::Other),
    ]
}

fn ledger(lines: &[(Payer, usize, u16, f64)]) -> Ledger {
    let mut b = support::Builder::new(5.0);
    b.pixel();
    let app = b.process(10, "app", Some("app"), 10_001);
    let other = b.process(20, "other", Some("other"), 10_002);
    let threads: Vec<_> =
        (0..4).map(|nth| b.thread(if nth < 2 { app } else { other }, 10 + nth, "t", 7)).collect();
    let mut paths: Vec<Vec<PathId>> =
        threads.iter().map(|thread| vec![b.path(*thread, None, "", 1, [0, 0])]).collect();
    for (payer, charge, source, joules) in lines {
        let account = match payer {
            Payer::Call { thread, caller, name } => {
                let caller = paths[*thread][caller % paths[*thread].len()];
                let name = ["a", "b", "c", "d"][usize::from(*name)];
                let path = b.path(threads[*thread], Some(caller), name, 1, [1, 1]);
                paths[*thread].push(path);
                Account::Path { path }
            }
            Payer::Other(0) => Account::App { uid: 10_001 },
            Payer::Other(1) => Account::Interrupts { handler: "irq".into() },
            Payer::Other(2) => Account::IdleFloor,
            Payer::Other(3) => Account::ProfilingOverhead { path: None },
            Payer::Other(4) => Account::Unmetered,
            Payer::Other(_) => Account::Unattributed,
        };
        let account = b.account(account);
        let component =
            [support::CPU_COMPONENT, support::DISPLAY_COMPONENT, support::GPU_COMPONENT]
                [usize::from(source / 2)];
        b.book(account, component, Charge::ALL[*charge], SourceId(*source), *joules);
    }
    b.ledger
}

fn sum(rows: &Value, key: &str) -> f64 {
    // What would be empty can be absent.
    rows.as_array().into_iter().flatten().filter_map(|row| row[key].as_f64()).sum()
}

proptest! {
    #[test]
    fn every_view_has_the_same_sum(
        lines in prop::collection::vec((payer(), 0..5_usize, 0..5_u16, 1e-9..10.0_f64), 1..60)
    ) {
        let ledger = ledger(&lines);
        let expected: f64 = lines.iter().map(|(.., joules)| joules).sum();
        let near = |found: f64, expected: f64| (found - expected).abs() <= 1e-9 * expected.max(1.0);
        let mut options = ReportOptions::default();
        options.apps = vec!["app".into()];
        let report = json(&ledger, &options).expect("a report");

        prop_assert!(near(report["total_joules"].as_f64().expect("a total"), expected));
        prop_assert!(near(sum(&report["components"], "joules"), expected));
        prop_assert!(near(sum(&report["accounts"], "joules"), expected));

        let threads: f64 = lines
            .iter()
            .filter(|(payer, ..)| matches!(payer, Payer::Call { .. }))
            .map(|(.., joules)| joules)
            .sum();
        prop_assert!(near(sum(&report["processes"], "joules"), threads));
        prop_assert!(near(sum(&report["slices"], "self_joules"), threads));
        // Sources below 2 are the CPU's.
        let devices: f64 = lines
            .iter()
            .filter(|(payer, _, source, _)| matches!(payer, Payer::Call { .. }) && *source > 1)
            .map(|(.., joules)| joules)
            .sum();
        let slices = report["slices"].as_array().expect("slices");
        let parts = slices.iter().map(|slice| sum(&slice["components"], "self_joules"));
        prop_assert!(near(parts.sum(), devices));
        // No data adds nothing.
        let app = report["app"]["joules"].as_f64().unwrap_or(0.0);
        let others = report["app"]["other_processes_joules"].as_f64().unwrap_or(0.0);
        let by_uid = sum(&report["apps"], "joules");
        prop_assert!(near(app + others, threads + by_uid));
        prop_assert!(near(sum(&report["app"]["components"], "joules"), app));
        for slice in report["slices"].as_array().expect("slices") {
            let own = slice["self_joules"].as_f64().expect("self");
            let total = slice["total_joules"].as_f64().expect("total");
            prop_assert!(own <= total * (1.0 + 1e-12) && total <= threads * (1.0 + 1e-12));
            let parts = sum(&slice["components"], "total_joules");
            prop_assert!(parts <= total * (1.0 + 1e-9));
            prop_assert!(sum(&slice["components"], "self_joules") <= parts * (1.0 + 1e-9));
        }
    }

    #[test]
    fn a_figure_lies_in_its_interval(
        lines in prop::collection::vec((payer(), 0..5_usize, 0..5_u16, 1e-9..10.0_f64), 1..20)
    ) {
        let report = json(&ledger(&lines), &ReportOptions::default()).expect("a report");
        for row in report["accounts"].as_array().expect("accounts") {
            let [joules, low, high] = [&row["joules"], &row["interval_joules"][0], &row["interval_joules"][1]]
                .map(|value| value.as_f64().expect("a number"));
            prop_assert!(low <= joules && joules <= high);
        }
    }
}
