//! The usage of apps since the statistics were reset.

use super::wifi_time::{WifiTime, air_ms};
use crate::core::Core;

/// The usage of an app since the statistics were reset.
pub(super) struct Used {
    pub(super) uid: u32,
    pub(super) package: Option<String>,
    pub(super) cpu_ms: u64,
    pub(super) rx_bytes: u64,
    pub(super) rx_packets: u64,
    pub(super) tx_bytes: u64,
    pub(super) tx_packets: u64,
}

impl Used {
    /// Time on the air of what it received and sent by Wi-Fi.
    pub(super) fn wifi(&self) -> WifiTime {
        WifiTime {
            rx_ms: air_ms(self.rx_bytes, self.rx_packets),
            tx_ms: air_ms(self.tx_bytes, self.tx_packets),
        }
    }
}

pub(super) fn used(core: &Core) -> Vec<Used> {
    let counters = core.journal.counters(core.clock.boot());
    let base = core.state().statistics_base.clone();
    let counters = counters.since(&base);
    let mut uids: Vec<u32> = counters.busy_by_uid.keys().copied().collect();
    uids.extend(counters.by_uid.keys().map(|(uid, _)| *uid));
    uids.sort_unstable();
    uids.dedup();
    uids.into_iter()
        .map(|uid| {
            let traffic: Vec<_> = counters
                .by_uid
                .iter()
                .filter(|((of, _), _)| *of == uid)
                .map(|(_, traffic)| *traffic)
                .collect();
            Used {
                uid,
                package: core.state().packages.of_uid(uid).map(|package| package.name.clone()),
                cpu_ms: counters.busy_by_uid.get(&uid).copied().unwrap_or(0) / 1_000_000,
                rx_bytes: traffic.iter().map(|traffic| traffic.rx_bytes).sum(),
                rx_packets: traffic.iter().map(|traffic| traffic.rx_packets).sum(),
                tx_bytes: traffic.iter().map(|traffic| traffic.tx_bytes).sum(),
                tx_packets: traffic.iter().map(|traffic| traffic.tx_packets).sum(),
            }
        })
        .collect()
}

/// Milliseconds since the statistics were reset, and the wall clock then in milliseconds.
pub(super) fn since(core: &Core) -> (i64, i64) {
    let begin = core.state().statistics_since;
    let now = core.clock.boot().value();
    let wall = core.clock.wall_at(wattle_units::BootNanos::new(begin));
    ((now - begin) / 1_000_000, wall / 1_000_000)
}
