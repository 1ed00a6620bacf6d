//! The bytes: a Perfetto trace that a reader can walk, in order, and that tells of the rails what is true.

use std::collections::BTreeMap;

use wattle_sim::{PhoneSpec, RailClock, Simulation, scenario};
use wattle_units::{Joules, Nanos};
use wattle_wire::Fields;

/// Numbers of packets by field of `TracePacket`, and the times of all events of each CPU's buffer.
#[derive(Default)]
struct Walk {
    packets: BTreeMap<u32, u64>,
    events: BTreeMap<u64, Vec<u64>>,
    switches: BTreeMap<u64, Vec<u64>>,
    event_kinds: BTreeMap<u32, u64>,
    rail_readings: BTreeMap<u64, Vec<u64>>,
}

fn walk(trace: &[u8]) -> Walk {
    let mut walk = Walk::default();
    for packet in Fields::new(trace) {
        let packet = packet.unwrap();
        assert_eq!(packet.number, 1, "a trace holds packets only");
        for field in Fields::new(packet.value.bytes()) {
            let field = field.unwrap();
            *walk.packets.entry(field.number).or_default() += 1;
            match field.number {
                1 => walk_bundle(field.value.bytes(), &mut walk),
                40 => walk_rails(field.value.bytes(), &mut walk),
                _ => {}
            }
        }
    }
    walk
}

fn walk_bundle(bundle: &[u8], walk: &mut Walk) {
    let cpu = Fields::find(bundle, 1).unwrap().uint();
    for field in Fields::new(bundle).map(Result::unwrap) {
        match field.number {
            2 => {
                let event = field.value.bytes();
                walk.events.entry(cpu).or_default().push(Fields::find(event, 1).unwrap().uint());
                let kind = Fields::new(event).map(Result::unwrap).last().unwrap().number;
                *walk.event_kinds.entry(kind).or_default() += 1;
            }
            4 => {
                let compact = field.value.bytes();
                let column = |number| {
                    Fields::find(compact, number).map_or(Vec::new(), |v| v.varints().collect())
                };
                let mut time = 0;
                let times = column(1).into_iter().map(|delta: u64| {
                    time += delta;
                    time
                });
                walk.switches.entry(cpu).or_default().extend(times);
                for others in [2, 3, 4, 6] {
                    assert_eq!(column(others).len(), column(1).len(), "column {others}");
                }
                for others in [8, 9, 10, 11] {
                    assert_eq!(column(others).len(), column(7).len(), "column {others}");
                }
            }
            _ => {}
        }
    }
}

fn walk_rails(rails: &[u8], walk: &mut Walk) {
    for field in Fields::new(rails).map(Result::unwrap).filter(|field| field.number == 2) {
        let data = field.value.bytes();
        let rail = Fields::find(data, 1).unwrap().uint();
        walk.rail_readings.entry(rail).or_default().push(Fields::find(data, 3).unwrap().uint());
    }
}

fn news(phone: PhoneSpec, seconds: f64) -> wattle_sim::Simulated {
    let workload = scenario::news_app(Nanos::from_seconds(seconds));
    Simulation::new(phone, workload, 9).unwrap().run().unwrap()
}

#[test]
fn every_cpu_is_in_order_inside_the_window() {
    for compact in [true, false] {
        let mut phone = PhoneSpec::pixel_like();
        phone.recorder.compact_sched = compact;
        let simulated = news(phone, 1.0);
        let walk = walk(&simulated.trace);
        assert_eq!(walk.switches.is_empty(), !compact);
        let (start, end) = (simulated.truth.start.value(), simulated.truth.end.value());
        for (cpu, times) in walk.events.iter().chain(&walk.switches) {
            assert!(times.is_sorted(), "CPU {cpu}");
            assert!(times[0] as i64 >= start && *times.last().unwrap() as i64 <= end);
        }
        let kinds = &walk.event_kinds;
        for kind in [3, 11, 13, 24, 25, 36, 37, 235, 236] {
            assert!(kinds[&kind] > 0, "event {kind}");
        }
        assert_eq!(kinds.contains_key(&4), !compact);
        assert_eq!(kinds.contains_key(&20), !compact);
        for packet in [1, 2, 6, 7, 8, 10, 35, 38, 40, 45, 47, 67] {
            assert!(walk.packets[&packet] > 0, "packet {packet}");
        }
    }
}

#[test]
fn random_phones_write_what_can_be_walked() {
    for seed in 0..40 {
        let phone = PhoneSpec::random(seed);
        let workload = scenario::random(&phone, Nanos::from_seconds(0.3), seed);
        let simulated = Simulation::new(phone, workload, seed).unwrap().run().unwrap();
        let walk = walk(&simulated.trace);
        assert!(walk.events.values().chain(walk.switches.values()).all(|times| times.is_sorted()));
    }
}

#[test]
fn rails_count_what_is_true_within_their_noise() {
    for clock in [RailClock::BootMillis, RailClock::Boot, RailClock::MonotonicRaw] {
        let mut phone = PhoneSpec::pixel_like();
        for rail in &mut phone.rails {
            rail.clock = clock;
            rail.noise_microjoules = 20.0;
            rail.quantum_microjoules = 5;
        }
        let simulated = news(phone, 3.0);
        let walk = walk(&simulated.trace);
        for (index, rail) in simulated.truth.rails.iter().enumerate() {
            let readings = &walk.rail_readings[&(index as u64)];
            assert_eq!(readings.len() as u64, rail.samples);
            assert!(readings.is_sorted(), "{}", rail.name);
            let counted = readings.last().unwrap() - readings[0];
            let counted = Joules::from_microjoules(counted as f64);
            assert_eq!(counted, rail.counted_joules);
            // Two readings of 20 µJ noise, never decreasing, and a step of 5 µJ.
            let error = (counted - rail.sampled_joules).abs();
            assert!(error < Joules::from_microjoules(150.0), "{}: {error}", rail.name);
            assert!(rail.sampled_joules <= rail.joules);
        }
    }
}

#[test]
fn rails_of_clusters_are_the_clusters() {
    let truth = news(PhoneSpec::pixel_like(), 1.0).truth;
    for (rail, cluster) in truth.rails.iter().zip(&truth.clusters) {
        assert!((rail.joules / cluster.total() - 1.0).abs() < 1e-12, "{}", rail.name);
    }
}

#[test]
fn big_traces_are_as_big_as_asked() {
    let (truth, trace) = wattle_sim::write_big(3_000_000, 1, Vec::new()).unwrap();
    assert!((3_000_000..4_000_000).contains(&trace.len()), "{}", trace.len());
    assert!((truth.booked() / truth.total - 1.0).abs() < 1e-9);
    let walk = walk(&trace);
    assert!(walk.events.values().all(|times| times.is_sorted()));
}
