//! Programs that only run because somebody records: context of findings, and no culprits.

use wattle_ledger::{AttributionOptions, is_program, recorder_processes};
use wattle_timeline::{NameId, Process, Timeline, Uid};

/// Programs that collect, or carry what was collected to a computer, besides the recorders of the attribution; in lower case,
/// without `.exe`.
const PROGRAMS: [&str; 23] = [
    // Android: logs, profilers, bug reports, adb.
    "systrace",
    "simpleperfd",
    "simpleperf_app_runner",
    "dumpstate",
    "dumpsys",
    "bugreport",
    "bugreportz",
    "incidentd",
    "statsd",
    "adbd",
    "screenrecord",
    // The emulator's and Cuttlefish's helpers, which carry data to the computer under it.
    "qemu-props",
    "qemu-adb-keys",
    "socket_vsock_proxy",
    "bt_vhci_forwarder",
    // Linux.
    "bpftrace",
    "powertop",
    "turbostat",
    // Windows.
    "xperfview",
    "wpa",
    "tracerpt",
    "traceview",
    "gpuview",
];

/// Accounts that only collect: `statsd` and `incidentd` (AOSP `android_filesystem_config.h`).
const ACCOUNTS: [Uid; 2] = [Uid(1066), Uid(1067)];

/// By process of the timeline: whether it only runs because somebody records. By its program, by its account, or by the
/// recording's own word.
pub(crate) fn recording_processes(timeline: &Timeline) -> Vec<bool> {
    let mut found = recorder_processes(timeline, &AttributionOptions::default().recorders);
    for (records, process) in found.iter_mut().zip(&timeline.tasks.processes) {
        *records |= is_tool(timeline, process);
    }
    found
}

/// By thread of the timeline: the same, by what is known of processes. A thread of which the process is not known goes by its own name.
pub(crate) fn recording_threads(timeline: &Timeline, processes: &[bool]) -> Vec<bool> {
    let recorders = AttributionOptions::default().recorders;
    let is_tool = |name: NameId| {
        let name = timeline.names.get(name);
        is_program(name, &recorders) || is_program(name, &PROGRAMS)
    };
    let threads = timeline.tasks.threads.iter();
    threads
        .map(|thread| match thread.process {
            Some(process) => processes.get(process.index()) == Some(&true),
            None => thread.name.is_some_and(is_tool),
        })
        .collect()
}

fn is_tool(timeline: &Timeline, process: &Process) -> bool {
    process.uid.is_some_and(|uid| ACCOUNTS.contains(&uid))
        || process.name.is_some_and(|name| is_program(timeline.names.get(name), &PROGRAMS))
}
