//! Ledgers whose paths have places in an app's code, and sheets of what the framework costs.

use wattle_ledger::{
    ApiCostEntry, ApiEntry, ApiTableEntry, CallQuantiles, CallStats, Charge, Ledger, PathId,
    SiteEntry,
};
use wattle_power::ApiMatch;
use wattle_timeline::SiteKind;
use wattle_units::{Estimate, Interval, Joules, Provenance};

use super::{BIG, Builder, LITTLE};

impl Builder {
    /// A method of the app.
    pub fn method(&mut self, class: &str, method: &str, descriptor: &str, line: u32) -> u32 {
        let file = class.rsplit('.').next().expect("a class").split('$').next().expect("a file");
        self.ledger.rows.sites.push(SiteEntry {
            kind: SiteKind::Method,
            class: class.into(),
            method: method.into(),
            descriptor: Some(descriptor.into()),
            file: Some(format!("{file}.java")),
            line: Some(line),
            within: None,
            api: None,
        });
        self.ledger.rows.sites.len() as u32 - 1
    }

    /// A call of an API of the sheet, which stands in a method.
    pub fn call(&mut self, api: u32, within: Option<u32>, line: Option<u32>) -> u32 {
        let entry = &self.ledger.sheets.apis.apis[api as usize];
        let file = within.and_then(|site| self.ledger.rows.sites[site as usize].file.clone());
        self.ledger.rows.sites.push(SiteEntry {
            kind: SiteKind::Call,
            class: entry.class.clone(),
            method: entry.method.clone(),
            descriptor: entry.descriptor.clone(),
            file,
            line,
            within,
            api: Some(api),
        });
        self.ledger.rows.sites.len() as u32 - 1
    }

    /// A table of costs, as that of 2014: assumed.
    pub fn table(&mut self, name: &str) -> u32 {
        self.ledger.sheets.apis.tables.push(ApiTableEntry {
            name: name.into(),
            source: "a test".into(),
            provenance: Provenance::Assumed,
            methods: 806,
            greedy_above: Some(Joules::new(0.005)),
        });
        self.ledger.sheets.apis.tables.len() as u32 - 1
    }

    /// A method of the framework, with joules a call, half to twice as much, or of no known cost.
    pub fn api(&mut self, name: &str, cost: Option<f64>) -> u32 {
        let (class, method) = name.rsplit_once('.').expect("class and method");
        self.ledger.sheets.apis.apis.push(ApiEntry {
            class: class.into(),
            method: method.into(),
            descriptor: Some("()V".into()),
            calls: 0,
            cost: cost.map(|joules| ApiCostEntry {
                per_call: Estimate {
                    joules: Joules::new(joules),
                    interval: Interval {
                        low: Joules::new(joules / 2.0),
                        high: Joules::new(joules * 2.0),
                    },
                    provenance: Provenance::Assumed,
                },
                matched: ApiMatch::Exact,
                signature: format!("{name}()"),
                table: 0,
                greedy: joules > 0.005,
            }),
        });
        self.ledger.sheets.apis.apis.len() as u32 - 1
    }

    /// A path of a place, called from those lines of its caller; it pays joules of its own.
    pub fn at(
        &mut self,
        site: u32,
        (thread, caller): (u32, PathId),
        calls: u64,
        from_lines: &[u32],
        joules: f64,
    ) -> PathId {
        let entry = &self.ledger.rows.sites[site as usize];
        let (name, api) = (format!("{}.{}", entry.class, entry.method), entry.api);
        let path = self.path(thread, Some(caller), &name, calls, [1, 2]);
        let entry = &mut self.ledger.rows.paths[path.0 as usize];
        entry.site = Some(site);
        entry.from_lines = from_lines.to_vec();
        if let Some(api) = api {
            self.ledger.sheets.apis.apis[api as usize].calls += calls;
        }
        if joules > 0.0 {
            self.pay(path, Charge::Core, BIG, joules);
        }
        path
    }
}

/// An app that shows toasts and reads a file: 10 J in 10 s.
///
/// | path | calls | self |
/// |---|---|---|
/// | main (root) | | 0.5 |
/// | · `Main.onCreate` | 1 | 1.0 |
/// | · · line 14 `Toast.makeText` (8 mJ) | 50 | 2.0 |
/// | · · line 15 `Toast.show` (0.5 mJ) | 50 | 0.5 |
/// | · · line 20 `Main.load(I)` | 2 | 1.0 |
/// | · · · line 33 `File.read`, no known cost | 6 | 0.5 |
/// | · · · line 36 `Main.load(I)` again | 4 | 0.5 |
/// | · · · · line 33 `File.read` | 2 | 0.25 |
/// | · · line 21 or 22 `Main.load(J)` | 1 | 0.25 |
/// | · · trace section `inflate` | 1 | 1.5 |
/// | worker (root) | | 0 |
/// | · `Main.load(I)` | 3 | 1.0 |
/// | · line 8 in `Tiny.tick`, which has no probes, `Log.i` (0.1 mJ) | 10 | 0.5 |
/// | of another process: root | | 0.5 |
pub fn app() -> Ledger {
    let mut b = Builder::new(10.0);
    b.pixel();
    let app = b.process(4321, "com.example.app", Some("com.example.app"), 10_123);
    let main = b.thread(app, 4321, "main", 1500);
    let worker = b.thread(app, 4330, "worker", 500);
    let other = b.process(1500, "system_server", Some("android"), 1000);
    let binder = b.thread(other, 1533, "binder:1500_3", 310);

    b.table("linares-vasquez-2014");
    let make_text = b.api("android.widget.Toast.makeText", Some(0.008));
    let show = b.api("android.widget.Toast.show", Some(0.0005));
    let read = b.api("java.io.File.read", None);
    let log = b.api("android.util.Log.i", Some(0.0001));
    let on_create = b.method("com.example.Main", "onCreate", "(Landroid/os/Bundle;)V", 10);
    let load = b.method("com.example.Main", "load", "(I)V", 30);
    let load_long = b.method("com.example.Main", "load", "(J)V", 40);
    let tick = b.method("com.example.util.Tiny", "tick", "()V", 5);
    let make_text = b.call(make_text, Some(on_create), Some(14));
    let show = b.call(show, Some(on_create), Some(15));
    let read = b.call(read, Some(load), Some(33));
    let log = b.call(log, Some(tick), Some(8));

    let root = b.path(main, None, "", 1, [10, 0]);
    b.pay(root, Charge::Core, LITTLE, 0.5);
    let created = b.at(on_create, (main, root), 1, &[], 1.0);
    b.at(make_text, (main, created), 50, &[], 2.0);
    b.at(show, (main, created), 50, &[], 0.5);
    let loaded = b.at(load, (main, created), 2, &[20], 1.0);
    b.at(read, (main, loaded), 6, &[], 0.5);
    let again = b.at(load, (main, loaded), 4, &[36], 0.5);
    b.at(read, (main, again), 2, &[], 0.25);
    b.at(load_long, (main, created), 1, &[21, 22], 0.25);
    let inflate = b.path(main, Some(created), "inflate", 1, [1, 2]);
    b.pay(inflate, Charge::Core, BIG, 1.5);

    let root = b.path(worker, None, "", 1, [0, 0]);
    b.at(load, (worker, root), 3, &[], 1.0);
    b.at(log, (worker, root), 10, &[], 0.5);
    let root = b.path(binder, None, "", 1, [0, 0]);
    b.pay(root, Charge::Core, BIG, 0.5);

    let quantiles = |p50: f64, p95: f64, max: f64| {
        let [p50, p95, max] = [p50, p95, max].map(Joules::new);
        Some(CallQuantiles { p50, p95, max })
    };
    b.ledger.sheets.call_stats.push(CallStats {
        site: Some(load),
        name: "com.example.Main.load".into(),
        calls: 5,
        joules: quantiles(0.5, 0.9, 1.0),
        api_joules: None,
    });
    b.series(50);
    b.ledger
}

/// Nothing but what tables of costs know.
pub fn without_energy(mut ledger: Ledger) -> Ledger {
    ledger.rows.components.clear();
    ledger.bookings.clear();
    ledger.rows.accounts.clear();
    ledger.over_time.series.clear();
    ledger.power.model = None;
    ledger
}

/// The ten methods of Orka's Fig. 6: joules a call, calls.
pub const FIGURE_6: [(&str, f64, u64); 10] = [
    ("readLapFormatPrefFlags", 0.008_552, 1),
    ("setUpGesture", 0.005_364, 1),
    ("resetClockAndViews", 0.005_257, 1),
    ("onCreate", 0.003_412, 2),
    ("onClick", 0.001_688, 5),
    ("createNewLap", 0.001_418, 1),
    ("buildDateFormatDOWmedium", 0.001_239, 1),
    ("handleMessage", 0.001_037, 150),
    ("readSettings", 0.000_113, 1),
    ("stopwatch", 0.000_071, 1),
];

/// That figure's app: each method makes one call into the framework that costs what the figure says, and, if asked for, was seen
/// to draw as much.
pub fn figure_6(with_energy: bool) -> Ledger {
    let mut b = Builder::new(60.0);
    b.pixel();
    let app = b.process(77, "de.anstop", Some("de.anstop"), 10_077);
    let main = b.thread(app, 77, "main", 100);
    let root = b.path(main, None, "", 1, [0, 0]);
    b.table("linares-vasquez-2014");
    // In the order of the alphabet: no order of the figure is there before it is asked for.
    let mut methods = FIGURE_6;
    methods.sort_by_key(|(name, ..)| *name);
    for (name, mean, calls) in methods {
        let api = b.api(&format!("android.test.Framework.{name}"), Some(mean));
        let method = b.method("de.anstop.Anstop", name, "()V", 1);
        let call = b.call(api, Some(method), Some(2));
        let path = b.at(method, (main, root), calls, &[], mean * calls as f64);
        b.at(call, (main, path), calls, &[], 0.0);
    }
    if with_energy { b.ledger } else { without_energy(b.ledger) }
}
