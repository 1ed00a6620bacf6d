//! Small ledgers that are whole: they have entries, intervals and a closure, and pass the check of whoever loads them.

use wattle_ledger::{
    Account, AccountId, Booking, Charge, Closure, ComponentEntry, ComponentId, Ledger, PathEntry,
    PathId, ProcessEntry, ThreadEntry,
};
use wattle_power::{Component, ErrorGroup, ErrorSource};
use wattle_store::{AppBuild, CodeVersion, NewRun, RunFacts};
use wattle_timeline::Window;
use wattle_units::{BootNanos, Joules, Nanos, Provenance};

/// The app of these ledgers.
pub const APP: &str = "com.example.news";

/// A run of an app with so many methods below `main`, of which method `i` used `(i + 1) * scale` microjoules itself.
pub fn ledger(methods: u32, scale: f64) -> Ledger {
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
    for name in [APP, "system_server"] {
        let process = ProcessEntry { pid: None, name: name.to_owned(), package: None, uid: None };
        ledger.rows.processes.push(process);
    }
    for process in 0..2 {
        let thread =
            ThreadEntry { process, tid: process, name: "main".to_owned(), cpu: Nanos::ZERO };
        ledger.rows.threads.push(thread);
    }
    let path = |name: &str, thread: u32, caller: Option<u32>| PathEntry {
        thread,
        caller: caller.map(PathId),
        name: name.to_owned(),
        calls: 3,
        self_cpu: Nanos::ZERO,
        probe_cpu: Nanos::ZERO,
        wall: Nanos::ZERO,
        site: None,
        from_lines: Vec::new(),
        frame: None,
        samples: 0,
        clock_cpu: None,
    };
    ledger.rows.paths = vec![path("", 0, None), path("main", 0, Some(0)), path("", 1, None)];
    for number in 0..methods {
        let name = format!("com.example.news.Feed.{}", letters(number));
        ledger.rows.paths.push(path(&name, 0, Some(1)));
    }
    let mut sum = 0.0;
    let mut book = |ledger: &mut Ledger, path: u32, joules: f64| {
        let account = AccountId(ledger.rows.accounts.len() as u32);
        ledger.rows.accounts.push(Account::Path { path: PathId(path) });
        let (component, joules) = (ComponentId(0), Joules::new(joules));
        ledger.bookings.push(Booking { account, component, charge: Charge::Core, source, joules });
        sum += joules.value();
    };
    // The system's own part, beside the app.
    book(&mut ledger, 2, 0.5);
    for number in 0..methods {
        book(&mut ledger, number + 3, f64::from(number + 1) * scale * 1e-6);
    }
    let (booked, integrated) = (Joules::new(sum), Joules::new(sum));
    ledger.closure = vec![Closure { component: Component::Cpu, booked, integrated, error: 0.0 }];
    ledger
}

/// A name without digits: those are folded.
pub fn letters(mut number: u32) -> String {
    let mut name = String::from("m");
    loop {
        name.push(char::from(b'a' + (number % 26) as u8));
        number /= 26;
        if number == 0 {
            return name;
        }
    }
}

/// A run with that ledger, of a version and a commit.
pub fn run(methods: u32, scale: f64, version: u64) -> NewRun {
    let facts = RunFacts {
        app: AppBuild {
            version_name: Some(format!("1.{version}")),
            version_code: Some(version),
            ..AppBuild::default()
        },
        code: CodeVersion {
            commit: Some(format!("{version:040x}")),
            branch: Some("main".to_owned()),
            dirty: Some(false),
        },
        ..RunFacts::default()
    };
    NewRun::new(facts, &ledger(methods, scale)).expect("a ledger has bytes")
}
