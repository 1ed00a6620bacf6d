//! What the kernel has counted: bytes over the network, sectors of the storage, time of the CPUs.

use std::collections::BTreeMap;

use wattle_sim::replay::{ReplayEvent, ReplayProcess};
use wattle_units::BootNanos;

use crate::core::Core;

/// Bytes of a packet beside its headers, on an Ethernet-like link.
const PACKET: u64 = 1448;
/// Bytes of the headers of a packet: Ethernet, IPv4, TCP with a time stamp.
const HEADERS: u64 = 66;

/// Traffic of an interface or of a uid.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Traffic {
    pub(crate) rx_bytes: u64,
    pub(crate) rx_packets: u64,
    pub(crate) tx_bytes: u64,
    pub(crate) tx_packets: u64,
}

impl Traffic {
    fn add(&mut self, rx: u64, tx: u64) {
        let packets = |bytes: u64| bytes.div_ceil(PACKET);
        self.rx_packets += packets(rx);
        self.tx_packets += packets(tx);
        self.rx_bytes += rx + packets(rx) * HEADERS;
        self.tx_bytes += tx + packets(tx) * HEADERS;
    }
}

/// Bytes of a block device.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Blocks {
    pub(crate) read_bytes: u64,
    pub(crate) write_bytes: u64,
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
    /// What was counted until now.
    pub(crate) fn now(core: &Core) -> Self {
        let now = core.clock.boot();
        let mut counters = core.journal.look(|processes| Self::of(processes, now));
        // What the phone did before it was looked at.
        let wlan = counters.network.entry("wlan0".to_owned()).or_default();
        wlan.add(3_482_113_007, 288_400_911);
        let disk = counters.storage.entry("sda".to_owned()).or_default();
        disk.read_bytes += 9_482_112 << 9;
        disk.write_bytes += 3_171_848 << 9;
        counters
    }

    fn of(processes: &[ReplayProcess], now: BootNanos) -> Self {
        let mut counters = Self::default();
        for process in processes {
            for action in process.threads.iter().flat_map(|thread| &thread.actions) {
                let since = (now - action.at).value();
                if since <= 0 {
                    continue;
                }
                // What takes some time is counted as it goes.
                let done = |bytes: u64, length: i64| {
                    if since >= length {
                        bytes
                    } else {
                        (bytes as f64 * since as f64 / length as f64) as u64
                    }
                };
                match &action.event {
                    ReplayEvent::Transfer(transfer) => {
                        let length = transfer.length.value();
                        let (rx, tx) =
                            (done(transfer.rx_bytes, length), done(transfer.tx_bytes, length));
                        let interface = transfer.interface.clone();
                        counters.network.entry(interface.clone()).or_default().add(rx, tx);
                        counters.by_uid.entry((process.uid, interface)).or_default().add(rx, tx);
                    }
                    ReplayEvent::Access(access) => {
                        let length = access.length.value();
                        let blocks = counters.storage.entry(access.device.clone()).or_default();
                        blocks.read_bytes += done(access.read_bytes, length).next_multiple_of(4096);
                        blocks.write_bytes +=
                            done(access.write_bytes, length).next_multiple_of(4096);
                    }
                    ReplayEvent::Busy(until) => {
                        let ran = ((*until).min(now) - action.at).value().max(0) as u64;
                        counters.busy += ran;
                        *counters.busy_by_uid.entry(process.uid).or_default() += ran;
                    }
                    ReplayEvent::Begin(_) | ReplayEvent::End => {}
                }
            }
        }
        counters
    }
}
