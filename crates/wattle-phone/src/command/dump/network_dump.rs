//! `dumpsys netstats detail`, as `NetworkStatsService.java` and `NetworkStatsCollection.java` print it.

use std::collections::BTreeMap;

use crate::core::Core;

pub(super) fn netstats(core: &Core) -> String {
    let counters = core.journal.counters(core.clock.boot());
    let hour = core.clock.wall() / 1_000_000_000 / 3600 * 3600;
    let mut text = "Active interfaces:\n  iface=wlan0 ident=[{type=1, subType=COMBINED, networkId=\"wattle\", \
                    metered=false, defaultNetwork=true}]\nActive UID interfaces:\n  iface=wlan0 ident=[{type=1, \
                    subType=COMBINED, networkId=\"wattle\", metered=false, defaultNetwork=true}]\n"
        .to_owned();
    let ident = "ident=[{type=1, subType=COMBINED, networkId=\"wattle\", metered=false, defaultNetwork=true}]";
    text += "Dev stats:\n  Pending bytes: 0\n  Complete history:\n";
    for traffic in counters.network.values() {
        text += &format!(
            "  {ident} uid=-1 set=ALL tag=0x0\n    NetworkStatsHistory: bucketDuration=3600\n      st={hour} rb={} rp={} \
             tb={} tp={} op=0\n",
            traffic.rx_bytes, traffic.rx_packets, traffic.tx_bytes, traffic.tx_packets
        );
    }
    text += "Xt stats:\n  Pending bytes: 0\n  Complete history:\nUID stats:\n  Pending bytes: 0\n  Complete history:\n";
    let mut by_uid = BTreeMap::new();
    for ((uid, _), traffic) in &counters.by_uid {
        by_uid.entry(*uid).or_insert_with(Vec::new).push(*traffic);
    }
    for (uid, all) in by_uid {
        let sum = |of: fn(&crate::kernel_counters::Traffic) -> u64| all.iter().map(of).sum::<u64>();
        text += &format!(
            "  {ident} uid={uid} set=DEFAULT tag=0x0\n    NetworkStatsHistory: bucketDuration=7200\n      st={hour} rb={} \
             rp={} tb={} tp={} op=0\n",
            sum(|traffic| traffic.rx_bytes),
            sum(|traffic| traffic.rx_packets),
            sum(|traffic| traffic.tx_bytes),
            sum(|traffic| traffic.tx_packets)
        );
    }
    text + "UID tag stats:\n  Pending bytes: 0\n  Complete history:\n"
}
