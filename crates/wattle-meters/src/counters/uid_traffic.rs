//! Bytes sent and received by each app: `/proc/net/xt_qtaguid/stats` (Android up to 9), or `dumpsys netstats detail`.

use std::collections::BTreeMap;

use wattle_timeline::RawScope;

use super::counter_value::Value;

/// Received and sent bytes by uid.
type Traffic = BTreeMap<u32, (u64, u64)>;

fn values(traffic: Traffic, forgets: bool) -> Vec<Value> {
    let mut values = Vec::new();
    for (uid, (received, sent)) in traffic {
        for (what, bytes) in [("net.uid.rx_bytes", received), ("net.uid.tx_bytes", sent)] {
            let scope = RawScope::Uid(uid);
            values.push(Value { scope, name: what.to_owned(), amount: bytes as f64, forgets });
        }
    }
    values
}

fn add(traffic: &mut Traffic, uid: u32, received: u64, sent: u64) {
    let sum = traffic.entry(uid).or_default();
    *sum = (sum.0.saturating_add(received), sum.1.saturating_add(sent));
}

/// `idx iface acct_tag_hex uid_tag_int cnt_set rx_bytes rx_packets tx_bytes …`: lines without a tag hold all of a uid's traffic,
/// tagged or not. The loopback interface reaches no radio.
pub(crate) fn qtaguid(lines: &[String]) -> Vec<Value> {
    let mut traffic = Traffic::new();
    for line in lines {
        let fields: Vec<&str> = line.split_whitespace().collect();
        let [_, interface, tag, uid, _, received, _, sent, ..] = fields.as_slice() else {
            continue;
        };
        if *interface == "lo" || *tag != "0x0" {
            continue;
        }
        if let (Ok(uid), Ok(received), Ok(sent)) = (uid.parse(), received.parse(), sent.parse()) {
            add(&mut traffic, uid, received, sent);
        }
    }
    values(traffic, false)
}

/// The part `UID stats:` of `dumpsys netstats detail`: a line that names a uid and its tag, then buckets of an hour or two. Buckets
/// that get too old leave it.
pub(crate) fn netstats(lines: &[String]) -> Vec<Value> {
    let mut traffic = Traffic::new();
    let mut is_uids = false;
    let mut uid = None;
    for line in lines {
        let line = line.trim();
        if line.ends_with("stats:") {
            is_uids = line == "UID stats:";
            uid = None;
        } else if line.starts_with("ident=") {
            let word = |name: &str| {
                let mut words = line.rsplit(' ').filter_map(|word| word.split_once('='));
                words.find(|(key, _)| *key == name).map(|(_, value)| value)
            };
            let is_whole = word("tag") == Some("0x0");
            uid =
                word("uid").filter(|_| is_uids && is_whole).and_then(|uid| uid.parse::<u32>().ok());
        } else if let Some(uid) = uid {
            let figure = |names: [&str; 2]| {
                let mut words = line.split_whitespace().filter_map(|word| word.split_once('='));
                words.find(|(key, _)| names.contains(key))?.1.parse::<u64>().ok()
            };
            if let (Some(received), Some(sent)) =
                (figure(["rb", "rxBytes"]), figure(["tb", "txBytes"]))
            {
                add(&mut traffic, uid, received, sent);
            }
        }
    }
    values(traffic, true)
}
