//! Ledgers to export: put together by hand, at random, and of a simulated phone.

use proptest::prelude::*;
use wattle_export::{ExportOptions, Extract, Format, TableKind};
use wattle_ledger::{
    Account, AccountId, AttributionOptions, Booking, Charge, ComponentEntry, ComponentId,
    FrameClass, FrameEntry, Ledger, PackageEntry, PathEntry, PathId, PowerBins, PowerSeries,
    ProcessEntry, Stretch, ThreadEntry,
};
use wattle_power::{Component, ErrorGroup, ErrorGroupId, ErrorSource, SourceId};
use wattle_timeline::Window;
use wattle_units::{BootNanos, Joules, Nanos, Provenance, Watts};

pub fn window(start: i64, end: i64) -> Window {
    Window::new(BootNanos::new(start), BootNanos::new(end))
}

/// A ledger with two components, two processes and three threads, one of each without a name.
pub fn empty() -> Ledger {
    let mut ledger = Ledger::empty(window(1_000_000_000, 3_000_000_000));
    ledger.power.errors.groups.push(ErrorGroup { name: "g".into(), shared: 0.1, freedom: None });
    for name in ["big cores", "panel"] {
        ledger.power.errors.sources.push(ErrorSource {
            name: name.into(),
            group: ErrorGroupId(0),
            own: 0.05,
            meter: None,
            provenance: Provenance::Modelled,
        });
    }
    let component = |name| ComponentEntry { name, provenance: Provenance::Modelled };
    ledger.rows.components = vec![component(Component::Cpu), component(Component::Display)];
    let process = |pid, name: &str, package: Option<&str>| ProcessEntry {
        pid,
        name: name.to_owned(),
        package: package.map(str::to_owned),
        uid: None,
    };
    ledger.rows.processes = vec![
        process(Some(100), "com.example.shop", Some("com.example.shop")),
        process(None, "", None),
    ];
    let thread = |process, tid, name: &str| ThreadEntry {
        process,
        tid,
        name: name.to_owned(),
        cpu: Nanos::new(5_000_000),
    };
    ledger.rows.threads =
        vec![thread(0, 100, "main"), thread(0, 101, "pool;1\n"), thread(1, 7, "")];
    ledger.rows.packages = vec![PackageEntry { name: "com.example.game".into(), uid: 10_077 }];
    ledger
}

pub fn path(thread: u32, caller: Option<u32>, name: &str, frame: Option<u32>) -> PathEntry {
    PathEntry {
        thread,
        caller: caller.map(PathId),
        name: name.to_owned(),
        calls: u64::from(frame.is_none() && caller.is_some()),
        self_cpu: Nanos::new(1_000_000),
        probe_cpu: Nanos::ZERO,
        wall: Nanos::new(2_000_000),
        site: None,
        from_lines: Vec::new(),
        frame,
        samples: u64::from(frame.is_some()) * 3,
        clock_cpu: None,
    }
}

fn frame(class: FrameClass, function: Option<&str>, inlined: bool) -> FrameEntry {
    FrameEntry {
        class,
        function: function.map(str::to_owned),
        mapping: Some("/system/lib64/libshop.so".to_owned()),
        inlined,
        file: function.map(|_| "shop.cc".to_owned()),
        line: function.map(|name| name.len() as u32),
    }
}

/// Energies are (account, component, joules), in order; what a stack has and what not.
pub fn hand_made() -> Ledger {
    let mut ledger = empty();
    ledger.rows.frames = vec![
        frame(FrameClass::Truncated, None, false),
        frame(FrameClass::Native, Some("draw"), false),
        frame(FrameClass::Native, Some("blend"), true),
        frame(FrameClass::Native, Some("lerp"), true),
        frame(FrameClass::Kernel, Some("schedule"), false),
        frame(FrameClass::Unknown, None, false),
        frame(FrameClass::Unsampled, None, false),
    ];
    ledger.rows.paths = vec![
        path(0, None, "", None),
        path(0, Some(0), "Cart.sum", None),
        path(0, Some(1), "Cart.add \"one\"", None),
        path(1, None, "", None),
        path(1, Some(3), "[truncated]", Some(0)),
        path(1, Some(4), "draw", Some(1)),
        path(1, Some(5), "blend", Some(2)),
        path(1, Some(6), "lerp", Some(3)),
        path(1, Some(5), "schedule", Some(4)),
        path(1, Some(3), "[unknown] libshop.so", Some(5)),
        path(1, Some(3), "[not sampled]", Some(6)),
        path(2, None, "", None),
    ];
    let paths =
        (0..ledger.rows.paths.len() as u32).map(|path| Account::Path { path: PathId(path) });
    ledger.rows.accounts = paths.collect();
    ledger.rows.accounts.extend([
        Account::ProfilingOverhead { path: Some(PathId(2)) },
        Account::Interrupts { handler: "timer".into() },
        Account::App { uid: 10_077 },
        Account::IdleFloor,
        Account::Unattributed,
        Account::Recorder { path: PathId(11) },
    ]);
    let cpu = [0.1, 0.25, 1.0 / 3.0, 0.0, 1e-9, 0.7, 2e-10, 0.5, 0.04, 0.001, 0.02, 0.3];
    for (account, joules) in (0..).zip(cpu) {
        push(&mut ledger, account, 0, joules);
        if account % 4 == 1 {
            push(&mut ledger, account, 1, joules / 7.0);
        }
    }
    for (account, component, joules) in
        [(12, 0, 0.01), (13, 0, 0.02), (14, 1, 0.3), (15, 0, 1.5), (16, 1, 2.0), (17, 0, 0.05)]
    {
        push(&mut ledger, account, component, joules);
    }
    series(&mut ledger);
    ledger
}

pub fn push(ledger: &mut Ledger, account: u32, component: u16, joules: f64) {
    ledger.bookings.push(Booking {
        account: AccountId(account),
        component: ComponentId(component),
        charge: Charge::Core,
        source: SourceId(component),
        joules: Joules::new(joules),
    });
}

/// Each component's energy in two bins, a quarter and three quarters.
fn series(ledger: &mut Ledger) {
    let width = Nanos::new(1_000_000_000);
    ledger.over_time.bins = PowerBins { start: ledger.recording.window.start, width, count: 2 };
    for (index, component) in (0..).zip(&ledger.rows.components.clone()) {
        let of = |booking: &&Booking| booking.component == ComponentId(index);
        let sum: f64 = ledger.bookings.iter().filter(of).map(|b| b.joules.value()).sum();
        let power = vec![Watts::new(sum / 4.0), Watts::new(sum * 3.0 / 4.0)];
        ledger.over_time.series.push(PowerSeries { component: component.name.clone(), power });
    }
}

/// The same with the times of what its paths drew: each path's energy of the processor in two stretches, of which a tenth is not
/// placed, of the panel in one that overlaps.
pub fn with_stretches(mut ledger: Ledger) -> Ledger {
    let mut next = ledger.recording.window.start.value();
    let mut stretches = Vec::new();
    for booking in &ledger.bookings {
        let Account::Path { path } = ledger.rows.accounts[booking.account.0 as usize] else {
            continue;
        };
        let component = booking.component;
        if component.0 == 1 {
            let window = window(next - 500_000, next + 300_000);
            stretches.push(Stretch { path, component, window, joules: booking.joules });
            continue;
        }
        // Stretches hold what probes took from a path, as those of attribution do.
        let is_of_probes = |other: &&Booking| {
            let account = &ledger.rows.accounts[other.account.0 as usize];
            *account == Account::ProfilingOverhead { path: Some(path) }
                && other.component == component
        };
        let probes = ledger.bookings.iter().find(is_of_probes).map_or(Joules::ZERO, |b| b.joules);
        for part in [0.5, 0.4] {
            let window = window(next, next + 1_000_000);
            let joules = (booking.joules + probes) * part;
            stretches.push(Stretch { path, component, window, joules });
            next += 1_000_000;
        }
        next += 50_000;
    }
    stretches.sort_by_key(|stretch| stretch.window.start);
    ledger.over_time.stretches = stretches;
    ledger
}

/// Ledgers of any shape.
pub fn any_ledger() -> impl Strategy<Value = Ledger> {
    let paths = prop::collection::vec((0..3_u32, any::<prop::sample::Index>(), 0..8_u32), 0..30);
    let energies = prop::collection::vec(
        (any::<prop::sample::Index>(), 0..2_u16, prop_oneof![0.0..1e-8, 0.0..1e-4, 0.0..50.0]),
        0..60,
    );
    (paths, energies, any::<bool>()).prop_map(|(paths, energies, has_times)| {
        let mut ledger = empty();
        ledger.rows.frames = vec![
            frame(FrameClass::Native, Some("draw"), false),
            frame(FrameClass::Java, Some("tick"), true),
        ];
        let mut last = [0, 1, 2];
        ledger.rows.paths = (0..3).map(|thread| path(thread, None, "", None)).collect();
        for (thread, _, kind) in paths {
            // The caller is one of the thread's own.
            let caller = if kind % 3 == 0 { thread } else { last[thread as usize] };
            let names = ["a", "b;c", " ", "f 1", "", "é\n", "draw", "tick"];
            let frame = (kind < 2).then_some(kind);
            last[thread as usize] = ledger.rows.paths.len() as u32;
            ledger.rows.paths.push(path(thread, Some(caller), names[kind as usize], frame));
        }
        let paths =
            (0..ledger.rows.paths.len() as u32).map(|path| Account::Path { path: PathId(path) });
        ledger.rows.accounts = paths.collect();
        ledger.rows.accounts.extend([
            Account::ProfilingOverhead { path: Some(PathId(1)) },
            Account::Interrupts { handler: "timer 2".into() },
            Account::App { uid: 5 },
            Account::IdleFloor,
            Account::Unmetered,
        ]);
        let mut sums = std::collections::BTreeMap::new();
        for (account, component, joules) in energies {
            let account = account.index(ledger.rows.accounts.len()) as u32;
            *sums.entry((account, component)).or_insert(0.0) += joules;
        }
        for ((account, component), joules) in sums {
            push(&mut ledger, account, component, joules);
        }
        series(&mut ledger);
        if has_times { with_stretches(ledger) } else { ledger }
    })
}

/// The whole way from bytes to ledger, of a phone whose app draws news.
pub fn simulated() -> Ledger {
    let simulated = wattle_sim::Simulation::new(
        wattle_sim::PhoneSpec::pixel_like(),
        wattle_sim::scenario::news_app(Nanos::from_seconds(2.0)),
        1,
    )
    .unwrap()
    .run()
    .unwrap();
    let timeline = wattle_ingest::read_bytes("simulated.pftrace", &simulated.trace).unwrap();
    let mut power = wattle_power::PowerOptions::default();
    power
        .device_models
        .push(wattle_power::DeviceModel::parse("simulated.toml", &simulated.device_model).unwrap());
    let estimate = wattle_power::estimate(&timeline, &power).unwrap();
    let mut options = AttributionOptions::default();
    options.threads = 1;
    options.stretches = wattle_ledger::StretchDetail::All;
    wattle_ledger::attribute(&timeline, &estimate, &options).unwrap()
}

/// Returns the export of a ledger in a format.
pub fn export(ledger: &Ledger, format: Format, table: Option<TableKind>) -> Vec<u8> {
    let mut bytes = Vec::new();
    let options = ExportOptions { table, ..ExportOptions::default() };
    wattle_export::write(&Extract::whole(ledger), format, options, &mut bytes).unwrap();
    bytes
}

/// The ledger's total in joules.
pub fn total(ledger: &Ledger) -> f64 {
    ledger.total().map_or(0.0, |total| total.joules.value())
}
