//! Bytes that were counted, and what calls were given of them.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use wattle_power::Component;
use wattle_timeline::{CounterScope, CounterTrack, NameId, Timeline};

use crate::ApiSets;
use crate::allocation::{
    Allocation, AllocationOptions, Calls, Comparison, Direction, NamePattern, allocate, by_bytes,
};

/// One network interface or disk: its counters, shared among calls by time, beside the bytes that probes saw calls move
/// (Hitani et al., section 5.1).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TransferEntry {
    /// The interface or disk (`wlan0`, `sda`).
    pub device: String,
    /// The component that it is a part of.
    pub component: Component,
    /// Bytes in both directions by its counters, from their first sample to their last.
    #[cfg_attr(feature = "schema", schemars(range(min = 0.0)))]
    pub counted: f64,
    /// The part of them that calls were given by the time for which they ran.
    #[cfg_attr(feature = "schema", schemars(range(min = 0.0)))]
    pub shared: f64,
    /// Bytes that probes saw calls move; `None` where no probe saw any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(range(min = 0.0)))]
    pub hooked: Option<f64>,
    /// The paper's *total error* of what was shared: the part of what was counted that no call was given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(range(min = 0.0)))]
    pub shared_error: Option<f64>,
    /// The same of what probes saw.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(range(min = 0.0)))]
    pub hooked_error: Option<f64>,
    /// The paper's *allocation error*: variance over calls of what a call moved less what it was given, in bytes squared.
    /// `None` without both ways.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(range(min = 0.0)))]
    pub allocation_error: Option<f64>,
    /// Calls.
    pub calls: u64,
    /// Intervals between samples, of all its counters.
    pub intervals: u64,
    /// Those in which something was counted while nobody called.
    pub without_call: u64,
    /// Those in which a counter fell.
    pub resets: u64,
}

/// Names of the counters of one device, and their directions.
const COUNTERS: [(&str, &str, Direction); 4] = [
    ("net.", ".rx_bytes", Direction::Inward),
    ("net.", ".tx_bytes", Direction::Outward),
    ("disk.", ".read_bytes", Direction::Inward),
    ("disk.", ".write_bytes", Direction::Outward),
];

/// By device, the counters that counted anything while there are calls that can have caused it.
pub(crate) fn entries(timeline: &Timeline, sets: &ApiSets) -> Vec<TransferEntry> {
    if timeline.code.slices.is_empty() {
        return Vec::new();
    }
    let mut devices: BTreeMap<(Component, &str), Vec<(&CounterTrack, Direction)>> = BTreeMap::new();
    for counter in &timeline.system.counters {
        let name = timeline.names.get(counter.name);
        let found = COUNTERS.iter().find_map(|(start, end, direction)| {
            Some((name.strip_prefix(start)?.strip_suffix(end)?, *direction))
        });
        if let Some((device, direction)) = found
            && counter.scope == CounterScope::Global
            && let Some(component) = component_of(name, device)
        {
            devices.entry((component, device)).or_default().push((counter, direction));
        }
    }
    let entries = devices.into_iter();
    entries
        .filter_map(|((component, device), counters)| {
            entry(timeline, sets, component, device, &counters)
        })
        .collect()
}

/// `None` where nothing was counted, or nobody can have moved it.
fn entry(
    timeline: &Timeline,
    sets: &ApiSets,
    component: Component,
    device: &str,
    counters: &[(&CounterTrack, Direction)],
) -> Option<TransferEntry> {
    let names = sets.transfers(&component);
    if !Calls::are_named(timeline, &names) {
        return None;
    }
    let shared: Vec<Allocation> = counters
        .iter()
        .map(|(counter, _)| allocate(timeline, counter, &AllocationOptions::new(names.clone())))
        .collect();
    let hooked: Vec<Allocation> = counters
        .iter()
        .filter_map(|(counter, direction)| {
            let calls = hooked_names(timeline, &names, *direction);
            by_bytes(timeline, Some(counter), &AllocationOptions::new(calls))
        })
        .collect();
    let both = Comparison::new(&shared, &hooked);
    let has_hooks = !hooked.is_empty();
    let sum = |of: fn(&Allocation) -> u64| shared.iter().map(of).sum();
    let is_there = both.counted > 0.0 && both.calls > 0;
    is_there.then(|| TransferEntry {
        device: device.to_owned(),
        component,
        counted: both.counted,
        shared: both.shared,
        hooked: has_hooks.then_some(both.hooked),
        shared_error: both.shared_error,
        hooked_error: both.hooked_error.filter(|_| has_hooks),
        allocation_error: both.allocation_error.filter(|_| has_hooks),
        calls: both.calls,
        intervals: sum(|it| it.intervals),
        without_call: sum(|it| it.without_call),
        resets: sum(|it| it.resets),
    })
}

/// The component of a device, by the names that Linux and Android's drivers give; `None`: none with power.
fn component_of(counter: &str, device: &str) -> Option<Component> {
    if counter.starts_with("disk.") {
        let is_virtual = ["loop", "ram", "zram", "dm-"].iter().any(|name| device.starts_with(name));
        return (!is_virtual && !is_partition(device)).then_some(Component::Storage);
    }
    component_of_interface(device)
}

/// The component behind a network interface, by the names that Linux and Android's drivers give; `None`: none with power.
pub(crate) fn component_of_interface(interface: &str) -> Option<Component> {
    let starts = |names: &[&str]| names.iter().any(|name| interface.starts_with(name));
    if starts(&["wlan", "swlan", "p2p", "wifi"]) {
        Some(Component::Wifi)
    } else if starts(&["rmnet", "ccmni", "seth_", "pdp", "ppp", "wwan", "v4-rmnet"]) {
        Some(Component::Cellular)
    } else if starts(&["bt-", "bnep"]) {
        Some(Component::Bluetooth)
    } else {
        None
    }
}

/// `sda1`, `mmcblk0p12`, `nvme0n1p3`: their bytes are the whole disk's, too.
fn is_partition(device: &str) -> bool {
    let stem = device.trim_end_matches(|c: char| c.is_ascii_digit());
    let ends_in_number = stem.len() < device.len();
    let scsi = (stem.starts_with("sd") || stem.starts_with("vd")) && stem.len() > 2;
    let numbered =
        stem.strip_suffix('p').is_some_and(|disk| disk.ends_with(|c: char| c.is_ascii_digit()));
    ends_in_number && (scsi || numbered)
}

/// The calls of a component that are known to have moved bytes one way.
fn hooked_names(
    timeline: &Timeline,
    names: &[NamePattern],
    direction: Direction,
) -> Vec<NamePattern> {
    let ways = direction.calls();
    let mut known: BTreeMap<NameId, bool> = BTreeMap::new();
    for (name, bytes) in timeline.code.slices.name.iter().zip(&timeline.code.slices.bytes) {
        if *bytes > 0 {
            known.entry(*name).or_insert_with(|| {
                let text = timeline.names.get(*name);
                let matches =
                    |patterns: &[NamePattern]| patterns.iter().any(|one| one.matches(text));
                matches(names) && matches(&ways)
            });
        }
    }
    let meant = known.into_iter().filter(|(_, is_meant)| *is_meant);
    meant.map(|(name, _)| NamePattern::new(timeline.names.get(name))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(counter: &str, device: &str, expected: Option<&str>) {
        let found = component_of(counter, device);
        assert_eq!(found.as_ref().map(Component::name), expected, "{device}");
    }

    #[test]
    fn devices_are_parts_of_components() {
        check("net.wlan0.rx_bytes", "wlan0", Some("wifi"));
        check("net.rmnet_data0.rx_bytes", "rmnet_data0", Some("cellular"));
        check("net.lo.rx_bytes", "lo", None);
        check("net.dummy0.rx_bytes", "dummy0", None);
        check("disk.sda.read_bytes", "sda", Some("storage"));
        check("disk.sda17.read_bytes", "sda17", None);
        check("disk.mmcblk0.read_bytes", "mmcblk0", Some("storage"));
        check("disk.mmcblk0p3.read_bytes", "mmcblk0p3", None);
        check("disk.nvme0n1.read_bytes", "nvme0n1", Some("storage"));
        check("disk.dm-3.read_bytes", "dm-3", None);
        check("disk.loop7.read_bytes", "loop7", None);
    }
}
