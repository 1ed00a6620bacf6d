//! Radios by their traffic: active while packets pass, in tails after them, asleep otherwise.
//!
//! ```text
//!  packets   | |  ||          |
//!  active    ████████         ███        the apps whose packets pass, equally at each instant
//!  tail              ▓▓▓▒▒▒      ▓▓▓▒▒▒  the last user, in stages
//! ```
//!
//! A packet keeps the radio active for AOSP's time of a packet on the air ([`super::wifi::PACKET_SECONDS`]). While active
//! it draws `<radio>.base` and `<radio>.{rx,tx}.byte` for what passes, where a model has them; else the current of
//! its controller, transmitting if any packet does. Tails last `<radio>.tail`, stage by stage, at `<radio>.tail.power`.

use std::collections::BTreeMap;

use wattle_timeline::{CounterScope, Direction, StateKind, Uid, Window};
use wattle_units::{BootNanos, Nanos, Watts};

use super::draw::{Rate, Rates};
use super::states::{StateResult, States, of_kind};
use super::{cellular, state_holders, storage, wifi};
use crate::note::PowerNote;
use crate::{Measure, Scope};

/// One radio: its names.
pub(super) struct Radio {
    name: &'static str,
    interfaces: &'static [&'static str],
    state: StateKind,
    rx: &'static [&'static str],
    tx: &'static [&'static str],
    voltage: &'static str,
    /// Of tails, where figures say nothing: seconds, and the part of the receiving power.
    usual_tail: &'static [(f64, f64)],
    usual_from: &'static str,
    /// Figure of a tail's power, if it is not a part of the receiving power.
    listening: Option<&'static str>,
}

/// Tail: Orka's tracker takes 0.22 s until Wi-Fi sleeps again.
pub(super) const WIFI: Radio = Radio {
    name: "wifi",
    interfaces: &["wlan", "wifi", "swlan", "p2p"],
    state: StateKind::WifiRadio,
    rx: &[wifi::RX, wifi::ACTIVE],
    tx: &[wifi::TX, wifi::ACTIVE],
    voltage: wifi::VOLTAGE,
    usual_tail: &[(0.22, 1.0)],
    usual_from: "0.22 s, as Orka has it",
    listening: Some(wifi::IDLE),
};

/// Tails: PowerTutor's 3G, 6 s at full power and 4 s at 401/570 of it.
pub(super) const CELLULAR: Radio = Radio {
    name: "cellular",
    interfaces: &["rmnet", "ccmni", "pdp", "seth", "v4-rmnet", "r_rmnet", "wwan"],
    state: StateKind::CellRadio,
    rx: &[cellular::RX, cellular::ACTIVE],
    tx: &[cellular::TX, cellular::ACTIVE],
    voltage: cellular::VOLTAGE,
    usual_tail: &[(6.0, 1.0), (4.0, 401.0 / 570.0)],
    usual_from: "6 s and 4 s, as PowerTutor has it for 3G",
    listening: None,
};

/// A packet or a bundle, and how long it keeps the radio active.
struct Burst {
    window: Window,
    uid: Option<Uid>,
    direction: Direction,
    /// Drawn for its bytes and packets.
    power: Watts,
}

/// Power of a radio in its states.
struct Draws {
    base: Option<Rate>,
    rx: Option<Rate>,
    tx: Option<Rate>,
    tail: Vec<(Nanos, Rate)>,
}

pub(super) fn model(states: &States<'_>, rates: Rates<'_>, radio: &Radio) -> StateResult {
    let mut found = StateResult::default();
    let bursts = bursts(states, rates, radio);
    let radio_states = of_kind(states.timeline, radio.state);
    if bursts.is_empty() && radio_states.is_empty() {
        return found;
    }
    let first =
        |names: &[&'static str]| names.iter().find_map(|name| rates.radio(name, 0, radio.voltage));
    let base = rates.first(&format!("{}.base", radio.name));
    let (rx, tx) = (first(radio.rx), first(radio.tx));
    if base.is_none() && rx.is_none() {
        found.missing.extend(radio.rx);
        return found;
    }
    found.used.extend(radio.rx.iter().chain(radio.tx));
    if bursts.is_empty() {
        // Without packets nothing says who used it.
        let rate = base.or(rx).unwrap_or_default();
        state_holders::sweep(states.timeline, radio_states.into_iter(), states.window, |held| {
            found.share(&held, rate);
        });
        return found;
    }
    let (tail, assumed) = tails(rates, radio, base.or(rx).unwrap_or_default());
    if assumed {
        let (radio, usual) = (radio.name, radio.usual_from);
        found.notes.push(PowerNote::RadioTailAssumed { radio, usual });
    }
    run(&bursts, &Draws { base, rx, tx, tail }, states.window, &mut found);
    found
}

/// The stages of the tail, and whether they are assumed.
fn tails(rates: Rates<'_>, radio: &Radio, receiving: Rate) -> (Vec<(Nanos, Rate)>, bool) {
    let seconds = rates.figures.get(&format!("{}.tail", radio.name));
    let power = format!("{}.tail.power", radio.name);
    let listening = radio.listening.and_then(|name| rates.radio(name, 0, radio.voltage));
    let usual = |part: f64| listening.unwrap_or(receiving) * part;
    let nanos = |seconds: f64| Nanos::new((seconds.clamp(0.0, 3600.0) * 1e9) as i64);
    let stated = seconds.filter(|figure| figure.unit == Measure::Seconds);
    let Some(stated) = stated else {
        let stages = radio.usual_tail.iter();
        return (stages.map(|(s, part)| (nanos(*s), usual(*part))).collect(), true);
    };
    let stage = |(level, seconds): (usize, &f64)| {
        let of_file = rates.radio(&power, level, radio.voltage);
        (nanos(*seconds), of_file.unwrap_or_else(|| usual(1.0)))
    };
    (stated.values.iter().enumerate().map(stage).collect(), false)
}

/// By packets; without any, by the counters of interfaces: what passed between two samples is taken to have passed
/// right after the first.
fn bursts(states: &States<'_>, rates: Rates<'_>, radio: &Radio) -> Vec<Burst> {
    let timeline = states.timeline;
    let is_radio = |interface: &str| radio.interfaces.iter().any(|i| interface.starts_with(i));
    let figure = |direction: Direction, what: &str| {
        let direction = if direction == Direction::Egress { "tx" } else { "rx" };
        format!("{}.{direction}.{what}", radio.name)
    };
    let energy = |direction: Direction, bytes: f64, packets: f64| {
        let of_bytes = storage::per_byte(rates, &figure(direction, "byte")).unwrap_or(0.0);
        let of_packet = rates.figures.get(&figure(direction, "packet"));
        let of_packet = of_packet.filter(|figure| figure.unit == Measure::Microjoules);
        let of_packet =
            of_packet.and_then(|figure| figure.values.first()).map_or(0.0, |v| v * 1e-6);
        of_bytes * bytes + of_packet * packets
    };
    let burst = |from: BootNanos, last: BootNanos, uid, direction, bytes: f64, packets: f64| {
        let on_air = Nanos::new((wifi::PACKET_SECONDS * 1e9) as i64);
        let window = Window::new(from, last + on_air);
        let seconds = window.duration().seconds();
        let power = Watts::new(energy(direction, bytes, packets) / seconds);
        Burst { window, uid, direction, power }
    };
    let mut bursts: Vec<Burst> = timeline
        .hardware
        .packets
        .iter()
        .filter(|packet| is_radio(timeline.names.get(packet.interface)))
        .map(|p| {
            let (bytes, packets) = (p.bytes as f64, f64::from(p.packets));
            burst(p.time, p.end.max(p.time), p.uid, p.direction, bytes, packets)
        })
        .collect();
    if !bursts.is_empty() {
        return bursts;
    }
    for track in &timeline.system.counters {
        let name = timeline.names.get(track.name);
        let Some((interface, what)) = name.strip_prefix("net.").and_then(|n| n.rsplit_once('.'))
        else {
            continue;
        };
        let direction = match what {
            "rx_bytes" => Direction::Ingress,
            "tx_bytes" => Direction::Egress,
            _ => continue,
        };
        if track.scope != CounterScope::Global || !is_radio(interface) {
            continue;
        }
        let samples = || track.time.iter().zip(&track.value);
        for ((from, before), (until, after)) in samples().zip(samples().skip(1)) {
            let bytes = after - before;
            if bytes <= 0.0 {
                continue;
            }
            let packets = (bytes / PACKET_BYTES).ceil();
            let on_air = (packets - 1.0).max(0.0) * wifi::PACKET_SECONDS;
            let last = *from + Nanos::new((on_air.min(3600.0) * 1e9) as i64);
            bursts.push(burst(*from, last.min(*until), None, direction, bytes, packets));
        }
    }
    bursts.sort_by_key(|burst| burst.window.start);
    bursts
}

/// AOSP's bytes of a packet.
const PACKET_BYTES: f64 = 2048.0;

/// Who has packets in the air.
#[derive(Default)]
struct Active {
    /// Number of packets of each user, and their power.
    users: BTreeMap<Option<Uid>, (u32, Watts)>,
    sending: u32,
}

impl Active {
    fn add(&mut self, burst: &Burst) {
        let (count, power) = self.users.entry(burst.uid).or_default();
        *count += 1;
        *power += burst.power;
        self.sending += u32::from(burst.direction == Direction::Egress);
    }

    fn remove(&mut self, burst: &Burst) {
        self.sending -= u32::from(burst.direction == Direction::Egress);
        let Some((count, power)) = self.users.get_mut(&burst.uid) else { return };
        *count -= 1;
        *power -= burst.power;
        if *count == 0 {
            self.users.remove(&burst.uid);
        }
    }

    fn draw(&self, stretch: Window, draws: &Draws, found: &mut StateResult) {
        let controller = if self.sending > 0 { draws.tx.or(draws.rx) } else { draws.rx };
        let base = draws.base.or(controller).unwrap_or_default();
        let part = base * (1.0 / self.users.len().max(1) as f64);
        for (uid, (_, power)) in &self.users {
            let scope = uid.map_or(Scope::Device, Scope::App);
            let power = power.max(Watts::ZERO);
            found.draw(&scope, stretch, part + Rate { power, ..Rate::default() });
        }
    }
}

/// The states of the radio, instant by instant.
fn run(bursts: &[Burst], draws: &Draws, window: Window, found: &mut StateResult) {
    let mut edges: Vec<(BootNanos, bool, usize)> = Vec::with_capacity(bursts.len() * 2);
    for (index, burst) in bursts.iter().enumerate() {
        edges.push((burst.window.start, true, index));
        edges.push((burst.window.end, false, index));
    }
    edges.sort_unstable();
    let mut active = Active::default();
    let mut now = window.start;
    let mut last: Option<Option<Uid>> = None;
    for (time, starts, index) in edges {
        let Some(burst) = bursts.get(index) else { continue };
        let stretch = Window::new(now, time);
        if !active.users.is_empty() {
            active.draw(stretch.intersect(window), draws, found);
        } else if let Some(user) = last {
            draw_tail(user, stretch, draws, window, found);
        }
        now = time.max(now);
        if starts {
            active.add(burst);
        } else {
            active.remove(burst);
            last = Some(burst.uid);
        }
    }
    if let Some(user) = last {
        draw_tail(user, Window::new(now, window.end), draws, window, found);
    }
}

/// Stage by stage, until the next packet.
fn draw_tail(
    user: Option<Uid>,
    stretch: Window,
    draws: &Draws,
    window: Window,
    found: &mut StateResult,
) {
    let scope = user.map_or(Scope::Device, Scope::Tail);
    let mut from = stretch.start;
    for (length, rate) in &draws.tail {
        let until = (from + *length).min(stretch.end);
        found.draw(&scope, Window::new(from, until).intersect(window), *rate);
        from = until;
    }
}
