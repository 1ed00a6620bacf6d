//! Every export sums to the ledger's total, read back without the writers' own code.

use crate::ledgers::{any_ledger, empty, export, hand_made, simulated, total, with_stretches};
use crate::readers::{
    chrome_sum, csv_sum, firefox_counters, firefox_sum, folded_sum, parquet_sum, perfetto_sum,
    pprof_sums, speedscope_sum,
};
use proptest::prelude::*;
use wattle_export::{EnergyUnit, ExportOptions, Extract, Filter, Format, TableKind};
use wattle_ledger::Ledger;

/// All formats at once.
#[track_caller]
fn check(ledger: &Ledger) {
    let joules = total(ledger);
    let nanos = (joules * 1e9).round() as i64;
    assert_eq!(folded_sum(&export(ledger, Format::Folded, None)), (joules * 1e6).round() as i64);
    let pprof = pprof_sums(&export(ledger, Format::Pprof, None));
    let components = ledger.rows.components.len();
    let millis = (joules * 1e3).round() as i64;
    assert_eq!(pprof[0], millis, "pprof");
    assert_eq!(pprof[1..=components].iter().sum::<i64>(), millis, "pprof's components");
    assert_eq!(pprof[components + 1], nanos, "pprof, exact");
    let cpu: i64 = ledger.rows.paths.iter().map(|path| path.self_cpu.value()).sum();
    let calls: u64 = ledger.rows.paths.iter().map(|path| path.calls).sum();
    let samples: u64 = ledger.rows.paths.iter().map(|path| path.samples).sum();
    assert_eq!(pprof[components + 2..], [cpu, calls as i64, samples as i64], "pprof's counts");
    assert_eq!(speedscope_sum(&export(ledger, Format::Speedscope, None)), nanos, "speedscope");
    let firefox = export(ledger, Format::Firefox, None);
    assert_eq!(firefox_sum(&firefox), nanos, "Firefox");
    // Power is in picowatt-hours.
    for (counted, series) in firefox_counters(&firefox).iter().zip(&ledger.over_time.series) {
        let width = ledger.over_time.bins.width.seconds();
        let joules: f64 = series.power.iter().map(|power| power.value() * width).sum();
        let off = (*counted as f64 * 3600e-12 - joules).abs();
        // The last bin of a window may be cut.
        assert!(off <= 4e-9 + width * 10.0, "{counted} pWh of {joules} J");
    }
    assert_eq!(chrome_sum(&export(ledger, Format::Chrome, None)), nanos, "Chrome");
    assert_eq!(perfetto_sum(&export(ledger, Format::Perfetto, None)), nanos, "Perfetto");
    let close = |found: f64, what: &str| {
        assert!((found - joules).abs() <= 1e-9 * joules.max(1e-9), "{what}: {found} of {joules}");
    };
    for (table, column) in [
        (TableKind::Paths, "joules"),
        (TableKind::Threads, "joules"),
        (TableKind::Components, "joules"),
        (TableKind::Accounts, "joules"),
        (TableKind::Bookings, "joules"),
    ] {
        close(csv_sum(&export(ledger, Format::Csv, Some(table)), column), "CSV");
        close(parquet_sum(&export(ledger, Format::Parquet, Some(table)), column), "Parquet");
    }
    let json: Ledger = serde_json::from_slice(&export(ledger, Format::Json, None)).unwrap();
    assert_eq!(total(&json), joules);
}

#[test]
fn sums_of_a_ledger_by_hand() {
    check(&hand_made());
    check(&with_stretches(hand_made()));
    check(&empty());
}

#[test]
fn sums_of_a_simulated_phone() {
    let ledger = simulated();
    assert!(total(&ledger) > 0.1 && ledger.rows.paths.len() > 20);
    check(&ledger);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]
    #[test]
    fn sums_of_any_ledger(ledger in any_ledger()) {
        check(&ledger);
    }
}

/// Apps, processes and threads that are asked for; the paths that are kept, and whether the app that pays as a whole is.
type Part<'a> = (&'a [&'a str], &'a [&'a str], &'a [&'a str], std::ops::Range<u32>, bool);

#[test]
fn parts_sum_to_what_they_keep() {
    let ledger = hand_made();
    let words = |list: &[&str]| list.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
    let cases: [Part<'_>; 6] = [
        (&["com.example.shop"], &[], &[], 0..11, false),
        (&[], &["100"], &["main"], 0..3, false),
        (&[], &[], &["101"], 3..11, false),
        (&["com.example.game"], &[], &[], 0..0, true),
        (&["com.example.game"], &["100"], &[], 0..0, false),
        (&[], &["none"], &[], 0..0, false),
    ];
    for (apps, processes, threads, paths, uid) in cases {
        let filter =
            Filter { apps: words(apps), processes: words(processes), threads: words(threads) };
        let extract = Extract::part(&ledger, &filter);
        let kept = |booking: &wattle_ledger::Booking| match &ledger.rows.accounts
            [booking.account.0 as usize]
        {
            wattle_ledger::Account::App { .. } => uid,
            account => account.path().is_some_and(|path| paths.contains(&path.0)),
        };
        // The interval of a part is that of the same bookings in the whole.
        assert_eq!(extract.total(), ledger.estimate_where(kept), "{filter:?}");
        let mut folded = Vec::new();
        let options = ExportOptions { unit: Some(EnergyUnit::Nanojoules), ..Default::default() };
        wattle_export::write(&extract, Format::Folded, options, &mut folded).unwrap();
        let joules = extract.total().map_or(0.0, |total| total.joules.value());
        assert_eq!(folded_sum(&folded), (joules * 1e9).round() as i64);
        let json = wattle_export::write(&extract, Format::Json, options, &mut Vec::new());
        assert!(json.is_err(), "a part of a ledger is no ledger");
    }
}

/// Our reader of Perfetto traces, which knows nothing of the writer, finds slices, threads and times.
#[test]
fn a_perfetto_trace_is_one() {
    let ledger = with_stretches(hand_made());
    let bytes = export(&ledger, Format::Perfetto, None);
    let timeline = wattle_ingest::read_bytes("energy.perfetto-trace", &bytes).unwrap();
    let names: Vec<&str> =
        timeline.code.slices.name.iter().map(|name| timeline.names.get(*name)).collect();
    for name in ["Cart.sum", "draw", "lerp", "schedule", "[not sampled]", "[outside calls]"] {
        assert!(names.contains(&name), "no {name} in {names:?}");
    }
    let first = timeline.code.slices.start.iter().min().copied().unwrap();
    let expected =
        ledger.over_time.stretches.iter().map(|stretch| stretch.window.start).min().unwrap();
    assert_eq!(first, expected);
    let threads: Vec<u32> = timeline.tasks.threads.iter().map(|thread| thread.tid.0).collect();
    assert!(threads.contains(&100) && threads.contains(&101), "{threads:?}");
}
