//! Kept runs of known energy.

use wattle_random::SplitMix64;
use wattle_store::{
    ComponentFigure, MethodFigure, NewRun, RunFacts, RunFigures, RunFilter, Store, StoreLocation,
};
use wattle_units::{Estimate, Interval, Joules, Provenance};

/// The app of all runs.
pub const APP: &str = "com.example.news";

/// A history in a folder of its own.
pub struct History {
    pub store: Store,
    _folder: tempfile::TempDir,
    random: SplitMix64,
    /// Milliseconds between two runs.
    clock: i64,
}

/// A version of which runs are kept.
#[derive(Clone)]
pub struct Version<'a> {
    pub commit: &'a str,
    pub branch: &'a str,
    pub name: &'a str,
    pub device: &'a str,
    pub scenario: &'a str,
    /// Its true energy in joules.
    pub joules: f64,
    /// The part of `Decoder.decode`, in joules.
    pub decode: f64,
}

impl Default for Version<'_> {
    fn default() -> Self {
        Self {
            commit: "c0ffee",
            branch: "main",
            name: "1.0",
            device: "Pixel 6a",
            scenario: "feed scroll",
            joules: 2.0,
            decode: 0.3,
        }
    }
}

/// An energy whose model is wrong by 20 % at most.
pub fn estimate(joules: f64) -> Estimate {
    let interval = Interval { low: Joules::new(joules * 0.8), high: Joules::new(joules * 1.2) };
    Estimate { joules: Joules::new(joules), interval, provenance: Provenance::Modelled }
}

impl History {
    pub fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let store = Store::open(&StoreLocation::Folder(folder.path().to_owned())).expect("opened");
        Self { store, _folder: folder, random: SplitMix64::new(20), clock: 1_760_000_000_000 }
    }

    /// Keeps so many runs of a version, which scatter by 1 %.
    pub fn keep(&mut self, version: &Version<'_>, runs: usize) {
        for _ in 0..runs {
            let joules = version.joules * (1.0 + 0.01 * self.random.normal());
            self.clock += 60_000;
            let mut facts = RunFacts::default();
            APP.clone_into(&mut facts.app.package);
            facts.app.version_name = Some(version.name.to_owned());
            facts.code.commit = Some(version.commit.to_owned());
            facts.code.branch = Some(version.branch.to_owned());
            facts.device.title = Some(version.device.to_owned());
            facts.device.key = Some(version.device.to_owned());
            facts.device.model_name = Some("Pixel".to_owned());
            facts.device.model_version = Some(1);
            facts.circumstances.scenario = Some(version.scenario.to_owned());
            facts.circumstances.started_ms = Some(self.clock);
            let method = |name: &str, own: f64| MethodFigure {
                name: name.to_owned(),
                calls: 3,
                own: estimate(own),
                total: estimate(own),
            };
            let component = |name: &str, joules: f64, is_app| ComponentFigure {
                name: name.to_owned(),
                is_app,
                energy: estimate(joules),
            };
            let figures = RunFigures {
                total: Some(estimate(joules + 1.0)),
                app: Some(estimate(joules)),
                components: vec![
                    component("cpu", joules * 0.75, true),
                    component("display", joules * 0.25, true),
                    component("cpu", joules, false),
                ],
                methods: vec![
                    method("com.example.news.Decoder.decode", version.decode),
                    method("com.example.news.Feed.bind", 0.2),
                ],
            };
            let ledger = format!("ledger {}", self.clock).into_bytes();
            self.store.keep(&NewRun { facts, figures, ledger }).expect("kept");
        }
    }

    /// Keeps versions `from..to`, each with three runs.
    pub fn keep_versions(&mut self, range: std::ops::Range<usize>, version: &Version<'_>) {
        for at in range {
            let commit = format!("{at:08x}");
            self.keep(&Version { commit: &commit, ..version.clone() }, 3);
        }
    }

    pub fn page(&mut self) -> wattle_report::HistoryPage {
        self.page_where(RunFilter::default())
    }

    pub fn page_where(&mut self, filter: RunFilter) -> wattle_report::HistoryPage {
        let request =
            wattle_history::PageRequest { app: APP, is_total: false, filter, budget: &|_| None };
        wattle_history::history_page(&mut self.store, &request).expect("a page")
    }
}
