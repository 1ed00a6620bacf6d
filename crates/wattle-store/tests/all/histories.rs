//! Runs that are kept are found again, with all that was kept of them.

use wattle_store::{
    AppBuild, Measure, RunFacts, RunFigures, RunFilter, RunId, Store, StoreError, StoreLocation,
};
use wattle_units::Joules;

use crate::ledgers::{self, APP};
use crate::writers::check_all_whole;

/// All that a history can do, on a database of either kind.
pub fn check_history(location: &StoreLocation) {
    let mut store = Store::open(location).expect("a new history");
    assert_eq!(store.runs(&RunFilter::default()).expect("runs"), []);
    let kept: Vec<RunId> = (1..=4)
        .map(|version| store.keep(&ledgers::run(70, version as f64, version)).expect("kept"))
        .collect();
    assert_eq!(kept, [1, 2, 3, 4].map(RunId));
    let new = ledgers::run(70, 2.0, 2);
    let run = store.run(RunId(2)).expect("the second run");
    assert_eq!(run.facts, new.facts);
    assert_eq!((run.total, run.app), (new.figures.total, new.figures.app));
    // 70 methods of 2 to 140 µJ beside half a joule of the system.
    let of_app = run.app.expect("the app's energy").joules;
    assert!((of_app - Joules::new(70.0 * 71.0 * 1e-6)).abs().value() < 1e-9, "{of_app:?}");
    let file = store.ledger(RunId(2)).expect("its ledger");
    assert_eq!((file.ledger, file.facts), (new.ledger.clone(), Some(new.facts.clone())));

    let components = store.component_history(APP, "cpu", Measure::App).expect("energies");
    assert_eq!(components.len(), 4);
    assert_eq!(components[&RunId(2)], run.app.expect("the app's energy"));
    let total = store.component_history(APP, "cpu", Measure::Total).expect("energies");
    assert_eq!(total[&RunId(2)], run.total.expect("a total"));
    assert_eq!(store.components(APP).expect("components"), ["cpu"]);

    let name = "com.example.news.Feed.mgc";
    let methods = store.method_history(APP, &|method| method == name).expect("a method");
    let [history] = methods.as_slice() else { panic!("{methods:?}") };
    assert_eq!(history.points.len(), 4);
    let RunFigures { methods, .. } = &new.figures;
    let expected = methods.iter().find(|it| it.name == name).expect("the method").own;
    let found = history.points[&RunId(2)];
    assert_eq!(found.calls, 3);
    assert!((found.own.joules - expected.joules).abs().value() < 1e-9);
    assert!((found.own.interval.high - expected.interval.high).abs().value() < 2e-9);
    let of_run = store.methods_of(RunId(3)).expect("methods");
    assert_eq!(of_run.len(), 71, "70 methods, and main");
    assert!(of_run.is_sorted_by(|a, b| a.own.joules >= b.own.joules));

    let filter = RunFilter { last: Some(2), ..RunFilter::of_app(APP) };
    let last: Vec<i64> = store.runs(&filter).expect("runs").iter().map(|run| run.id.0).collect();
    assert_eq!(last, [3, 4]);
    let filter = RunFilter { branch: Some("topic".to_owned()), ..RunFilter::default() };
    assert_eq!(store.runs(&filter).expect("runs"), []);
    let filter = RunFilter { device: Some("pixel".to_owned()), ..RunFilter::default() };
    assert_eq!(store.runs(&filter).expect("runs").len(), 4);
    assert_eq!(store.apps().expect("apps"), [(APP.to_owned(), 4)]);

    assert_eq!(store.delete(&[RunId(4), RunId(9)]).expect("deleted"), 1);
    assert!(matches!(store.run(RunId(4)), Err(StoreError::NoSuchRun { .. })));
    let methods = store.method_history(APP, &|method| method == name).expect("a method");
    assert_eq!(methods[0].points.len(), 3);
    // A number is never given again.
    let again = store.keep(&ledgers::run(3, 9.0, 9)).expect("kept");
    assert_eq!(again, RunId(5));
}

#[test]
fn a_folder_is_a_history() {
    let place = tempfile::tempdir().expect("a folder");
    let folder = place.path().join("a history #1, 100 %?");
    check_history(&StoreLocation::Folder(folder));
}

#[test]
fn the_same_ledger_is_stored_once_and_as_long_as_a_run_has_it() {
    let place = tempfile::tempdir().expect("a folder");
    let mut store = Store::open(&StoreLocation::Folder(place.path().to_owned())).expect("opened");
    let first = store.keep(&ledgers::run(10, 1.0, 1)).expect("kept");
    let second = store.keep(&ledgers::run(10, 1.0, 2)).expect("kept");
    let file = store.ledger_file(first).expect("a run").expect("a file");
    assert_eq!(store.ledger_file(second).expect("a run").as_ref(), Some(&file));
    let ledger = store.run(first).expect("a run").ledger;
    assert_eq!(store.run_with_ledger(APP, &ledger).expect("looked for"), Some(first));
    assert_eq!(store.run_with_ledger("com.other", &ledger).expect("looked for"), None);
    store.delete(&[first]).expect("deleted");
    assert_eq!(store.run_with_ledger(APP, &ledger).expect("looked for"), Some(second));
    assert!(file.is_file());
    store.ledger(second).expect("still whole");
    store.delete(&[second]).expect("deleted");
    assert!(!file.exists());
}

#[test]
fn a_run_without_an_app_is_of_the_device() {
    let place = tempfile::tempdir().expect("a folder");
    let mut store = Store::open(&StoreLocation::Folder(place.path().to_owned())).expect("opened");
    let mut ledger = ledgers::ledger(5, 1.0);
    ledger.recording.apps.clear();
    let new = wattle_store::NewRun::new(RunFacts::default(), &ledger).expect("bytes");
    let id = store.keep(&new).expect("kept");
    let run = store.run(id).expect("a run");
    assert_eq!((run.app, run.energy()), (None, ledger.total()));
    let of_device = RunFilter::of_app("");
    assert_eq!(store.runs(&of_device).expect("runs").len(), 1);
    let absent = AppBuild { package: "com.absent".to_owned(), ..AppBuild::default() };
    let facts = RunFacts { app: absent, ..RunFacts::default() };
    let new = wattle_store::NewRun::new(facts, &ledger).expect("bytes");
    assert_eq!(new.figures.app, None, "no data is not 0 J");
}

/// Runs that are kept under keys, by several programs at once.
pub fn check_keys(location: &StoreLocation) {
    let run = |number: usize| ledgers::run(20, 1.0 + number as f64, 1);
    let kept: Vec<RunId> = std::thread::scope(|scope| {
        let keep = |number| {
            move || {
                let mut store = Store::open(location).expect("opened");
                store.keep_once(&run(number), &format!("job:{}", number % 2)).expect("kept")
            }
        };
        let threads: Vec<_> = (0..6).map(|number| scope.spawn(keep(number))).collect();
        threads.into_iter().map(|it| it.join().expect("no panic")).collect()
    });
    assert_eq!((kept[0], kept[1]), (kept[2], kept[3]), "{kept:?}");
    assert_ne!(kept[0], kept[1]);
    let mut store = Store::open(location).expect("opened");
    assert_eq!(store.runs(&RunFilter::default()).expect("runs").len(), 2);
    store.delete(&[kept[0]]).expect("deleted");
    assert_eq!(store.keep_once(&run(9), "job:0").expect("asked"), kept[0], "it does not come back");
    assert_eq!(store.runs(&RunFilter::default()).expect("runs").len(), 1);
    // Ledgers of those that came too late are nobody's.
    store.sweep().expect("swept");
    assert_eq!(store.sweep().expect("swept"), 0);
    assert_eq!(check_all_whole(location), [kept[1].0]);
}

#[test]
fn a_key_is_of_one_run() {
    let place = tempfile::tempdir().expect("a folder");
    check_keys(&StoreLocation::Folder(place.path().to_owned()));
}

#[test]
fn a_copy_is_a_history_with_the_same_runs() {
    let (place, copy) = [(), ()].map(|()| tempfile::tempdir().expect("a folder")).into();
    let [from, to] =
        [&place, &copy].map(|it: &tempfile::TempDir| StoreLocation::Folder(it.path().to_owned()));
    let mut store = Store::open(&from).expect("opened");
    for version in 1..=3 {
        store.keep(&ledgers::run(20, version as f64, version)).expect("kept");
    }
    store.delete(&[RunId(2)]).expect("deleted");
    store.copy_to(copy.path()).expect("copied");
    store.keep(&ledgers::run(20, 9.0, 9)).expect("kept");
    assert_eq!(check_all_whole(&to), [1, 3]);
    assert!(store.copy_to(copy.path()).is_err(), "there is one already");
    assert_eq!(check_all_whole(&to), [1, 3]);
}
