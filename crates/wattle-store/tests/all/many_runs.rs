//! A history of many runs.

use std::path::PathBuf;
use std::time::Instant;

use wattle_store::{Measure, NewRun, RunFilter, Store, StoreLocation};

use crate::ledgers::{self, APP, letters};

/// Runs and methods, unless `WATTLE_STORE_RUNS` says another number of runs. `10000` with 5,000 methods is measured by hand: it takes
/// some minutes and a gigabyte. `WATTLE_STORE_FOLDER` is a folder in which the history stays, for measuring commands with it.
const RUNS: u32 = 40;
const METHODS: u32 = 5000;

/// Sizes and correctness at any scale; times are printed, not judged: machines differ.
#[test]
fn the_history_of_one_method_reads_one_method() {
    let runs = std::env::var("WATTLE_STORE_RUNS").ok();
    let runs = runs.map_or(RUNS, |text| text.parse().expect("a number of runs"));
    let place = tempfile::tempdir().expect("a folder");
    let kept = std::env::var_os("WATTLE_STORE_FOLDER").map(PathBuf::from);
    let folder = kept.as_deref().unwrap_or(place.path());
    let location = StoreLocation::Folder(folder.to_owned());
    let mut store = Store::open(&location).expect("opened");
    let template = ledgers::run(METHODS, 1.0, 1);
    let began = Instant::now();
    for number in 0..runs {
        let mut new: NewRun = template.clone();
        // Ledgers are all the same, so that this is about the database.
        new.facts.app.version_code = Some(u64::from(number));
        // Five runs of each commit, an hour after another.
        new.facts.code.commit = Some(format!("{:08x}{:032x}", number / 5, number / 5));
        new.facts.circumstances.started_ms =
            Some(1_700_000_000_000 + i64::from(number / 5) * 3_600_000 + i64::from(number % 5));
        store.keep(&new).expect("kept");
    }
    println!("{runs} runs of {METHODS} methods kept in {:.1?}", began.elapsed());
    drop(store);
    let database = std::fs::metadata(StoreLocation::database_file(folder)).expect("a file").len();
    println!(
        "{} bytes a run in the database, {} of a ledger",
        database / u64::from(runs),
        template.ledger.len()
    );
    // A method has some 20 bytes a run; the rest is keys, free space in pages, and the names of methods, once.
    assert!(database / u64::from(runs) < 350_000, "{database} bytes");

    let mut store = Store::open(&location).expect("opened");
    let began = Instant::now();
    let kept = store.runs(&RunFilter::of_app(APP)).expect("runs");
    println!("history of totals: {:.0?}", began.elapsed());
    assert_eq!(kept.len(), runs as usize);
    let began = Instant::now();
    let components = store.component_history(APP, "cpu", Measure::App).expect("energies");
    println!("history of a component: {:.0?}", began.elapsed());
    assert_eq!(components.len(), runs as usize);
    let name = format!("com.example.news.Feed.{}", letters(1234));
    let began = Instant::now();
    let history = store.method_history(APP, &|method| method == name).expect("a method");
    println!("history of a method: {:.0?}", began.elapsed());
    assert_eq!(history[0].points.len(), runs as usize);
    let began = Instant::now();
    let methods = store.methods_of(kept[0].id).expect("methods");
    println!("methods of a run: {:.0?}", began.elapsed());
    assert_eq!(methods.len(), METHODS as usize + 1);
}
