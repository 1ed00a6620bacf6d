//! Programs that only run because somebody records: context of findings, and no culprits.

use wattle_ledger::{AttributionOptions, recorder_processes};
use wattle_timeline::{Process, Timeline, Uid};

/// Programs that record, or that carry what was recorded to a computer; in lower case, without `.exe`.
const PROGRAMS: [&str; 51] = [
    // Android: Perfetto, atrace, logs, profilers, bug reports, adb.
    "traced",
    "traced_probes",
    "traced_perf",
    "traced_relay",
    "tracebox",
    "perfetto",
    "heapprofd",
    "atrace",
    "systrace",
    "logcat",
    "simpleperf",
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
    "perf",
    "trace-cmd",
    "bpftrace",
    "powertop",
    "turbostat",
    // Windows.
    "perfview",
    "perfview64",
    "perfviewcollect",
    "xperf",
    "xperfview",
    "wpr",
    "wprui",
    "wpa",
    "logman",
    "tracelog",
    "tracerpt",
    "traceview",
    "uiforetw",
    "gpuview",
    "presentmon",
    // Intel's.
    "socwatch",
    "socwatch64",
    "vtune",
    "amplxe-runss",
    "amplxe-cl",
    "power_gadget",
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

fn is_tool(timeline: &Timeline, process: &Process) -> bool {
    process.uid.is_some_and(|uid| ACCOUNTS.contains(&uid))
        || process.name.is_some_and(|name| is_tool_name(timeline.names.get(name)))
}

/// Whether a command is one of the programs, whatever its folder, its arguments and the case of its letters.
fn is_tool_name(command: &str) -> bool {
    let last = |text: &str| -> String {
        let name = text.rsplit(['/', '\\']).next().unwrap_or(text).to_ascii_lowercase();
        name.strip_suffix(".exe").map_or(name.clone(), str::to_owned)
    };
    let first_word = command.split_ascii_whitespace().next().unwrap_or_default();
    // Folders of Windows have blanks, commands of Unix have arguments.
    [last(first_word), last(command)].iter().any(|name| PROGRAMS.contains(&name.as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tools_are_known_by_the_last_part_of_their_path() {
        let check = |name, expected| assert_eq!(is_tool_name(name), expected, "{name}");
        check("/system/bin/traced_probes --background", true);
        check("/apex/com.android.adbd/bin/adbd", true);
        check("C:\\Program Files\\PerfView\\PerfView.exe", true);
        check("PerfView.exe", true);
        check("wprui.EXE", true);
        check("logcat -v threadtime /sdcard/x", true);
        check("com.example.perf", false);
        check("perfviewer", false);
        check("", false);
    }
}
