//! Names of events that a file does not name (`perf list`, `include/uapi/linux/perf_event.h`).

use super::event_attr::EventAttr;

/// `PERF_COUNT_HW_*`.
const HARDWARE: [&str; 10] = [
    "cycles",
    "instructions",
    "cache-references",
    "cache-misses",
    "branches",
    "branch-misses",
    "bus-cycles",
    "stalled-cycles-frontend",
    "stalled-cycles-backend",
    "ref-cycles",
];

/// `PERF_COUNT_SW_*`.
const SOFTWARE: [&str; 12] = [
    "cpu-clock",
    "task-clock",
    "page-faults",
    "context-switches",
    "cpu-migrations",
    "minor-faults",
    "major-faults",
    "alignment-faults",
    "emulation-faults",
    "dummy",
    "bpf-output",
    "cgroup-switches",
];

/// The name of an event by its numbers.
pub(super) fn by_numbers(attr: &EventAttr) -> String {
    let name = |names: &[&'static str]| {
        // On CPUs of several kinds the upper half says which.
        let index = usize::try_from(attr.config & 0xffff_ffff).ok()?;
        names.get(index).map(|name| (*name).to_owned())
    };
    let known = match attr.kind {
        0 => name(&HARDWARE),
        1 => name(&SOFTWARE),
        2 => Some(format!("tracepoint {}", attr.config)),
        3 => Some(format!("hw-cache {:#x}", attr.config)),
        4 => Some(format!("raw {:#x}", attr.config)),
        5 => Some("breakpoint".to_owned()),
        _ => None,
    };
    known.unwrap_or_else(|| format!("event {}:{:#x}", attr.kind, attr.config))
}
