//! `/proc/diskstats` (kernel `Documentation/admin-guide/iostats.rst`): 11 figures behind the name, 15 since 4.18, 17 since 5.5; partitions
//! of 2.6 kernels had 4. Sectors are of 512 bytes whatever the device's own are.

use std::collections::BTreeSet;

use super::counter_value::{Value, number};

const SECTOR: f64 = 512.0;

/// Devices that only show what others do.
const VIEWS: [&str; 4] = ["dm-", "loop", "ram", "zram"];

/// The whole device that a partition's name says it is of: `sda` of `sda1`, `mmcblk0` of `mmcblk0p3`.
fn whole(name: &str) -> Option<&str> {
    let stem = name.trim_end_matches(|c: char| c.is_ascii_digit());
    if stem.len() == name.len() {
        return None;
    }
    match stem.strip_suffix('p') {
        Some(device) if device.ends_with(|c: char| c.is_ascii_digit()) => Some(device),
        _ => Some(stem),
    }
}

pub(crate) fn parse(lines: &[String]) -> Vec<Value> {
    let fields =
        |line: &'_ String| -> Vec<String> { line.split_whitespace().map(str::to_owned).collect() };
    let rows: Vec<Vec<String>> = lines.iter().map(fields).collect();
    let names: BTreeSet<&str> =
        rows.iter().filter_map(|row| row.get(2)).map(String::as_str).collect();
    let mut values = Vec::new();
    for row in &rows {
        let Some(name) = row.get(2) else { continue };
        let is_part = whole(name).is_some_and(|device| names.contains(device));
        let is_view = VIEWS.iter().any(|view| {
            name.strip_prefix(view)
                .is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
        });
        if is_part || is_view {
            continue;
        }
        let figures = row.get(3..).unwrap_or_default();
        let (read, written) = match figures.len() {
            4 => (1, 3),
            11.. => (2, 6),
            _ => continue,
        };
        for (what, at) in [("read_bytes", read), ("write_bytes", written)] {
            if let Some(sectors) = figures.get(at).and_then(|text| number(text)) {
                values.push(Value::global(format!("disk.{name}.{what}"), sectors * SECTOR));
            }
        }
    }
    values
}
