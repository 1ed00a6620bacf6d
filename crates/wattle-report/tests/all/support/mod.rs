//! Ledgers made by hand, with sums that can be checked in one's head.
#![allow(dead_code, reason = "each test binary uses its part")]

pub mod code;
pub mod diagnosis;
pub mod over_time;
pub mod tracks;

use wattle_ledger::{
    Account, AccountId, ArtifactEntry, Booking, Charge, Closure, ComponentEntry, ComponentId,
    CoverageEntry, CpuEntry, Ledger, PathEntry, PathId, PowerBins, PowerSeries, ProbeCostEntry,
    ProbeOverhead, ProcessEntry, SiteEntry, TestBooking, TestEntry, TestMethodEntry, ThreadEntry,
};
use wattle_power::{
    BatterySummary, Component, DrainedBy, ErrorGroup, ErrorGroupId, ErrorSource, Meter, ModelFacts,
    ModelSpread, RailSummary, SourceId,
};
use wattle_report::{Report, ReportError, ReportOptions};
use wattle_timeline::{
    ArtifactQuality, ClockAlignment, DeviceFacts, Note, Severity, SiteKind, Window,
};
use wattle_units::{BootNanos, Estimate, Interval, Joules, Nanos, Provenance, Watts};

/// The name that must never become markup.
pub const HOSTILE: &str =
    "</script><script>document.title='owned'</script><img src=x onerror=alert(1)>";

pub const LITTLE: SourceId = SourceId(0);
pub const BIG: SourceId = SourceId(1);
pub const STATIC: SourceId = SourceId(2);
pub const DISPLAY: SourceId = SourceId(3);
pub const GPU: SourceId = SourceId(4);

pub const CPU_COMPONENT: ComponentId = ComponentId(0);
pub const DISPLAY_COMPONENT: ComponentId = ComponentId(1);
pub const GPU_COMPONENT: ComponentId = ComponentId(2);

/// A ledger that grows by calls.
pub struct Builder {
    pub ledger: Ledger,
}

impl Builder {
    pub fn new(seconds: f64) -> Self {
        let start = BootNanos::new(1_000_000_000);
        let window = Window::new(start, start + Nanos::from_seconds(seconds));
        Self { ledger: Ledger::empty(window) }
    }

    pub fn process(&mut self, pid: u32, name: &str, package: Option<&str>, uid: u32) -> u32 {
        self.ledger.rows.processes.push(ProcessEntry {
            pid: Some(pid),
            name: name.to_owned(),
            package: package.map(str::to_owned),
            uid: Some(uid),
        });
        self.ledger.rows.processes.len() as u32 - 1
    }

    pub fn thread(&mut self, process: u32, tid: u32, name: &str, cpu_ms: i64) -> u32 {
        let cpu = Nanos::new(cpu_ms * 1_000_000);
        self.ledger.rows.threads.push(ThreadEntry { process, tid, name: name.to_owned(), cpu });
        self.ledger.rows.threads.len() as u32 - 1
    }

    /// A path, with its own CPU time and its wall time in milliseconds.
    pub fn path(
        &mut self,
        thread: u32,
        caller: Option<PathId>,
        name: &str,
        calls: u64,
        [self_cpu, wall]: [i64; 2],
    ) -> PathId {
        self.ledger.rows.paths.push(PathEntry {
            site: None,
            from_lines: Vec::new(),
            frame: None,
            samples: 0,
            clock_cpu: None,
            thread,
            caller,
            name: name.to_owned(),
            calls,
            self_cpu: Nanos::new(self_cpu * 1_000_000),
            probe_cpu: Nanos::ZERO,
            wall: Nanos::new(wall * 1_000_000),
        });
        PathId(self.ledger.rows.paths.len() as u32 - 1)
    }

    pub fn account(&mut self, account: Account) -> AccountId {
        self.ledger.rows.accounts.push(account);
        AccountId(self.ledger.rows.accounts.len() as u32 - 1)
    }

    pub fn book(
        &mut self,
        account: AccountId,
        component: ComponentId,
        charge: Charge,
        source: SourceId,
        joules: f64,
    ) {
        let joules = Joules::new(joules);
        self.ledger.bookings.push(Booking { account, component, charge, source, joules });
    }

    pub fn pay(&mut self, path: PathId, charge: Charge, source: SourceId, joules: f64) {
        let account = self.account(Account::Path { path });
        self.book(account, CPU_COMPONENT, charge, source, joules);
    }

    /// Components, sources, device and model of a Pixel 6a.
    pub fn pixel(&mut self) {
        let ledger = &mut self.ledger;
        ledger.recording.has_scheduler = true;
        ledger.recording.device = DeviceFacts {
            model: Some("Pixel 6a".into()),
            codename: Some("bluejay".into()),
            soc: Some("Tensor".into()),
            sdk: Some(32),
            ..DeviceFacts::default()
        };
        ledger.recording.artifacts.push(ArtifactEntry {
            name: "startup.perfetto-trace".into(),
            format: "perfetto".into(),
            bytes: 2_037_208,
        });
        ledger.rows.components = vec![
            ComponentEntry { name: Component::Cpu, provenance: Provenance::Modelled },
            ComponentEntry { name: Component::Display, provenance: Provenance::Measured },
            ComponentEntry { name: Component::Gpu, provenance: Provenance::Assumed },
        ];
        let groups = [("policy 0", 0.05), ("policy 6", 0.05), ("display", 0.0), ("gpu", 0.3)];
        for (name, shared) in groups {
            let name = name.to_owned();
            ledger.power.errors.add_group(ErrorGroup { name, shared, freedom: None });
        }
        let meter = ledger.power.errors.add_meter(Meter {
            name: "VSYS_PWR_DISPLAY".into(),
            error: 0.02,
            group: None,
        });
        let sources = [
            ("policy 0 at 1.8 GHz", 0, None, Provenance::Modelled),
            ("policy 6 at 2.8 GHz", 1, None, Provenance::Modelled),
            ("policy 0 leakage", 0, None, Provenance::Modelled),
            ("display", 2, Some(meter), Provenance::Measured),
            ("gpu", 3, None, Provenance::Assumed),
        ];
        for (name, group, meter, provenance) in sources {
            ledger.power.errors.add_source(ErrorSource {
                name: name.to_owned(),
                group: ErrorGroupId(group),
                own: 0.01,
                meter,
                provenance,
            });
        }
        ledger.power.model = Some(ModelFacts {
            kind: "curves".into(),
            name: "Tensor".into(),
            chosen: "soc \"Tensor\" of the trace".into(),
            reason: None,
            source: "Perfetto Wattson, Apache-2.0".into(),
            provenance: Provenance::Modelled,
            version: 1,
        });
    }

    fn extras(&mut self) {
        let ledger = &mut self.ledger;
        ledger.rows.cpus = vec![
            CpuEntry {
                cpu: 0,
                joules_by_source: vec![(LITTLE, Joules::new(0.5))],
                busy: Some(Nanos::new(2_100_000_000)),
                is_virtual: false,
            },
            CpuEntry {
                cpu: 6,
                joules_by_source: vec![(BIG, Joules::new(2.9))],
                busy: Some(Nanos::new(1_700_000_000)),
                is_virtual: false,
            },
        ];
        ledger.power.rails = vec![RailSummary {
            name: "VSYS_PWR_DISPLAY".into(),
            label: Some("display".into()),
            component: Component::Display,
            joules: Joules::new(3.0),
            modelled: Some(modelled(3.3)),
            covered_s: 9.9,
            samples: 40,
            mended: 0,
            booked: true,
        }];
        ledger.power.battery = Some(BatterySummary {
            by: DrainedBy::Battery,
            drained: Estimate {
                joules: Joules::new(8.0),
                interval: Interval { low: Joules::new(7.0), high: Joules::new(9.0) },
                provenance: Provenance::Measured,
            },
            accounted: modelled(7.2),
            discharging: Nanos::new(9_000_000_000),
            covered: Nanos::new(10_000_000_000),
            reading: "current in µA, negative while discharging".into(),
        });
        let model = ledger.power.model.clone().expect("a model");
        for (name, kind, joules) in
            [("Tensor", "curves", 4.0), ("bluejay power_profile.xml", "profile", 2.6)]
        {
            ledger.power.spread.push(ModelSpread {
                model: ModelFacts { name: name.into(), kind: kind.into(), ..model.clone() },
                cpu: Estimate {
                    joules: Joules::new(joules),
                    interval: Interval {
                        low: Joules::new(joules * 0.9),
                        high: Joules::new(joules * 1.1),
                    },
                    provenance: Provenance::Modelled,
                },
            });
        }
        ledger.closure.push(Closure {
            component: Component::Cpu,
            booked: Joules::new(4.2),
            integrated: Joules::new(4.2),
            error: 2e-16,
        });
        let mut artifact = ArtifactQuality {
            name: "startup.perfetto-trace".into(),
            format: "perfetto".into(),
            bytes: 2_037_208,
            records: 11_000,
            ..ArtifactQuality::default()
        };
        artifact.events.insert("sched_switch".into(), 11_086);
        artifact.unread.insert("field 97".into(), 3);
        artifact.notes.push(
            Note::new(Severity::Warning, "truncated", "the last packet is cut off").at(2_037_000),
        );
        ledger.quality.artifacts.push(artifact);
        ledger.quality.notes.push(Note::new(
            Severity::Info,
            "carried-back",
            "the first frequency of cpu 0 was carried back 12 ms",
        ));
    }

    /// Power over time that goes up and down.
    pub fn series(&mut self, bins: u32) {
        let window = self.ledger.recording.window;
        let width = Nanos::new(window.duration().value() / i64::from(bins));
        self.ledger.over_time.bins = PowerBins { start: window.start, width, count: bins };
        let names: Vec<_> = self.ledger.rows.components.iter().map(|c| c.name.clone()).collect();
        for (nth, component) in names.into_iter().enumerate() {
            let watts = |bin: u32| {
                let phase = f64::from(bin) / f64::from(bins) * 25.0 + nth as f64;
                Watts::new(
                    (0.4 + 0.25 * phase.sin() + 0.15 * (phase * 7.3).cos()) / (nth as f64 + 1.0),
                )
            };
            let power = (0..bins).map(watts).collect();
            self.ledger.over_time.series.push(PowerSeries { component, power });
        }
    }
}

/// A small phone: 7.8 J in 10 s.
///
/// | who | core | shared | wake | other |
/// |---|---|---|---|---|
/// | com.example.app main | 2.0 | 0.2 | 0.1 | |
/// | com.example.app RenderThread | 0.6 | 0.1 | | |
/// | its isolated process | 0.1 | | | |
/// | com.example.app by uid (gpu) | | | | 0.4 |
/// | system_server | 0.5 | | | |
/// | the hostile one | 0.2 | | | |
/// | idle floor | | 0.3 | | |
/// | irq 17 / wake without a task | 0.2 / | | 0.1 | |
/// | unattributed display | | | | 3.0 |
pub fn phone() -> Ledger {
    let mut b = Builder::new(10.0);
    b.pixel();
    let app = b.process(4321, "com.example.app", Some("com.example.app"), 10_123);
    let main = b.thread(app, 4321, "main", 1500);
    let render = b.thread(app, 4350, "RenderThread", 400);
    let isolated =
        b.process(4400, "com.example.app:sandboxed_process0:org.chromium.Service0", None, 99_001);
    let sandbox = b.thread(isolated, 4400, "CrRendererMain", 90);
    let system = b.process(1500, "system_server", Some("android"), 1000);
    let binder = b.thread(system, 1533, "binder:1500_3", 310);
    let hostile = b.process(6666, HOSTILE, None, 10_200);
    let evil = b.thread(hostile, 6666, "\u{1b}[2J\u{202e}evil 電力", 80);
    let quiet = b.process(7777, "quiet", None, 10_201);
    b.thread(quiet, 7777, "quiet", 3);

    let root = b.path(main, None, "", 1, [100, 0]);
    b.pay(root, Charge::Core, BIG, 0.2);
    let frame = b.path(main, Some(root), "Choreographer#doFrame", 120, [300, 1200]);
    b.pay(frame, Charge::Core, BIG, 0.3);
    b.pay(frame, Charge::WakeTransition, BIG, 0.1);
    let layout = b.path(main, Some(frame), "layout", 120, [500, 800]);
    b.pay(layout, Charge::Core, BIG, 0.7);
    let nested = b.path(main, Some(layout), "layout", 40, [400, 400]);
    b.pay(nested, Charge::Core, BIG, 0.5);
    let measure = b.path(main, Some(nested), HOSTILE, 7, [200, 200]);
    b.pay(measure, Charge::Core, LITTLE, 0.3);
    b.pay(measure, Charge::Shared, STATIC, 0.2);

    let root = b.path(render, None, "", 1, [0, 0]);
    let draw = b.path(render, Some(root), "DrawFrames", 118, [400, 900]);
    b.pay(draw, Charge::Core, BIG, 0.6);
    b.pay(draw, Charge::Shared, STATIC, 0.1);

    for (thread, source, joules) in [(sandbox, LITTLE, 0.1), (binder, BIG, 0.5), (evil, BIG, 0.2)] {
        let root = b.path(thread, None, "", 1, [0, 0]);
        b.pay(root, Charge::Core, source, joules);
    }
    let idle = b.account(Account::IdleFloor);
    b.book(idle, CPU_COMPONENT, Charge::Shared, STATIC, 0.3);
    let irq = b.account(Account::Interrupts { handler: "irq 17 <ufshcd>".into() });
    b.book(irq, CPU_COMPONENT, Charge::Core, LITTLE, 0.2);
    let wake = b.account(Account::Interrupts { handler: "wake without a task".into() });
    b.book(wake, CPU_COMPONENT, Charge::WakeTransition, LITTLE, 0.1);
    let gpu = b.account(Account::App { uid: 10_123 });
    b.book(gpu, GPU_COMPONENT, Charge::Device, GPU, 0.4);
    let nobody = b.account(Account::Unattributed);
    b.book(nobody, DISPLAY_COMPONENT, Charge::Device, DISPLAY, 3.0);
    b.extras();
    b.series(400);
    b.ledger
}

/// An app of 1 J: 0.1 J of its collector, 0.2 J of its compiler, on its main thread 0.3 J of start with 0.05 J of verifying
/// in it, of which the GPU drew 0.02 J, and 0.35 J of its own; and a service that collects garbage for 0.4 J.
pub fn runtime_phone() -> Ledger {
    let mut b = Builder::new(2.0);
    b.pixel();
    let app = b.process(10, "com.example.app", Some("com.example.app"), 10_001);
    let service = b.process(20, "system_server", None, 1_000);
    for (process, tid, name, joules) in [
        (app, 11, "HeapTaskDaemon", 0.1),
        (app, 12, "Jit thread pool", 0.2),
        (service, 21, "HeapTaskDaemon", 0.4),
    ] {
        let thread = b.thread(process, tid, name, 10);
        let root = b.path(thread, None, "", 0, [10, 0]);
        b.pay(root, Charge::Core, LITTLE, joules);
    }
    let main = b.thread(app, 10, "main", 60);
    let root = b.path(main, None, "", 0, [30, 0]);
    let start = b.path(main, Some(root), "bindApplication", 1, [20, 30]);
    let verify = b.path(main, Some(start), "VerifyClass com.example.Main", 1, [10, 10]);
    b.pay(root, Charge::Core, BIG, 0.35);
    b.pay(start, Charge::Core, BIG, 0.28);
    b.pay(verify, Charge::Core, BIG, 0.05);
    let account = b.account(Account::Path { path: start });
    b.book(account, GPU_COMPONENT, Charge::Device, GPU, 0.02);
    b.ledger
}

/// The same phone with a recording of tests and probes: 1.1 J more.
///
/// | who | joules |
/// |---|---|
/// | probes in the app's frames | 0.3 |
/// | the probes' own thread in the app | 0.2 |
/// | the poller | 0.6 |
pub fn recorded_phone() -> Ledger {
    let mut b = Builder { ledger: phone() };
    let drain = b.thread(0, 4360, "wattle-probes", 90);
    let poller = b.process(9000, "sh", None, 2000);
    let poll = b.thread(poller, 9000, "sh", 250);
    for (thread, joules) in [(drain, 0.2), (poll, 0.6)] {
        let path = b.path(thread, None, "", 1, [0, 0]);
        let account = b.account(Account::Recorder { path });
        b.book(account, CPU_COMPONENT, Charge::Core, LITTLE, joules);
    }
    let frame = Some(PathId(1));
    let account = b.account(Account::ProfilingOverhead { path: frame });
    b.book(account, CPU_COMPONENT, Charge::Core, BIG, 0.3);
    b.ledger.rows.paths[1].probe_cpu = Nanos::new(150_000_000);
    let ms = |ms: i64| Nanos::new(ms * 1_000_000);
    b.ledger.sheets.probes = Some(ProbeOverhead {
        events: 123_456,
        unpriced: 56,
        short_calls: 7,
        cpu: ms(150),
        costs: vec![ProbeCostEntry {
            pid: Some(4321),
            pair: Nanos::new(2000),
            low: Nanos::new(1800),
            high: Nanos::new(3000),
            inside: Nanos::new(900),
            pairs: 1000,
        }],
    });
    let start = b.ledger.recording.window.start;
    let tests = [
        ("com.example.FooTest#first", 0, "passed", 1000, 3000),
        ("com.example.FooTest#second", 0, "failed", 3500, 4500),
        ("com.example.FooTest#first", 1, "passed", 5000, 5000),
    ];
    for (name, iteration, outcome, from, until) in tests {
        b.ledger.test_runs.tests.push(TestEntry {
            name: name.into(),
            iteration,
            window: Window::new(start + ms(from), start + ms(until)),
            uncertainty: ms(5),
            outcome: outcome.into(),
            cut: iteration > 0,
        });
    }
    for (test, component, source, joules, own) in [
        (0, CPU_COMPONENT, LITTLE, 0.2, 0.1),
        (0, CPU_COMPONENT, BIG, 0.8, 0.6),
        (0, DISPLAY_COMPONENT, DISPLAY, 0.6, 0.0),
        (1, CPU_COMPONENT, BIG, 0.1, 0.1),
        (1, GPU_COMPONENT, GPU, 0.2, 0.2),
    ] {
        let (joules, own) = (Joules::new(joules), Joules::new(own));
        b.ledger.test_runs.bookings.push(TestBooking { test, component, source, joules, own });
    }
    b.ledger.quality.alignments.push(ClockAlignment {
        artifact: "logcat.txt".into(),
        clock: "realtime".into(),
        by: "/proc/uptime and date".into(),
        offset_ns: -1_700_000_000_500_000_000,
        drift_ppb: Some(-2500),
        residual_ns: Some(5_000_000),
        readings: 2,
    });
    b.ledger.quality.artifacts.push(ArtifactQuality {
        name: "logcat.txt".into(),
        format: "logcat".into(),
        records: 9900,
        lost_events: 100,
        ..ArtifactQuality::default()
    });
    b.ledger
}

/// A phone with seven tests of 2 s, of which one failed. Over the six others the app's mean power is 2650 mW / 6.
///
/// | test | app | mean | methods |
/// |---|---|---|---|
/// | `#idle` | 0.2 J | 100 mW | onCreate, bind, draw, the hostile one |
/// | `#list` | 0.2 J | 100 mW | onCreate, bind |
/// | `#sync` | 2.0 J, LITTLE | 1 W | onCreate, poll, send(int), draw |
/// | `#upload` | 1.6 J | 800 mW | onCreate, poll, send(long) |
/// | `#broken`, failed | 4.0 J | 2 W | onCreate, boom |
/// | `#menu` | 0.4 J | 200 mW | onCreate, bind |
/// | `#border` | 0.9 J | 450 mW | onCreate, poll |
pub fn suspects_phone() -> Ledger {
    let mut b = Builder::new(24.0);
    b.pixel();
    let app = b.process(4321, "com.example.app", Some("com.example.app"), 10_123);
    let main = b.thread(app, 4321, "main", 1500);
    let root = b.path(main, None, "", 1, [100, 0]);
    b.pay(root, Charge::Core, BIG, 6.3);
    for (class, method, descriptor) in [
        ("com.example.app.Main", "onCreate", "()V"),
        ("com.example.app.net.Sync", "poll", "()V"),
        ("com.example.app.net.Sync", "send", "(I)V"),
        ("com.example.app.net.Sync", "send", "(J)V"),
        ("com.example.app.ui.List", "bind", "()V"),
        ("com.example.app.ui.List$Row", "draw", "()V"),
        ("com.example.app.Crash", "boom", "()V"),
        (HOSTILE, "evil", "()V"),
    ] {
        b.ledger.rows.sites.push(SiteEntry {
            kind: SiteKind::Method,
            class: class.into(),
            method: method.into(),
            descriptor: Some(descriptor.into()),
            file: None,
            line: None,
            within: None,
            api: None,
        });
    }
    for (site, joules) in [(0, 0.5), (1, 2.0), (7, 0.1)] {
        let path = b.path(main, Some(root), "method", 1, [10, 10]);
        b.ledger.rows.paths[path.0 as usize].site = Some(site);
        b.pay(path, Charge::Core, BIG, joules);
    }
    let start = b.ledger.recording.window.start;
    let seconds = |seconds: u32| start + Nanos::from_seconds(f64::from(seconds));
    let tests: [(&str, &str, SourceId, f64, &[u32]); 7] = [
        ("idle", "passed", BIG, 0.2, &[0, 4, 5, 7]),
        ("list", "passed", BIG, 0.2, &[0, 4]),
        ("sync", "passed", LITTLE, 2.0, &[0, 1, 2, 5]),
        ("upload", "passed", BIG, 1.6, &[0, 1, 3]),
        ("broken", "failed", BIG, 4.0, &[0, 6]),
        ("menu", "passed", BIG, 0.4, &[0, 4]),
        ("border", "unknown", BIG, 0.9, &[0, 1]),
    ];
    for (at, (name, outcome, source, joules, methods)) in (0_u32..).zip(tests) {
        b.ledger.test_runs.tests.push(TestEntry {
            name: format!("com.example.app.AppTest#{name}"),
            iteration: 0,
            window: Window::new(seconds(3 * at), seconds(3 * at + 2)),
            uncertainty: Nanos::ZERO,
            outcome: outcome.into(),
            cut: false,
        });
        let (component, own) = (CPU_COMPONENT, Joules::new(joules));
        let all = Joules::new(joules + 0.5);
        b.ledger.test_runs.bookings.push(TestBooking {
            test: at,
            component,
            source,
            joules: all,
            own,
        });
        for site in methods {
            let calls = u64::from(site + 1);
            b.ledger.test_runs.methods.push(TestMethodEntry { test: at, site: *site, calls });
        }
    }
    for (class, methods, executed) in [
        ("com.example.app.Main", 5, 1),
        ("com.example.app.Unused", 7, 0),
        ("com.example.app.net.Sync", 4, 3),
        ("com.example.app.ui.List", 6, 1),
        ("com.example.app.ui.List$Row", 3, 1),
    ] {
        let class = class.into();
        b.ledger.sheets.coverage.push(CoverageEntry { class, methods, executed });
    }
    b.series(100);
    b.ledger
}

/// A phone that nothing was metered on and no model fits: CPU time only.
pub fn no_energy() -> Ledger {
    let mut ledger = phone();
    ledger.rows.components.clear();
    ledger.bookings.clear();
    ledger.rows.accounts.clear();
    ledger.over_time.series.clear();
    ledger.power.rails.clear();
    ledger.power.spread.clear();
    ledger.closure.clear();
    ledger.power.battery = None;
    ledger.power.model = None;
    for cpu in &mut ledger.rows.cpus {
        cpu.joules_by_source.clear();
    }
    ledger.quality.notes.push(Note::new(
        Severity::Warning,
        "no-device-model",
        "no device model has 7 clusters like this device",
    ));
    ledger
}

/// A busy minute: as many threads and call paths as asked for, energies falling off as they do in life.
pub fn busy(threads: u32, paths: u32) -> Ledger {
    busy_for(60.0, threads, paths)
}

/// The same for so many seconds.
pub fn busy_for(seconds: f64, threads: u32, paths: u32) -> Ledger {
    let mut b = Builder::new(seconds);
    b.pixel();
    let mut seed = 42_u64;
    let mut random = move || {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) as u32
    };
    let mut roots = Vec::new();
    for nth in 0..threads {
        let process = if nth % 12 == 0 {
            let name = format!("com.example.application{}.service:remote", nth / 12);
            b.process(1000 + nth, &name, None, 10_000 + nth / 12)
        } else {
            b.ledger.rows.processes.len() as u32 - 1
        };
        let thread = b.thread(process, 1000 + nth, &format!("DefaultDispatcher-worker-{nth}"), 60);
        let root = b.path(thread, None, "", 1, [50, 0]);
        roots.push(root);
        b.pay(root, Charge::Core, LITTLE, 0.3 / f64::from(nth + 1));
    }
    let mut open: Vec<PathId> = roots;
    for nth in 0..paths {
        // Callers near the end of the list make deep stacks.
        let recent = (random() as usize) % 64.min(open.len());
        let caller = if random() % 4 == 0 {
            open[(random() as usize) % open.len()]
        } else {
            open[open.len() - 1 - recent]
        };
        let thread = b.ledger.rows.paths[caller.0 as usize].thread;
        let name =
            format!("androidx.compose.runtime.Recomposer.performRecompose_{}", random() % 5000);
        let path = b.path(thread, Some(caller), &name, u64::from(random() % 100), [1, 3]);
        open.push(path);
        let joules = 20.0 / f64::from(nth + 20);
        b.pay(path, Charge::Core, if nth % 2 == 0 { BIG } else { LITTLE }, joules * 0.8);
        b.pay(path, Charge::Shared, STATIC, joules * 0.2);
    }
    let nobody = b.account(Account::Unattributed);
    b.book(nobody, DISPLAY_COMPONENT, Charge::Device, DISPLAY, 60.0);
    b.extras();
    b.series(6000);
    b.ledger
}

/// A modelled energy, ten per cent sure.
pub fn modelled(joules: f64) -> Estimate {
    let joules = Joules::new(joules);
    let interval = Interval { low: joules / 1.1, high: joules * 1.1 };
    Estimate { joules, interval, provenance: Provenance::Modelled }
}

/// The JSON form of a ledger's report.
pub fn json(ledger: &Ledger, options: &ReportOptions) -> Result<serde_json::Value, ReportError> {
    wattle_report::json(&Report::new(ledger, options))
}

/// A ledger's report in the terminal.
pub fn terminal(ledger: &Ledger, options: &ReportOptions) -> String {
    wattle_report::terminal(&Report::new(ledger, options), options)
}

/// A ledger's report as a page.
pub fn html(ledger: &Ledger, options: &ReportOptions) -> Result<String, ReportError> {
    wattle_report::html(ledger, &Report::new(ledger, options))
}

/// Writes a page for the browser.
pub fn write_page(name: &str, page: &str) -> std::path::PathBuf {
    let file = std::path::PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::create_dir_all(file.parent().expect("a folder")).expect("a folder");
    std::fs::write(&file, page).expect("a file");
    file
}

/// Checks a text of a page.
#[track_caller]
pub fn check_shown(found: &str, expected: &str) {
    // Narrow spaces keep a unit at its number; a true minus is one.
    let found = found.replace('\u{202f}', " ").replace('−', "-");
    assert!(found.contains(expected), "found {found:?}, expected {expected:?}");
}
