//! A project with a repository and a history of runs with known energies.

use std::path::{Path, PathBuf};
use std::process::Command;

use wattle_ledger::{
    Account, AccountId, Booking, Charge, Closure, ComponentEntry, ComponentId, Ledger, PathEntry,
    PathId, ProcessEntry, ThreadEntry,
};
use wattle_power::{Component, ErrorGroup, ErrorSource};
use wattle_store::{CodeVersion, NewRun, RunFacts, Store, StoreLocation};
use wattle_timeline::Window;
use wattle_units::{BootNanos, Joules, Nanos, Provenance};

pub const APP: &str = "com.example.news";

/// The file that ran.
pub const FEED: &str = "package com.example.news

class Feed(private val api: Api) {
    /** Loads the feed. */
    fun load(limit: Int): List<String> {
        val items = parse(api.fetch(limit), limit)
        return items.sorted()
    }

    private fun parse(text: String, limit: Int): List<String> {
        val all = text.split(\",\").map { it.trim() }
        return all.filter { it.isNotEmpty() }.take(limit)
    }

    fun refresh(force: Boolean): Int {
        return if (force || load(10).isEmpty()) load(20).size else 0
    }
}
";

/// A call path: its caller's place, its name, the lines it was called from, and its own joules.
pub type Call<'n> = (Option<u32>, &'n str, &'n [u32], f64);

/// The calls of a run, times a factor.
pub fn calls(scale: f64) -> Vec<(Option<u32>, String, Vec<u32>, f64)> {
    let all: [Call<'_>; 4] = [
        (None, "com.example.news.Feed.refresh", &[], 0.010),
        (Some(0), "com.example.news.Feed.load", &[], 0.020),
        (Some(1), "com.example.news.Feed.parse", &[6], 0.040 * scale),
        (None, "Choreographer#doFrame", &[], 0.005),
    ];
    all.map(|(caller, name, lines, joules)| (caller, name.to_owned(), lines.to_vec(), joules))
        .to_vec()
}

/// A ledger with these calls, which is whole: it has intervals and closes.
pub fn ledger(calls: &[(Option<u32>, String, Vec<u32>, f64)]) -> Ledger {
    let mut ledger = Ledger::empty(Window::new(BootNanos::new(0), BootNanos::new(2_000_000_000)));
    ledger.recording.apps = vec![APP.to_owned()];
    ledger.recording.device.model = Some("Pixel 6a".to_owned());
    let errors = &mut ledger.power.errors;
    let group = errors.add_group(ErrorGroup { name: "curve".into(), shared: 0.1, freedom: None });
    let source = errors.add_source(ErrorSource {
        name: "little".to_owned(),
        group,
        own: 0.0,
        meter: None,
        provenance: Provenance::Modelled,
    });
    ledger.rows.components =
        vec![ComponentEntry { name: Component::Cpu, provenance: Provenance::Modelled }];
    let name = APP.to_owned();
    ledger.rows.processes = vec![ProcessEntry { pid: None, name, package: None, uid: None }];
    let name = "main".to_owned();
    ledger.rows.threads = vec![ThreadEntry { process: 0, tid: 1, name, cpu: Nanos::ZERO }];
    let path = |name: &str, caller: Option<u32>, from_lines: &[u32]| PathEntry {
        thread: 0,
        caller: caller.map(PathId),
        name: name.to_owned(),
        calls: 3,
        self_cpu: Nanos::ZERO,
        probe_cpu: Nanos::ZERO,
        wall: Nanos::ZERO,
        site: None,
        from_lines: from_lines.to_vec(),
        frame: None,
        samples: 0,
        clock_cpu: None,
    };
    ledger.rows.paths = vec![path("", None, &[])];
    let mut sum = 0.0;
    for (number, (caller, name, lines, joules)) in calls.iter().enumerate() {
        ledger.rows.paths.push(path(name, Some(caller.map_or(0, |it| it + 1)), lines));
        let account = AccountId(number as u32);
        ledger.rows.accounts.push(Account::Path { path: PathId(number as u32 + 1) });
        let (component, joules) = (ComponentId(0), Joules::new(*joules));
        ledger.bookings.push(Booking { account, component, charge: Charge::Core, source, joules });
        sum += joules.value();
    }
    let (booked, integrated) = (Joules::new(sum), Joules::new(sum));
    ledger.closure = vec![Closure { component: Component::Cpu, booked, integrated, error: 0.0 }];
    ledger
}

/// A project in a folder of its own.
pub struct Project {
    pub folder: tempfile::TempDir,
}

impl Project {
    /// Five runs of a commit, and three of the next one, in which `parse` uses twice as much.
    pub fn new() -> Self {
        let project = Self { folder: tempfile::tempdir().expect("a folder") };
        project.git(&["init", "-q", "-b", "main"]);
        project.write(FEED);
        let first = project.commit("first");
        let second = project.commit("second");
        for (commit, scale, runs) in [(first, 1.0, 5), (second, 2.0, 3)] {
            for number in 0..runs {
                let scale = scale * (1.0 + 0.002 * f64::from(number));
                project.keep(&commit, number, &ledger(&calls(scale)));
            }
        }
        project
    }

    pub fn file(&self) -> PathBuf {
        self.folder.path().join("app/src/com/example/news/Feed.kt")
    }

    pub fn history(&self) -> PathBuf {
        self.folder.path().join("history")
    }

    pub fn write(&self, text: &str) {
        let file = self.file();
        std::fs::create_dir_all(file.parent().expect("a folder")).expect("a folder");
        std::fs::write(file, text).expect("written");
    }

    pub fn keep(&self, commit: &str, number: u32, ledger: &Ledger) {
        let mut facts = RunFacts {
            code: CodeVersion {
                commit: Some(commit.to_owned()),
                branch: Some("main".to_owned()),
                dirty: Some(false),
            },
            ..RunFacts::default()
        };
        facts.circumstances.scenario = Some("feed".to_owned());
        let seconds = i64::from(number) + i64::from(commit != self.head()) * -1000;
        facts.circumstances.started_ms = Some(1_790_000_000_000 + seconds * 1000);
        let mut store = Store::open(&StoreLocation::Folder(self.history())).expect("a history");
        store.keep(&NewRun::new(facts, ledger).expect("a run")).expect("kept");
        store.close().expect("closed");
    }

    pub fn head(&self) -> String {
        self.git(&["rev-parse", "HEAD"])
    }

    pub fn commit(&self, message: &str) -> String {
        self.git(&["add", "app"]);
        self.git(&[
            "-c",
            "user.name=Test",
            "-c",
            "user.email=test@example.com",
            "commit",
            "-q",
            "--allow-empty",
            "-m",
            message,
        ]);
        self.head()
    }

    fn git(&self, arguments: &[&str]) -> String {
        git(self.folder.path(), arguments)
    }
}

fn git(folder: &Path, arguments: &[&str]) -> String {
    let output = Command::new("git").arg("-C").arg(folder).args(arguments).output().expect("git");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).trim_end().to_owned()
}
