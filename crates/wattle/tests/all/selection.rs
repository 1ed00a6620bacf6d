//! Selections of a saved ledger beside reports of the same period of the recording.

use crate::support::{number, trace, wattle};
use serde_json::Value;
use wattle_ledger::{Account, Booking, Ledger};
use wattle_power::{SourceId, SourceTotals};
use wattle_testdata::requires;
use wattle_units::{Estimate, Joules};

const APP: &str = "com.example.news";

/// A simulated phone's trace, its model, and its ledger by these flags.
struct Phone {
    folder: tempfile::TempDir,
    flags: Vec<String>,
}

impl Phone {
    fn new(flags: &[&str]) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let path = |name: &str| folder.path().join(name).to_str().expect("UTF-8").to_owned();
        let (trace, model) = (path("demo.perfetto-trace"), path("demo.toml"));
        let made = wattle(["demo", "--quiet", "--trace", &trace, "--device-model", &model]);
        assert_eq!(made.code, Some(0), "{}", made.stderr);
        let mut all = vec!["report".to_owned(), trace, "--device-model".to_owned(), model];
        all.extend(flags.iter().map(|flag| (*flag).to_owned()));
        Self { folder, flags: all }
    }

    fn report(&self, more: &[&str]) -> Value {
        let mut flags: Vec<&str> = self.flags.iter().map(String::as_str).collect();
        flags.extend(["--quiet", "--json", "-", "--app", APP]);
        flags.extend(more);
        wattle(flags).json()
    }

    fn ledger(&self) -> Ledger {
        let path = self.folder.path().join("demo.ledger.json.zst");
        let mut flags: Vec<&str> = self.flags.iter().map(String::as_str).collect();
        flags.extend(["--quiet", "--save", path.to_str().expect("UTF-8")]);
        let run = wattle(flags);
        assert_eq!(run.code, Some(0), "{}", run.stderr);
        Ledger::load(&path).expect("a ledger")
    }
}

fn is_of_app(ledger: &Ledger, booking: &Booking) -> bool {
    let uid = |path: wattle_ledger::PathId| {
        let thread = &ledger.rows.threads[ledger.rows.paths[path.0 as usize].thread as usize];
        ledger.rows.processes[thread.process as usize].uid
    };
    let app = ledger.rows.processes.iter().find(|process| process.name == APP);
    let app = app.and_then(|process| process.uid);
    match ledger.rows.accounts[booking.account.0 as usize] {
        Account::Path { path } => uid(path) == app,
        Account::App { uid } => Some(uid) == app,
        _ => false,
    }
}

/// The app's energy in some bins by the error model of the ledger.
fn selected(ledger: &Ledger, bins: &std::ops::Range<u32>) -> Estimate {
    let table = ledger.over_time.energy.as_ref().expect("energy over time");
    let cells: Vec<(SourceId, Joules, bool)> = table
        .cells(&ledger.bookings)
        .filter(|cell| bins.contains(&cell.bin))
        .map(|cell| {
            let booking = &ledger.bookings[cell.booking];
            (booking.source, cell.joules, is_of_app(ledger, booking))
        })
        .collect();
    let totals: SourceTotals = cells.iter().map(|(source, joules, _)| (*source, *joules)).collect();
    let own = cells.iter().filter(|(.., is_own)| *is_own);
    ledger.power.errors.estimate(own.map(|(source, joules, _)| (*source, *joules)), &totals)
}

#[track_caller]
fn close(found: f64, expected: f64, tolerance: f64) {
    assert!((found / expected - 1.0).abs() <= tolerance, "{found}, expected {expected}");
}

/// Compares some bins of the ledger with a report from the start of the first to the end of the last.
fn check(phone: &Phone, tolerance: [f64; 2]) {
    let ledger = phone.ledger();
    let bins = ledger.over_time.energy.as_ref().expect("energy over time").bins;
    assert_eq!(bins.count, 1024);
    for range in [100..300, 500..501, 900..1024] {
        let at = |bin: u32| {
            let time = bins.start.value() + bins.width.value() * i64::from(bin);
            format!("@{}", time.min(ledger.recording.window.end.value()))
        };
        let report = phone.report(&["--from", &at(range.start), "--to", &at(range.end)]);
        let found = selected(&ledger, &range);
        close(found.joules.value(), number(&report, "/app/joules"), tolerance[0]);
        close(found.interval.low.value(), number(&report, "/app/interval_joules/0"), tolerance[1]);
        close(found.interval.high.value(), number(&report, "/app/interval_joules/1"), tolerance[1]);
    }
}

/// Without rails a period of the recording is a part of it: energy to a millionth, bounds to a thousandth.
#[test]
fn selections_without_rails_are_what_reports_of_the_period_say() {
    check(&Phone::new(&["--model", "curves"]), [1e-6, 1e-3]);
}

#[track_caller]
fn sums_are_entries(ledger: &Ledger) {
    let table = ledger.over_time.energy.as_ref().expect("energy over time");
    assert!(table.parts.len() <= 400_000.max(2 * ledger.bookings.len()));
    let mut sums = vec![0.0; ledger.bookings.len()];
    for cell in table.cells(&ledger.bookings) {
        sums[cell.booking] += cell.joules.value();
    }
    for ((sum, booking), cells) in sums.iter().zip(&ledger.bookings).zip(&table.cells) {
        if *cells > 0 {
            close(*sum, booking.joules.value(), 1e-9);
            continue;
        }
        let account = &ledger.rows.accounts[booking.account.0 as usize];
        assert!(booking.joules == Joules::ZERO || *account == Account::Unmetered, "{booking:?}");
    }
}

#[test]
fn sums_over_bins_are_the_entries() {
    sums_are_entries(&Phone::new(&[]).ledger());
}

#[requires(data)]
#[test]
fn sums_over_bins_of_real_traces_are_the_entries() {
    let folder = tempfile::tempdir().expect("a folder");
    let saved = folder.path().join("saved.ledger.json.zst");
    let saved = saved.to_str().expect("UTF-8");
    let page = folder.path().join("page.html");
    let page = page.to_str().expect("UTF-8");
    for name in
        ["api32_startup_warm_pixel6a.perfetto-trace", "power_rails_pixel6pro.perfetto-trace"]
    {
        let trace = trace(name);
        let trace = trace.to_str().expect("UTF-8");
        let run = wattle(["report", trace, "--quiet", "--save", saved, "--html", page]);
        assert_eq!(run.code, Some(0), "{}", run.stderr);
        sums_are_entries(&Ledger::load(std::path::Path::new(saved)).expect("a ledger"));
        assert!(std::fs::metadata(page).expect("a page").len() <= 2_000_000);
    }
}

/// Tables of hostile files.
#[test]
fn a_table_that_is_broken_is_refused() {
    let ledger = Phone::new(&[]).ledger();
    let breaks: [fn(&mut Ledger); 5] = [
        |ledger| energy(ledger).cells[0] += 1,
        |ledger| energy(ledger).parts[0] += 1,
        |ledger| energy(ledger).steps[0] = u32::MAX,
        |ledger| energy(ledger).bins.count = 0,
        |ledger| ledger.over_time.meter_intervals[0].steps[0].1 = wattle_units::Nanos::new(-1),
    ];
    for (nth, damage) in breaks.into_iter().enumerate() {
        let mut broken = ledger.clone();
        damage(&mut broken);
        let bytes = broken.to_bytes().expect("bytes");
        assert!(Ledger::from_bytes(&bytes).is_err(), "break {nth} is not seen");
    }
}

fn energy(ledger: &mut Ledger) -> &mut wattle_ledger::EnergyBins {
    ledger.over_time.energy.as_mut().expect("energy over time")
}
