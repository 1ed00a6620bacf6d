//! Counters of the kernel: network bytes, storage sectors, CPU time.

use std::collections::BTreeMap;

use wattle_sim::replay::ReplayEvent;
use wattle_units::{BootNanos, Nanos};

/// Most of a program's bytes in a packet: that of TCP with time stamps over an MTU of 1500.
const SEGMENT: u64 = 1448;
/// Headers of a packet that the counters hold: Ethernet, IPv4, TCP with time stamps.
const HEADERS: u64 = 14 + 20 + 20 + 12;
/// Each second packet is acknowledged (RFC 9293, 3.8.6.3).
const PACKETS_PER_ACK: u64 = 2;
/// The block size of the file system, and the journal's overhead of each write.
const BLOCK: u64 = 4096;

/// Traffic of an interface or of a uid.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Traffic {
    pub(crate) rx_bytes: u64,
    pub(crate) rx_packets: u64,
    pub(crate) tx_bytes: u64,
    pub(crate) tx_packets: u64,
}

impl Traffic {
    const fn since(self, before: Self) -> Self {
        Self {
            rx_bytes: self.rx_bytes.saturating_sub(before.rx_bytes),
            rx_packets: self.rx_packets.saturating_sub(before.rx_packets),
            tx_bytes: self.tx_bytes.saturating_sub(before.tx_bytes),
            tx_packets: self.tx_packets.saturating_sub(before.tx_packets),
        }
    }

    fn add(&mut self, rx: u64, tx: u64) {
        let (rx_data, tx_data) = (rx.div_ceil(SEGMENT), tx.div_ceil(SEGMENT));
        let rx_packets = rx_data + tx_data.div_ceil(PACKETS_PER_ACK);
        let tx_packets = tx_data + rx_data.div_ceil(PACKETS_PER_ACK);
        self.rx_packets += rx_packets;
        self.tx_packets += tx_packets;
        self.rx_bytes += rx + rx_packets * HEADERS;
        self.tx_bytes += tx + tx_packets * HEADERS;
    }
}

/// Bytes of a block device.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Blocks {
    pub(crate) read_bytes: u64,
    pub(crate) write_bytes: u64,
}

impl Blocks {
    fn add(&mut self, read: u64, written: u64) {
        self.read_bytes += read.next_multiple_of(BLOCK);
        self.write_bytes += written.next_multiple_of(BLOCK);
        if written > 0 {
            self.write_bytes += BLOCK;
        }
    }
}

/// All counters at an instant.
#[derive(Clone, Debug, Default)]
pub(crate) struct Counters {
    /// By interface.
    pub(crate) network: BTreeMap<String, Traffic>,
    /// By uid and interface.
    pub(crate) by_uid: BTreeMap<(u32, String), Traffic>,
    /// By device.
    pub(crate) storage: BTreeMap<String, Blocks>,
    /// Nanoseconds that threads were on a CPU.
    pub(crate) busy: u64,
    /// The same by uid.
    pub(crate) busy_by_uid: BTreeMap<u32, u64>,
}

impl Counters {
    /// Those of a phone that has been up for some time.
    fn before() -> Self {
        let mut counters = Self::default();
        counters.network.entry("wlan0".to_owned()).or_default().add(3_482_113_007, 288_400_911);
        counters.by_uid.entry((1000, "wlan0".to_owned())).or_default().add(48_113_007, 8_400_911);
        counters.storage.entry("sda".to_owned()).or_default().add(9_482_112 << 9, 3_171_848 << 9);
        counters
    }

    /// The difference from earlier counters of the same phone: of uids alone, of which totals are told. A uid that did nothing
    /// since is not there, as in statistics that begin anew.
    pub(crate) fn since(&self, base: &Self) -> Self {
        let by_uid = self.by_uid.iter().filter_map(|(key, now)| {
            let before = base.by_uid.get(key).copied().unwrap_or_default();
            let moved = now.since(before);
            (moved != Traffic::default()).then(|| (key.clone(), moved))
        });
        let busy_by_uid = self.busy_by_uid.iter().filter_map(|(uid, now)| {
            let before = base.busy_by_uid.get(uid).copied().unwrap_or_default();
            let ran = now.saturating_sub(before);
            (ran > 0).then_some((*uid, ran))
        });
        Self {
            by_uid: by_uid.collect(),
            busy: self.busy.saturating_sub(base.busy),
            busy_by_uid: busy_by_uid.collect(),
            ..Self::default()
        }
    }

    /// Counts the part of an event that has happened until now.
    fn count(&mut self, uid: u32, at: BootNanos, event: &ReplayEvent, now: BootNanos) {
        let since = (now - at).value();
        if since < 0 {
            return;
        }
        // What takes some time is counted as it goes.
        let done = |bytes: u64, length: Nanos| match length.value() {
            length if since >= length => bytes,
            length => (bytes as f64 * since as f64 / length as f64) as u64,
        };
        match event {
            ReplayEvent::Transfer(transfer) => {
                let rx = done(transfer.rx_bytes, transfer.length);
                let tx = done(transfer.tx_bytes, transfer.length);
                let interface = transfer.interface.clone();
                self.network.entry(interface.clone()).or_default().add(rx, tx);
                self.by_uid.entry((uid, interface)).or_default().add(rx, tx);
            }
            ReplayEvent::Access(access) => {
                let read = done(access.read_bytes, access.length);
                let written = done(access.write_bytes, access.length);
                self.storage.entry(access.device.clone()).or_default().add(read, written);
            }
            ReplayEvent::Busy(until) => {
                let ran = u64::try_from(((*until).min(now) - at).value()).unwrap_or_default();
                self.busy += ran;
                *self.busy_by_uid.entry(uid).or_default() += ran;
            }
            ReplayEvent::Begin(_) | ReplayEvent::End => {}
        }
    }
}

/// Counters as they grow: what is over is summed up, what goes on is kept.
#[derive(Debug)]
pub(crate) struct Tally {
    over: Counters,
    open: Vec<(u32, BootNanos, ReplayEvent)>,
}

impl Default for Tally {
    fn default() -> Self {
        Self { over: Counters::before(), open: Vec::new() }
    }
}

impl Tally {
    /// Something happens, or will.
    pub(crate) fn add(&mut self, uid: u32, at: BootNanos, event: &ReplayEvent) {
        if !matches!(event, ReplayEvent::Begin(_) | ReplayEvent::End) {
            self.open.push((uid, at, event.clone()));
        }
    }

    /// The counters now.
    pub(crate) fn now(&mut self, now: BootNanos) -> Counters {
        let is_over = |at: BootNanos, event: &ReplayEvent| match event {
            ReplayEvent::Transfer(transfer) => at + transfer.length <= now,
            ReplayEvent::Access(access) => at + access.length <= now,
            ReplayEvent::Busy(until) => *until <= now,
            ReplayEvent::Begin(_) | ReplayEvent::End => true,
        };
        let over = &mut self.over;
        self.open.retain(|(uid, at, event)| {
            let goes = is_over(*at, event);
            if goes {
                over.count(*uid, *at, event, now);
            }
            !goes
        });
        let mut counters = self.over.clone();
        for (uid, at, event) in &self.open {
            counters.count(*uid, *at, event, now);
        }
        counters
    }
}

#[cfg(test)]
mod tests {
    use wattle_sim::{Access, Transfer};

    use super::*;

    /// Totals begin anew, and the second of two identical runs has the same as the first.
    #[test]
    fn what_was_counted_before_is_not_counted_again() {
        let mut tally = Tally::default();
        let transfer = Transfer {
            interface: "wlan0".to_owned(),
            rx_bytes: 1_000_000,
            tx_bytes: 20_000,
            length: Nanos::new(1_000),
        };
        let mut run = |begin: i64| {
            let base = tally.now(BootNanos::new(begin));
            let at = BootNanos::new(begin + 10);
            tally.add(10_201, at, &ReplayEvent::Transfer(transfer.clone()));
            tally.add(10_201, at, &ReplayEvent::Busy(BootNanos::new(begin + 510)));
            tally.now(BootNanos::new(begin + 5_000)).since(&base)
        };
        let (first, second) = (run(10_000), run(20_000));
        assert_eq!(first.by_uid, second.by_uid);
        assert_eq!(first.busy_by_uid, second.busy_by_uid);
        assert_eq!(second.busy_by_uid.get(&10_201), Some(&500));
        // Who did nothing has no line, whatever it had before.
        assert!(!second.by_uid.contains_key(&(1000, "wlan0".to_owned())));
        let idle = tally.now(BootNanos::new(30_000));
        let idle = tally.now(BootNanos::new(40_000)).since(&idle);
        assert!(idle.by_uid.is_empty() && idle.busy_by_uid.is_empty());
    }

    /// Five packets in, acknowledged by three; four blocks read, two written with one of the journal.
    #[test]
    fn counters_grow_with_what_is_moved() {
        let mut tally = Tally::default();
        let before = tally.now(BootNanos::new(0));
        let at = BootNanos::new(1_000);
        let transfer = Transfer {
            interface: "wlan0".to_owned(),
            rx_bytes: 1448 * 4 + 8,
            tx_bytes: 0,
            length: Nanos::new(1_000),
        };
        let access = Access {
            device: "sda".to_owned(),
            read_bytes: 4096 * 3 + 1,
            write_bytes: 5000,
            length: Nanos::new(10),
        };
        tally.add(10_201, at, &ReplayEvent::Transfer(transfer));
        tally.add(10_201, at, &ReplayEvent::Access(access));
        tally.add(10_201, at, &ReplayEvent::Busy(BootNanos::new(1_500)));
        let wlan = |counters: &Counters| counters.network.get("wlan0").copied().unwrap_or_default();
        let mut last = wlan(&before);
        for nanos in [900, 1_100, 1_900, 2_500] {
            let now = wlan(&tally.now(BootNanos::new(nanos)));
            assert!(now.rx_bytes >= last.rx_bytes && now.tx_bytes >= last.tx_bytes);
            last = now;
        }
        let after = tally.now(BootNanos::new(5_000));
        assert_eq!(last.rx_bytes - wlan(&before).rx_bytes, 1448 * 4 + 8 + 5 * 66);
        assert_eq!(last.tx_bytes - wlan(&before).tx_bytes, 3 * 66);
        let disk = |counters: &Counters| counters.storage.get("sda").copied().unwrap_or_default();
        assert_eq!(disk(&after).read_bytes - disk(&before).read_bytes, 4 * 4096);
        assert_eq!(disk(&after).write_bytes - disk(&before).write_bytes, 3 * 4096);
        assert_eq!((after.busy, after.busy_by_uid.get(&10_201)), (500, Some(&500)));
    }
}
