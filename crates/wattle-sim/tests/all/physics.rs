//! Traces obey physics, whatever happens on the phone.

use proptest::prelude::*;
use wattle_sim::replay::{
    RecordedSources, Replay, ReplayClocks, ReplayProcess, ReplayThread, ReplayWindow,
    system_processes,
};
use wattle_sim::{Access, PhoneSpec, RailLoad, Simulated, Transfer};
use wattle_units::{BootNanos, Nanos};
use wattle_wire::{Fields, Value};

const BEGIN: i64 = 90_000_000_000;
/// Length of what is recorded.
const LENGTH: i64 = 3_000_000_000;
/// Bytes a second of the fastest Wi-Fi of a phone.
const FASTEST: f64 = 2402e6 / 8.0;

/// Something that a thread of an app does.
#[derive(Clone, Debug)]
enum Deed {
    Busy(i64),
    Rest(i64),
    Transfer { rx: u64, tx: u64, length: i64 },
    Access { read: u64, write: u64, length: i64 },
}

fn deed() -> impl Strategy<Value = Deed> {
    let micros = 1_i64..120_000;
    prop_oneof![
        micros.clone().prop_map(Deed::Busy),
        micros.clone().prop_map(Deed::Rest),
        (0_u64..3_000_000, 0_u64..200_000, 0_i64..90_000)
            .prop_map(|(rx, tx, length)| Deed::Transfer { rx, tx, length }),
        (0_u64..2_000_000, 0_u64..2_000_000, 0_i64..50_000)
            .prop_map(|(read, write, length)| Deed::Access { read, write, length }),
    ]
}

/// A packet of the trace: its time, its field and that field's bytes.
type Packet = (u64, u32, Vec<u8>);

fn packets(trace: &[u8]) -> Vec<Packet> {
    let mut all = Vec::new();
    for packet in Fields::new(trace) {
        let Value::Len(packet) = packet.unwrap().value else { continue };
        let time = number(packet, 8).unwrap_or(0);
        for field in Fields::new(packet) {
            let field = field.unwrap();
            if let Value::Len(bytes) = field.value {
                all.push((time, field.number, bytes.to_vec()));
            }
        }
    }
    all
}

fn number(bytes: &[u8], field: u32) -> Option<u64> {
    match Fields::find(bytes, field)? {
        Value::Varint(number) => Some(number),
        _ => None,
    }
}

/// Threads of one app, each with its deeds one after the other, and the stretches in which it moves bytes over a network.
fn app(threads: &[Vec<Deed>]) -> (ReplayProcess, Vec<(i64, i64, u64)>) {
    let mut process =
        ReplayProcess::new(4321, 10_077, "com.example.shop").of_package("com.example.shop");
    let mut moved = Vec::new();
    for (index, deeds) in threads.iter().enumerate() {
        let tid = 4321 + index as u32;
        let mut thread = ReplayThread::new(tid, "worker");
        let mut now = BEGIN + 10_000_000;
        for deed in deeds {
            let at = BootNanos::new(now);
            let (length, next) = match *deed {
                Deed::Busy(micros) => {
                    (micros, thread.busy(at, BootNanos::new(now + micros * 1000)))
                }
                Deed::Rest(micros) => (micros, thread),
                Deed::Transfer { rx, tx, length } => {
                    moved.push((now, length * 1000, rx + tx));
                    let transfer = Transfer {
                        interface: "wlan0".to_owned(),
                        rx_bytes: rx,
                        tx_bytes: tx,
                        length: Nanos::new(length * 1000),
                    };
                    (length, thread.transfer(at, transfer))
                }
                Deed::Access { read, write, length } => {
                    let access = Access {
                        device: "sda".to_owned(),
                        read_bytes: read,
                        write_bytes: write,
                        length: Nanos::new(length * 1000),
                    };
                    (length, thread.access(at, access))
                }
            };
            thread = next;
            now += length * 1000;
        }
        process = process.with_thread(thread);
    }
    (process, moved)
}

fn run(spec: &PhoneSpec, process: ReplayProcess, seed: u64) -> Simulated {
    let mut replay = Replay::new(spec.clone(), ReplayClocks::default(), seed);
    for process in system_processes() {
        replay.add(process);
    }
    replay.add(process);
    let mut sources = RecordedSources::default();
    sources.network_packets = true;
    let window = ReplayWindow::new(BootNanos::new(BEGIN), BootNanos::new(BEGIN + LENGTH));
    replay.run(window, &sources).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    /// Packets come while bytes are moved, are no longer than packets are, and go no faster than the air.
    #[test]
    fn packets_take_the_time_that_they_take(
        threads in prop::collection::vec(prop::collection::vec(deed(), 0..14), 1..4),
        seed in 0_u64..1000,
    ) {
        let (process, moved) = app(&threads);
        let simulated = run(&PhoneSpec::pixel_like(), process, seed);
        let bundles: Vec<(i64, u64, u64, u64)> = packets(&simulated.trace)
            .into_iter()
            .filter(|(_, field, _)| *field == 92)
            .map(|(time, _, bytes)| {
                let of = |field| number(&bytes, field).unwrap_or(0);
                (time as i64, of(5), of(6), of(7))
            })
            .collect();
        let first = moved.iter().map(|(at, ..)| *at).min().unwrap_or(i64::MAX);
        for (time, count, duration, length) in &bundles {
            prop_assert!(*count > 0 && *length >= count * 54, "{count} packets of {length} bytes");
            prop_assert!(*length <= count * 1514, "{count} packets of {length} bytes");
            prop_assert!(*time >= first, "a packet before any transfer");
            prop_assert!(*time + *duration as i64 <= BEGIN + LENGTH);
        }
        // At no instant has more gone through the air than the air can carry in the time since the first transfer, but for
        // the packets of that instant.
        let streams = threads.len() as f64;
        let mut sum = 0;
        for (time, _, _, length) in &bundles {
            let most = (time - first) as f64 * 1e-9 * FASTEST * streams * 1.1 + streams * 2.0 * 1514.0;
            prop_assert!((sum as f64) <= most, "{sum} bytes in {} ns", time - first);
            sum += length;
        }
        // Headers and acknowledgements are all that comes on top.
        let own: u64 = moved.iter().map(|(.., bytes)| *bytes).sum();
        prop_assert!(sum <= own + own / 8 + moved.len() as u64 * 400, "{sum} of {own}");
    }

    /// A phone does not draw less because nothing of it is metered.
    #[test]
    fn meters_draw_nothing(
        threads in prop::collection::vec(prop::collection::vec(deed(), 0..20), 1..5),
        seed in 0_u64..1000,
    ) {
        let (process, _) = app(&threads);
        for spec in [PhoneSpec::pixel_like(), PhoneSpec::pixel_like().with_device_rails()] {
            let metered = run(&spec, process.clone(), seed).truth;
            let bare = run(&spec.without_rails(), process.clone(), seed).truth;
            prop_assert!(metered.rails.len() > 3 && bare.rails.is_empty());
            let (metered, bare) = (metered.battery.unwrap().value(), bare.battery.unwrap().value());
            prop_assert!((metered - bare).abs() <= 1e-9 * metered, "{metered} J and {bare} J");
        }
    }

    /// The battery loses what the phone draws, and never gains; rails only grow, and supply no more than the battery gives.
    #[test]
    fn rails_and_battery_agree(
        threads in prop::collection::vec(prop::collection::vec(deed(), 0..20), 1..5),
        seed in 0_u64..1000,
    ) {
        let spec = PhoneSpec::pixel_like();
        let (process, _) = app(&threads);
        let simulated = run(&spec, process, seed);
        let battery = spec.battery.clone().unwrap();
        let given = simulated.truth.battery.unwrap().value();
        let rails: f64 = simulated.truth.rails.iter().map(|rail| rail.joules.value()).sum();
        // What no rail measures is the rest of the phone, with the losses of conversion.
        let seconds = LENGTH as f64 * 1e-9;
        let rest = battery.rest.value() * seconds;
        prop_assert!(rails > 0.0 && rails <= given, "{rails} J of {given} J");
        prop_assert!((given - rails - rest).abs() <= 1e-6 * given, "{given} {rails} {rest}");
        // Constant loads are exactly that.
        for (rail, truth) in spec.rails.iter().zip(&simulated.truth.rails) {
            if let [RailLoad::Constant(power)] = rail.loads.as_slice() {
                let expected = power.value() * seconds;
                prop_assert!((truth.joules.value() - expected).abs() <= 1e-6 * expected);
            }
        }
        let mut last = vec![0_u64; spec.rails.len()];
        let mut charges: Vec<(u64, i64, f64)> = Vec::new();
        for (time, field, bytes) in packets(&simulated.trace) {
            if field == 40 && let Some(Value::Len(sample)) = Fields::find(&bytes, 2) {
                let rail = number(sample, 1).unwrap_or(0) as usize;
                let counter = number(sample, 3).unwrap_or(0);
                prop_assert!(counter >= last[rail], "rail {rail} falls");
                last[rail] = counter;
            }
            if field == 38 {
                let of = |field| number(&bytes, field).unwrap_or(0) as i64;
                charges.push((time, of(1), of(7) as f64 * 1e-6));
            }
        }
        for pair in charges.windows(2) {
            let [(_, before, _), (_, after, volts)] = pair else { continue };
            prop_assert!(after <= before, "the battery gains from {before} to {after}");
            prop_assert!(*volts > 3.0 && *volts <= battery.voltage.value(), "{volts} V");
        }
        // Charge times voltage is the energy that was drawn between the first and the last poll.
        if let [(first, before, _), .., (end, after, volts)] = charges.as_slice() {
            let joules = (before - after) as f64 * 3.6e-3 * volts;
            let part = (end - first) as f64 / LENGTH as f64;
            prop_assert!(joules <= given * 1.02 + 0.03, "{joules} J of {given} J");
            prop_assert!(joules >= battery.rest.value() * seconds * part - 0.03, "{joules} J");
        }
    }
}
