//! Effects that no estimator knows: each moves the truth the way it must, and the energy still adds up.

use proptest::prelude::*;
use wattle_sim::{
    CurveErrors, Device, Effect, Effects, PhoneSpec, RailLoad, Simulated, Simulation, TraceSource,
    Truth, scenario,
};
use wattle_units::{Joules, Nanos};
use wattle_wire::Fields;

fn effects(list: &str) -> Effects {
    list.parse().unwrap()
}

fn run(list: &str, seed: u64, seconds: f64) -> Simulated {
    let length = Nanos::from_seconds(seconds);
    scenario::mixed_apps(&effects(list), length, seed).unwrap().run().unwrap()
}

fn news(effects: &Effects, seed: u64) -> Simulated {
    let workload = scenario::news_app(Nanos::from_seconds(1.0));
    let errors = CurveErrors { shared_sd: 0.1, own_sd: 0.04, specimens: 0 };
    let simulation =
        Simulation::with_errors(PhoneSpec::pixel_like(), workload, errors, seed).unwrap();
    simulation.with_effects(effects).run().unwrap()
}

/// Packets by field of `TracePacket`, and events by field of `FtraceEvent`; bundles that say that events were lost.
fn contents(trace: &[u8]) -> (Vec<u32>, Vec<u32>, usize) {
    let (mut packets, mut events, mut lost) = (Vec::new(), Vec::new(), 0);
    for packet in Fields::new(trace).map(Result::unwrap) {
        for field in Fields::new(packet.value.bytes()).map(Result::unwrap) {
            packets.push(field.number);
            if field.number != 1 {
                continue;
            }
            for entry in Fields::new(field.value.bytes()).map(Result::unwrap) {
                match entry.number {
                    2 => events.extend(
                        Fields::new(entry.value.bytes()).map(|it| it.unwrap().number).last(),
                    ),
                    3 => lost += 1,
                    _ => {}
                }
            }
        }
    }
    (packets, events, lost)
}

#[track_caller]
fn check_adds_up(simulated: &Simulated, phone: &PhoneSpec) {
    let truth = &simulated.truth;
    let equal = |what: &str, a: Joules, b: Joules| {
        let error = (a - b).abs().value();
        assert!(error <= 1e-9 * b.abs().value().max(1e-9), "{what}: {a:?} and {b:?}");
    };
    equal("accounts and hardware", truth.booked(), truth.total);
    for device in &truth.devices {
        let caused: Joules = device.processes.iter().map(|it| it.joules).sum();
        equal(device.device.name(), caused + device.base, device.total);
    }
    let seconds = truth.end - truth.start;
    for (rail, spec) in truth.rails.iter().zip(&phone.rails) {
        let loads = spec.loads.iter().map(|load| match load {
            RailLoad::Cluster(cluster) => truth.clusters[*cluster].total(),
            RailLoad::Device(device) => {
                truth.devices.iter().find(|it| it.device == *device).unwrap().total
            }
            RailLoad::Constant(power) => *power * seconds,
        });
        equal(&rail.name, rail.joules, loads.sum());
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn energy_adds_up_with_all_effects(seed in any::<u64>()) {
        check_adds_up(&run("all", seed, 1.5), &PhoneSpec::pixel_like().with_device_rails());
    }

    #[test]
    fn energy_adds_up_with_all_effects_on_any_phone(seed in any::<u64>()) {
        let phone = PhoneSpec::random(seed);
        let workload = scenario::random(&phone, Nanos::from_seconds(0.4), seed);
        let simulation = Simulation::new(phone.clone(), workload, seed).unwrap();
        check_adds_up(&simulation.with_effects(&Effects::all()).run().unwrap(), &phone);
    }
}

#[test]
fn without_effects_nothing_changes() {
    let plain = {
        let workload = scenario::news_app(Nanos::from_seconds(1.0));
        let errors = CurveErrors { shared_sd: 0.1, own_sd: 0.04, specimens: 0 };
        Simulation::with_errors(PhoneSpec::pixel_like(), workload, errors, 3)
            .unwrap()
            .run()
            .unwrap()
    };
    assert_eq!(news(&Effects::NONE, 3), plain);
    // A size of 0 is no effect either.
    assert_eq!(
        news(&effects("activity=0,binning=0,rail-gain=0,rail-offset=0,rail-lag=0"), 3),
        plain
    );
}

#[test]
fn effects_on_power_alone_leave_the_schedule_as_it_is() {
    let without = TraceSource::PowerRails.removed_from(&run("none", 4, 2.0).trace).unwrap();
    let with =
        TraceSource::PowerRails.removed_from(&run("activity,binning", 4, 2.0).trace).unwrap();
    // The battery's readings follow the power; everything else is the same to the byte.
    let others = |trace: &[u8]| -> Vec<Vec<u8>> {
        Fields::new(trace)
            .map(|packet| packet.unwrap().value.bytes().to_vec())
            .filter(|packet| {
                Fields::find(packet, 38).is_none() && Fields::find(packet, 35).is_none()
            })
            .collect()
    };
    assert_eq!(others(&with), others(&without));
}

/// Energy a second of each method that had a tenth of a second or more.
fn watts(truth: &Truth) -> Vec<f64> {
    let long = truth.methods.iter().filter(|it| it.self_cpu.seconds() > 0.1);
    long.map(|it| it.own.core.value() / it.self_cpu.seconds()).collect()
}

#[test]
fn activity_spreads_methods_by_its_size() {
    let spread = |list: &str| {
        let (plain, other) = (run("none", 6, 6.0), run(list, 6, 6.0));
        let (plain, other) = (watts(&plain.truth), watts(&other.truth));
        assert!(plain.len() == other.len() && plain.len() > 30, "{} methods", plain.len());
        let logs: Vec<f64> = plain.iter().zip(&other).map(|(a, b)| (b / a).ln()).collect();
        let mean = logs.iter().sum::<f64>() / logs.len() as f64;
        (logs.iter().map(|it| (it - mean).powi(2)).sum::<f64>() / logs.len() as f64).sqrt()
    };
    let (small, large) = (spread("activity=0.1"), spread("activity=0.3"));
    assert!((0.07..0.13).contains(&small), "{small}");
    assert!((0.21..0.39).contains(&large), "{large}");
}

#[test]
fn leakage_grows_with_its_size_where_it_is_warm() {
    let leaks = |list: &str| -> f64 {
        let truth = run(list, 2, 8.0).truth;
        truth.clusters.iter().map(|cluster| cluster.shared.value()).sum()
    };
    let [none, usual, large] = ["none", "leakage", "leakage=2.5"].map(leaks);
    // The reference is 40 °C; whichever side of it this run is on, a larger size goes further from 1.
    assert!(
        (large / none - 1.0).abs() > 1.5 * (usual / none - 1.0).abs(),
        "{none} {usual} {large}"
    );
    assert_eq!(leaks("leakage=1"), none);
    let (_, events, _) = contents(&run("leakage", 2, 2.0).trace);
    let readings = events.iter().filter(|field| **field == 341).count();
    // Three clusters and the skin, every 100 to 200 ms.
    assert!((36..=80).contains(&readings), "{readings}");
    assert!(!contents(&run("none", 2, 2.0).trace).1.contains(&341));
}

#[test]
fn contention_slows_code_and_memory_draws_by_misses() {
    let (free, busy) = (run("contention=0", 5, 5.0), run("contention=2", 5, 5.0));
    let time = |it: &Simulated, name: &str| -> (f64, u64) {
        let methods =
            it.truth.methods.iter().filter(|m| m.path.last().is_some_and(|it| it == name));
        methods.fold((0.0, 0), |sum, m| (sum.0 + m.self_cpu.seconds(), sum.1 + m.calls))
    };
    let names: std::collections::BTreeSet<String> =
        free.truth.methods.iter().filter_map(|m| m.path.last().cloned()).collect();
    let slower: Vec<f64> = names
        .iter()
        .map(|name| (time(&free, name), time(&busy, name)))
        .filter(|(a, b)| a.1 > 20 && b.1 > 20)
        .map(|(a, b)| (b.0 / b.1 as f64) / (a.0 / a.1 as f64))
        .collect();
    let mean = slower.iter().sum::<f64>() / slower.len() as f64;
    assert!(slower.len() > 10 && mean > 1.03, "{mean} of {}", slower.len());
    let memory = busy.truth.devices.iter().find(|it| it.device == Device::Memory).unwrap();
    assert!(memory.processes.len() > 3 && memory.total > memory.base * 1.2, "{memory:?}");
}

#[test]
fn the_shared_unit_and_changes_of_clock_cost_energy() {
    let [none, dsu, dvfs] = ["none", "dsu", "dvfs=20"].map(|list| run(list, 7, 3.0).truth);
    assert!(dsu.clusters[0].shared > none.clusters[0].shared * 1.2);
    assert_eq!(dsu.clusters[1], none.clusters[1]);
    let shared = |it: &Truth| it.clusters.iter().map(|it| it.shared).sum::<Joules>();
    assert!(shared(&dvfs) > shared(&none));
    assert!(!contents(&run("dsu", 7, 3.0).trace).1.contains(&541));
    assert!(contents(&run("dsu,dsu-events", 7, 3.0).trace).1.contains(&541));
}

#[test]
fn errors_of_the_monitor_are_in_its_counters_and_not_in_the_truth() {
    let off = |list: &str| -> Vec<f64> {
        let truth = run(list, 8, 4.0).truth;
        truth.rails.iter().map(|it| it.counted_joules / it.sampled_joules - 1.0).collect()
    };
    assert!(off("none").iter().all(|it| it.abs() < 1e-3));
    let gains = off("rail-gain=0.05");
    assert!(gains.iter().any(|it| it.abs() > 0.01) && gains.iter().all(|it| it.abs() < 0.25));
    let offsets = off("rail-offset=0.05");
    assert!(offsets.iter().any(|it| it.abs() > 0.01), "{offsets:?}");
    let (plain, lagging) = (run("none", 8, 4.0), run("rail-lag=1", 8, 4.0));
    for (a, b) in plain.truth.rails.iter().zip(&lagging.truth.rails) {
        assert!((a.joules / b.joules - 1.0).abs() < 1e-12, "{}", a.name);
    }
    assert_ne!(plain.trace, lagging.trace);
}

#[test]
fn binning_moves_clusters_together() {
    let ratios: Vec<[f64; 2]> = (0..24)
        .map(|seed| {
            let power = |list: &str| {
                let truth = run(list, seed, 0.5).truth;
                [0, 2].map(|it| truth.clusters[it].cores.iter().map(|it| it.value()).sum::<f64>())
            };
            let (plain, binned) = (power("none"), power("binning=0.1"));
            [0, 1].map(|it| (binned[it] / plain[it]).ln())
        })
        .collect();
    let sum = |of: fn(&[f64; 2]) -> f64| ratios.iter().map(of).sum::<f64>();
    let correlation =
        sum(|it| it[0] * it[1]) / (sum(|it| it[0] * it[0]) * sum(|it| it[1] * it[1])).sqrt();
    assert!(correlation > 0.3, "{correlation}");
    let sd = (sum(|it| it[0] * it[0]) / 24.0).sqrt();
    assert!((0.05..0.16).contains(&sd), "{sd}");
}

#[test]
fn devices_draw_by_what_processes_do() {
    let truth = run("devices", 9, 6.0).truth;
    for device in Device::ALL {
        let found = truth.devices.iter().find(|it| it.device == device).unwrap();
        assert!(!found.processes.is_empty() && found.total > found.base, "{device:?}");
    }
    let gpu = truth.devices.iter().find(|it| it.device == Device::Gpu).unwrap();
    // Graphics works for apps that draw.
    assert!(gpu.processes.iter().all(|it| it.process.starts_with("com.example.app")), "{gpu:?}");
    assert!(run("none", 9, 1.0).truth.devices.is_empty());
    assert!(contents(&run("devices", 9, 2.0).trace).1.contains(&488));
}

#[test]
fn counters_are_read_at_each_switch() {
    let simulated = run("counters", 10, 1.0);
    let (packets, ..) = contents(&simulated.trace);
    let samples = packets.iter().filter(|field| **field == 66).count();
    assert!(samples > 500 && packets.contains(&59), "{samples}");
    let mut before = std::collections::BTreeMap::new();
    for packet in Fields::new(&simulated.trace).map(Result::unwrap) {
        let Some(sample) = Fields::find(packet.value.bytes(), 66) else { continue };
        let cpu = Fields::find(sample.bytes(), 1).unwrap().uint();
        let counts: Vec<u64> = Fields::new(sample.bytes())
            .map(Result::unwrap)
            .filter(|field| field.number == 6 || field.number == 7)
            .map(|field| field.value.uint())
            .collect();
        assert_eq!(counts.len(), 4);
        let last = before.insert(cpu, counts.clone()).unwrap_or_else(|| vec![0; 4]);
        assert!(counts.iter().zip(&last).all(|(now, last)| now >= last));
        assert_eq!(counts[0], last[0] + 1);
    }
    // Without them the run is the same.
    let plain = run("none", 10, 1.0);
    assert_eq!(plain.truth.total, simulated.truth.total);
    assert!(
        !contents(&TraceSource::PerfSamples.removed_from(&simulated.trace).unwrap())
            .0
            .contains(&66)
    );
}

#[test]
fn lost_events_are_missing_and_said_to_be() {
    let (whole, lossy) = (run("none", 11, 3.0), run("lost=0.2", 11, 3.0));
    assert_eq!(contents(&whole.trace).2, 0);
    assert!(contents(&lossy.trace).2 > 5);
    assert!(contents(&lossy.trace).1.len() < contents(&whole.trace).1.len());
    assert_eq!(whole.truth.total, lossy.truth.total);
}

#[test]
fn the_recorder_disturbs() {
    let (quiet, busy) = (run("none", 12, 3.0), run("recorder=3", 12, 3.0));
    assert!(busy.truth.profiling_overhead() > quiet.truth.profiling_overhead() * 1.5);
}

#[test]
fn the_monitors_clock_drifts() {
    let raw = |list: &str| {
        let simulated = run(list, 13, 4.0);
        let clock = |snapshot: &[u8], id: u64| -> i64 {
            Fields::new(snapshot)
                .map(Result::unwrap)
                .filter(|field| field.number == 1)
                .find(|field| Fields::find(field.value.bytes(), 1).unwrap().uint() == id)
                .map(|field| Fields::find(field.value.bytes(), 2).unwrap().uint() as i64)
                .unwrap()
        };
        let offsets: Vec<i64> = Fields::new(&simulated.trace)
            .filter_map(|packet| Fields::find(packet.unwrap().value.bytes(), 6))
            .map(|snapshot| clock(snapshot.bytes(), 6) - clock(snapshot.bytes(), 5))
            .collect();
        // By how much the drift of one second differs from that of the next, in nanoseconds.
        let seconds: Vec<i64> = offsets.windows(2).map(|it| it[1] - it[0]).take(3).collect();
        seconds.iter().max().unwrap() - seconds.iter().min().unwrap()
    };
    assert!(raw("none") < 10, "{}", raw("none"));
    assert!(raw("drift=1000") > 100_000, "{}", raw("drift=1000"));
}

#[test]
fn lists_of_effects_are_read_and_refused() {
    assert_eq!(effects("none"), Effects::NONE);
    assert_eq!(effects(""), Effects::NONE);
    assert_eq!(effects("all").iter().count(), Effect::ALL.len());
    assert!(!effects("standard").has(Effect::Counters));
    assert_eq!(effects("standard,activity=0.4").size(Effect::Activity), Some(0.4));
    assert_eq!(effects(&effects("all").to_string()), Effects::all());
    for wrong in ["heat", "activity=", "activity=0.5", "leakage=0.9", "all=1", "activity=NaN"] {
        let error = wrong.parse::<Effects>().unwrap_err().to_string();
        assert!(error.contains("effects: expected"), "{wrong}: {error}");
    }
    assert_eq!(
        Effect::ALL.map(Effect::usual_size),
        Effect::ALL.map(|effect| {
            let (least, most) = effect.range();
            effect.usual_size().clamp(least, most)
        })
    );
}
