//! Properties of every recording, however odd.

use std::collections::BTreeMap;

use crate::common::{Phone, lines};
use proptest::prelude::*;
use wattle_ledger::{Account, ApiSets, AttributionOptions, Charge, Ledger, SharedPolicy};
use wattle_power::Scope;
use wattle_timeline::{
    CodeSite, CpuId, InterruptKind, SchedSlices, SiteId, SiteKind, SliceOrigin, Steps, ThreadId,
    Uid,
};
use wattle_units::{CompensatedSum, Joules};

const END: i64 = 400;

/// Lengths of stretches that follow each other, and what each is.
fn row<T: std::fmt::Debug>(
    what: impl Strategy<Value = T>,
    longest: i64,
) -> impl Strategy<Value = Vec<(i64, T)>> {
    prop::collection::vec((0..longest, what), 0..25)
}

/// (start, end, what) of stretches that follow each other.
fn stretches<T: Clone>(row: &[(i64, T)]) -> Vec<(i64, i64, T)> {
    let mut now = 0;
    row.iter()
        .map(|(length, what)| {
            let start = now;
            now += length;
            (start, now, what.clone())
        })
        .collect()
}

#[derive(Clone, Debug)]
struct Cpu {
    /// `None`: a gap.
    sched: Vec<(i64, Option<u8>)>,
    idle: Vec<(i64, i8)>,
    interrupts: Vec<(i64, i64, bool, u8)>,
    online: Vec<(i64, bool)>,
    power: Vec<(i64, u8)>,
}

fn cpu() -> impl Strategy<Value = Cpu> {
    (
        row(prop::option::weighted(0.8, 0_u8..5), 60),
        prop_oneof![Just(Vec::new()), row(-1_i8..2, 60)],
        prop::collection::vec((0..END, 0_i64..40, any::<bool>(), 0_u8..3), 0..6),
        prop_oneof![3 => Just(Vec::new()), 1 => row(any::<bool>(), 200)],
        row(0_u8..4, 90),
    )
        .prop_map(|(sched, idle, mut interrupts, online, power)| {
            interrupts.sort_unstable();
            Cpu { sched, idle, interrupts, online, power }
        })
}

/// (scope, power): scopes 0 and 1 are sets of cores.
type Track = (u8, Vec<(i64, u8)>);

fn phone() -> impl Strategy<Value = Phone> {
    (
        prop::collection::vec(cpu(), 1..4),
        prop::collection::vec(
            prop::collection::vec((0..END, 0_i64..150, 0_u8..3, 0_u16..4), 0..12),
            0..5,
        ),
        prop_oneof![3 => Just(Vec::new()), 1 => row(any::<bool>(), 200)],
        prop::collection::vec((0_u8..11, row(0_u8..4, 90)), 0..5),
        prop::collection::vec((0..END, 0_i64..100, 0_u32..3), 0..6),
    )
        .prop_map(|(cpus, calls, suspended, tracks, gpu)| {
            build(&cpus, calls, &suspended, &tracks, gpu)
        })
}

fn build(
    cpus: &[Cpu],
    calls: Vec<Vec<(i64, i64, u8, u16)>>,
    suspended: &[(i64, bool)],
    tracks: &[Track],
    mut gpu: Vec<(i64, i64, u32)>,
) -> Phone {
    let mut phone = Phone::new(cpus.len(), END);
    for name in ["app", "other", "traced", "kworker"] {
        phone.thread(name);
    }
    for process in phone.timeline.tasks.processes.iter_mut().take(2) {
        process.uid = Some(Uid(10_001));
    }
    for (index, cpu) in cpus.iter().enumerate() {
        for (start, end, thread) in stretches(&cpu.sched) {
            if let Some(thread) = thread {
                phone.runs(index, &[(start, end, ThreadId(u32::from(thread)))]);
            }
        }
        for (start, _, state) in stretches(&cpu.idle) {
            phone.idles(index, &[(start, state)]);
        }
        for (start, length, hard, name) in &cpu.interrupts {
            let kind = if *hard { InterruptKind::Hard } else { InterruptKind::Soft };
            let name = ["timer", "wlan0", "RCU"][usize::from(*name)];
            phone.interrupt(index, kind, *start, start + length, name);
        }
        for (start, _, online) in stretches(&cpu.online) {
            phone.timeline.cpus[index].online.push(crate::common::at(start), online);
        }
        phone.core(index as u32, &power(&cpu.power));
    }
    for (thread, mut slices) in (1..).map(ThreadId).zip(calls) {
        slices.sort_unstable();
        let names = ["draw", "load", "parse"];
        let slices: Vec<_> = slices
            .into_iter()
            .map(|(start, length, name, depth)| {
                let end = if length == 149 { i64::MAX } else { start + length };
                (start, end, names[usize::from(name)], depth)
            })
            .collect();
        // Some threads have two rows.
        let (one, other) = slices.split_at(slices.len() / 3 * usize::from(thread.0 % 2 == 0));
        phone.calls(thread, other);
        if !one.is_empty() {
            phone.calls(thread, one);
        }
    }
    for (start, _, asleep) in stretches(suspended) {
        phone.timeline.suspend.suspended.push(crate::common::at(start), asleep);
    }
    gpu.sort_unstable();
    let periods: Vec<_> = gpu.into_iter().map(|(s, length, uid)| (s, s + length, uid)).collect();
    phone.gpu_work(0, &periods);
    let all: Box<[CpuId]> = (0..cpus.len() as u32).map(CpuId).collect();
    for (scope, row) in tracks {
        let (component, scope) = match scope {
            0 => ("cpu", Scope::Cores(all.clone())),
            1 => ("cpu", Scope::Cores(Box::new([CpuId(0)]))),
            2 => ("cpu", Scope::Cores(Box::new([CpuId(0), CpuId(9)]))),
            3 => ("gpu", Scope::Gpu(0)),
            4 => ("display", Scope::Device),
            5 => ("display", Scope::Unexplained),
            6 => ("display", Scope::App(Uid(10_001))),
            7 => ("display", Scope::Tail(Uid(10_001))),
            8 => ("radio", Scope::Device),
            9 => ("radio", Scope::Floor),
            _ => ("memory", Scope::Suspended),
        };
        phone.draws(component, scope, &power(row));
    }
    phone
}

fn power(row: &[(i64, u8)]) -> Vec<(i64, f64)> {
    stretches(row).iter().map(|(_, end, watts)| (*end, f64::from(*watts) * 0.37)).collect()
}

/// A phone whose slices are made by all there is, with tests, and what a pair of probes costs.
fn probed_phone() -> impl Strategy<Value = Phone> {
    let test = (0..END, 0_i64..200);
    (
        phone(),
        prop::collection::vec(0_usize..4, 1..9),
        (0_i64..30, 0_i64..30),
        prop::collection::vec(test, 0..6),
    )
        .prop_map(|(mut phone, origins, (inside, outside), tests)| {
            let kinds = [
                SliceOrigin::Recorded,
                SliceOrigin::ProbedMethod,
                SliceOrigin::ProbedCall,
                SliceOrigin::Recorder,
            ];
            let origins = origins.iter().map(|origin| kinds[*origin]).cycle();
            phone.timeline.code.slices.origin =
                origins.take(phone.timeline.code.slices.len()).collect();
            phone.probes_cost(inside + outside, inside);
            for (nth, (start, length)) in tests.into_iter().enumerate() {
                phone.test(&format!("test {nth}"), start, start + length);
            }
            phone
        })
}

/// Microjoules of threads and of what probes took from them, as if it had not been taken.
fn untaken(ledger: &Ledger) -> BTreeMap<(String, String, String), f64> {
    let mut sums = BTreeMap::new();
    for ((account, component, charge), joules) in lines(ledger) {
        let account = account.strip_prefix("probes ").unwrap_or(&account).to_owned();
        *sums.entry((account, component, charge)).or_default() += joules;
    }
    sums
}

/// By component: what was drawn, and what threads and apps drew of it.
fn drawn(ledger: &Ledger) -> BTreeMap<u16, [f64; 2]> {
    let mut sums: BTreeMap<u16, [f64; 2]> = BTreeMap::new();
    for booking in &ledger.bookings {
        let sum = sums.entry(booking.component.0).or_default();
        sum[0] += booking.joules.value();
        let account = &ledger.rows.accounts[booking.account.0 as usize];
        if matches!(account, Account::Path { .. } | Account::App { .. }) {
            sum[1] += booking.joules.value();
        }
    }
    sums
}

/// By thread and names of paths from the outermost: calls, and on-CPU, probes' and wall time.
type ByNames<'a> = BTreeMap<(u32, Vec<&'a str>), (u64, i64, i64, i64)>;

/// Rows of paths, by their names.
fn by_names(ledger: &Ledger) -> ByNames<'_> {
    let mut names: Vec<Vec<&str>> = Vec::new();
    let mut sums = ByNames::new();
    for path in &ledger.rows.paths {
        let mut of_path = path.caller.map_or_else(Vec::new, |it| names[it.0 as usize].clone());
        of_path.push(path.name.as_str());
        let sum = sums.entry((path.thread, of_path.clone())).or_default();
        sum.0 += path.calls;
        sum.1 += path.self_cpu.value();
        sum.2 += path.probe_cpu.value();
        sum.3 += path.wall.value();
        names.push(of_path);
    }
    sums
}

/// Uses of a display and of memory, so that all kinds of users occur.
fn api_sets() -> ApiSets {
    let sets = "format = 'wattle-low-level-apis/1'
        [[set]]
        name = 'transfer'
        kind = 'transfer'
        components = ['display']
        calls = ['load', 'pa*']
        [[set]]
        name = 'session'
        kind = 'session'
        components = ['radio']
        start = ['load', 'draw']
        stop = ['parse', 'draw']";
    ApiSets::parse("test", sets).expect("sets")
}

fn options(shared: SharedPolicy, threads: usize) -> AttributionOptions {
    let mut options = AttributionOptions::default();
    options.shared = shared;
    options.threads = threads;
    options.bins = 7;
    options.api_sets = api_sets();
    options
}

fn sum(joules: impl Iterator<Item = Joules>) -> f64 {
    joules.map(Joules::value).collect::<CompensatedSum>().value()
}

#[track_caller]
fn close(one: f64, other: f64) {
    assert!((one - other).abs() <= 1e-12 + 1e-9 * one.abs().max(other.abs()), "{one} != {other}");
}

/// On-CPU nanoseconds by thread and the energy each thread paid for cores, from the phone's own parts: one
/// nanosecond-free microsecond at a time, without any of the algorithms under test.
fn by_brute_force(phone: &Phone) -> (BTreeMap<u32, i64>, f64) {
    let mut cpu_time: BTreeMap<u32, i64> = BTreeMap::new();
    let mut idle_floor = 0.0;
    for (index, cpu) in phone.timeline.cpus.iter().enumerate() {
        for time in 0..END {
            let now = crate::common::at(time);
            let runs = cpu.sched.iter().find(|slice| slice.window.contains(now));
            let handler = cpu.interrupts.iter().any(|slice| slice.window.contains(now));
            let asleep = phone.timeline.suspend.suspended.at(now) == Some(true);
            let idle = cpu.idle.at(now).is_some_and(|state| !state.is_active());
            if let Some(slice) = runs
                && !slice.thread.is_idle()
                && !handler
                && !asleep
            {
                *cpu_time.entry(slice.thread.0).or_default() += 1000;
            }
            if asleep || idle {
                idle_floor += phone
                    .estimate
                    .tracks
                    .iter()
                    .filter(|track| track.scope == Scope::Core(CpuId(index as u32)))
                    .map(|track| track.energy(crate::common::window(time, time + 1)).value())
                    .sum::<f64>();
            }
        }
    }
    (cpu_time, idle_floor)
}

/// Interrupts that overlap without nesting are cut to nest, which brute force does not know of.
fn interrupts_nest(phone: &Phone) -> bool {
    phone.timeline.cpus.iter().all(|cpu| {
        let all: Vec<_> = cpu.interrupts.iter().collect();
        all.iter().enumerate().all(|(i, one)| {
            all[i + 1..].iter().all(|other| {
                other.window.start >= one.window.end || other.window.end <= one.window.end
            })
        })
    })
}

fn core_idle_floor(ledger: &Ledger) -> f64 {
    sum(ledger
        .bookings
        .iter()
        .filter(|booking| {
            booking.charge == Charge::Core
                && ledger.rows.accounts[booking.account.0 as usize] == Account::IdleFloor
        })
        .map(|booking| booking.joules))
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_ledger_closes_and_books_nothing_below_zero(phone in phone()) {
        for policy in SharedPolicy::ALL {
            let ledger = phone.attribute(&options(policy, 1));
            for (component, closure) in ledger.rows.components.iter().zip(&ledger.closure) {
                let tracks = phone.estimate.tracks.iter().filter(|t| t.component == component.name);
                close(sum(tracks.map(|t| t.energy(phone.timeline.window))), closure.booked.value());
            }
            prop_assert!(ledger.bookings.iter().all(|booking| booking.joules >= Joules::ZERO));
            // Power over time holds the same energy.
            for series in &ledger.over_time.series {
                let id = ledger.rows.components.iter().position(|c| c.name == series.component);
                let booked = ledger.bookings.iter().filter(|b| Some(usize::from(b.component.0)) == id);
                let binned = (0_u32..).zip(&series.power).map(|(index, power)| {
                    let start = ledger.over_time.bins.width.value() * i64::from(index);
                    let width = ledger.over_time.bins.width.value().min(END * 1000 - start);
                    power.value() * width as f64 * 1e-9
                });
                close(binned.sum(), sum(booked.map(|b| b.joules)));
            }
        }
    }

    #[test]
    fn places_split_paths_and_change_no_sum(
        phone in probed_phone(),
        sites in prop::collection::vec(prop::option::of(0_usize..5), 1..20),
    ) {
        let ungrouped = phone.attribute(&options(SharedPolicy::Proportional, 1));
        let mut placed = phone;
        let site = |index: Option<usize>| index.and_then(SiteId::new);
        let slices = &mut placed.timeline.code.slices;
        slices.site = sites.iter().copied().map(site).cycle().take(slices.len()).collect();
        for nth in 0..5 {
            let names = &mut placed.timeline.names;
            placed.timeline.code.sites.sites.push(CodeSite {
                kind: if nth == 0 { SiteKind::Method } else { SiteKind::Call },
                class: names.intern("a.B"),
                method: names.intern("c"),
                descriptor: None,
                file: None,
                line: Some(nth),
                within: SiteId::new(0).filter(|_| nth > 0),
            });
        }
        let grouped = placed.attribute(&options(SharedPolicy::Proportional, 2));
        let (one, other) = (lines(&ungrouped), lines(&grouped));
        prop_assert_eq!(one.keys().collect::<Vec<_>>(), other.keys().collect::<Vec<_>>());
        for (key, joules) in &one {
            close(*joules, other[key]);
        }
        prop_assert_eq!(by_names(&ungrouped), by_names(&grouped));
    }

    #[test]
    fn the_number_of_workers_changes_no_bit(phone in probed_phone()) {
        let one = phone.attribute(&options(SharedPolicy::Proportional, 1));
        for threads in [2, 5] {
            prop_assert_eq!(&one, &phone.attribute(&options(SharedPolicy::Proportional, threads)));
        }
    }

    #[test]
    fn two_halves_are_the_whole(phone in phone(), cut in 0..=END) {
        for policy in SharedPolicy::ALL {
            let whole = lines(&phone.attribute(&options(policy, 1)));
            let mut halves: BTreeMap<_, f64> = BTreeMap::new();
            for (start, end) in [(0, cut), (cut, END)] {
                let mut options = options(policy, 1);
                options.window = Some(crate::common::window(start, end));
                for (line, joules) in lines(&phone.attribute(&options)) {
                    *halves.entry(line).or_default() += joules;
                }
            }
            prop_assert_eq!(whole.keys().collect::<Vec<_>>(), halves.keys().collect::<Vec<_>>());
            for (one, other) in whole.values().zip(halves.values()) {
                close(*one, *other);
            }
        }
    }

    #[test]
    fn policies_move_only_shared_power(phone in phone()) {
        let unshared = |policy| {
            let mut lines = lines(&phone.attribute(&options(policy, 1)));
            lines.retain(|(_, _, charge), _| charge != "shared");
            lines
        };
        let one = unshared(SharedPolicy::Proportional);
        prop_assert_eq!(&one, &unshared(SharedPolicy::None));
        prop_assert_eq!(&one, &unshared(SharedPolicy::FirstWaker));
    }

    #[test]
    fn cpu_time_and_the_idle_floor_agree_with_brute_force(
        phone in phone().prop_filter("nested", interrupts_nest)
    ) {
        let ledger = phone.attribute(&options(SharedPolicy::Proportional, 1));
        let (cpu_time, idle_floor) = by_brute_force(&phone);
        let found: BTreeMap<u32, i64> = ledger
            .rows.threads
            .iter()
            .filter(|thread| thread.cpu.value() > 0)
            .map(|thread| (thread.tid - 100, thread.cpu.value()))
            .collect();
        prop_assert_eq!(found, cpu_time);
        // What idle states and suspend say is all on the floor; the idle task adds to it.
        prop_assert!(core_idle_floor(&ledger) >= idle_floor * (1.0 - 1e-9) - 1e-15);
        for thread in 0..ledger.rows.threads.len() as u32 {
            let paths = ledger.rows.paths.iter().filter(|path| path.thread == thread);
            let time: i64 = paths.map(|path| path.self_cpu.value()).sum();
            prop_assert_eq!(time, ledger.rows.threads[thread as usize].cpu.value());
        }
    }

    #[test]
    fn what_probes_take_is_moved_and_nothing_else(phone in probed_phone()) {
        let ledger = phone.attribute(&options(SharedPolicy::Proportional, 1));
        let mut without = phone.timeline.clone();
        without.code.slices.origin.clear();
        let plain = Phone { timeline: without, estimate: phone.estimate.clone() }
            .attribute(&options(SharedPolicy::Proportional, 1));
        prop_assert!(ledger.bookings.iter().all(|booking| booking.joules >= Joules::ZERO));
        let (found, expected) = (untaken(&ledger), untaken(&plain));
        prop_assert_eq!(found.keys().collect::<Vec<_>>(), expected.keys().collect::<Vec<_>>());
        for (one, other) in found.values().zip(expected.values()) {
            close(*one, *other);
        }
        let times = |ledger: &Ledger| -> Vec<i64> {
            let time = |path: &wattle_ledger::PathEntry| (path.self_cpu + path.probe_cpu).value();
            ledger.rows.paths.iter().map(time).collect()
        };
        prop_assert_eq!(times(&ledger), times(&plain));
        // Wake transitions are nobody's probes.
        for booking in &ledger.bookings {
            let account = &ledger.rows.accounts[booking.account.0 as usize];
            let is_probes = matches!(account, Account::ProfilingOverhead { .. });
            prop_assert!(booking.charge != Charge::WakeTransition || !is_probes);
        }
        let back = Ledger::from_bytes(&ledger.to_bytes().expect("written")).expect("read");
        prop_assert_eq!(back, ledger);
    }

    #[test]
    fn probes_take_no_more_than_they_cost(phone in probed_phone()) {
        let mut phone = phone;
        // A thread that a broken trace shows on two CPUs at once pays its probes on both.
        for cpu in phone.timeline.cpus.iter_mut().skip(1) {
            cpu.sched = SchedSlices::default();
        }
        for origin in &mut phone.timeline.code.slices.origin {
            if *origin == SliceOrigin::Recorder {
                *origin = SliceOrigin::ProbedMethod;
            }
        }
        let ledger = phone.attribute(&options(SharedPolicy::Proportional, 1));
        let pair = phone.timeline.code.probe_costs[0].pair.value();
        let slices = phone.timeline.code.slices.origin.iter();
        let probed = slices.filter(|origin| **origin != SliceOrigin::Recorded).count();
        let taken = ledger.sheets.probes.as_ref().map_or(0, |probes| probes.cpu.value());
        prop_assert!(taken <= pair * probed as i64, "{taken} of {probed} × {pair}");
    }

    #[test]
    fn a_test_draws_what_its_window_alone_draws(phone in probed_phone()) {
        for policy in SharedPolicy::ALL {
            let ledger = phone.attribute(&options(policy, 1));
            for (nth, test) in (0..).zip(&ledger.test_runs.tests) {
                let mut options = options(policy, 1);
                options.window = Some(test.window);
                let mut expected = drawn(&phone.attribute(&options));
                let mut found: BTreeMap<u16, [f64; 2]> = BTreeMap::new();
                for booking in ledger.test_runs.bookings.iter().filter(|booking| booking.test == nth) {
                    let sum = found.entry(booking.component.0).or_default();
                    sum[0] += booking.joules.value();
                    sum[1] += booking.own.value();
                }
                expected.retain(|_, sum| sum[0] != 0.0);
                found.retain(|_, sum| sum[0] != 0.0);
                prop_assert_eq!(
                    found.keys().collect::<Vec<_>>(), expected.keys().collect::<Vec<_>>()
                );
                for (found, expected) in found.values().zip(expected.values()) {
                    close(found[0], expected[0]);
                    close(found[1], expected[1]);
                }
            }
        }
    }

    #[test]
    fn the_only_call_of_a_name_draws_what_its_paths_draw(phone in probed_phone()) {
        let mut phone = phone;
        for cpu in &mut phone.timeline.cpus {
            // What a core draws while it wakes for a thread is the call's that the thread then is in.
            cpu.idle = Steps::default();
            cpu.online = Steps::default();
        }
        phone.timeline.suspend.suspended = Steps::default();
        let mut options = options(SharedPolicy::Proportional, 1);
        options.all_call_stats = true;
        options.api_sets = ApiSets::default();
        let ledger = phone.attribute(&options);
        for stats in &ledger.sheets.call_stats {
            prop_assert_eq!(stats.site, None);
            let of_name = || ledger.rows.paths.iter().filter(|path| path.name == stats.name);
            prop_assert!(stats.calls <= of_name().map(|path| path.calls).sum());
            let Some(joules) = stats.joules else { continue };
            prop_assert!(joules.p50 <= joules.p95 && joules.p95 <= joules.max);
            if stats.calls == 1 && of_name().map(|path| path.calls).sum::<u64>() == 1 {
                let is_inside = |path: wattle_ledger::PathId| {
                    let mut path = Some(path);
                    while let Some(entry) = path.map(|path| &ledger.rows.paths[path.0 as usize]) {
                        if entry.name == stats.name {
                            return true;
                        }
                        path = entry.caller;
                    }
                    false
                };
                let of_cores = ledger.bookings.iter().filter(|booking| {
                    let paid = match &ledger.rows.accounts[booking.account.0 as usize] {
                        Account::Path { path } => is_inside(*path),
                        _ => false,
                    };
                    paid && matches!(booking.charge, Charge::Core | Charge::Shared)
                });
                close(sum(of_cores.map(|booking| booking.joules)), joules.max.value());
            }
        }
    }

    #[test]
    fn a_file_gives_back_the_same_ledger(phone in phone()) {
        let ledger = phone.attribute(&options(SharedPolicy::Proportional, 1));
        let back = Ledger::from_bytes(&ledger.to_bytes().expect("written")).expect("read");
        prop_assert_eq!(back, ledger);
    }
}
