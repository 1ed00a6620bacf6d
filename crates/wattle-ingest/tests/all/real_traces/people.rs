//! Processes, threads, packages and the device of a timeline as the oracle writes them.

use serde_json::{Value, json};
use wattle_timeline::{NameId, ProcessId, Thread, Timeline};

use super::golden::{check_section, check_table};

fn text(timeline: &Timeline, name: Option<NameId>) -> Option<&str> {
    name.map(|name| timeline.names.get(name))
}

fn pid(timeline: &Timeline, process: Option<ProcessId>) -> Option<u32> {
    process.map(|process| timeline.tasks.processes[process.index()].pid.0)
}

/// Every process but the idle one: who it is, what it is called, whose it is, who made it.
#[track_caller]
pub fn check_processes(timeline: &Timeline, golden: &Value) {
    let mut processes: Vec<_> = timeline.tasks.processes.iter().filter(|p| p.pid.0 != 0).collect();
    processes.sort_by_key(|p| (p.pid, text(timeline, p.name).unwrap_or("")));
    let column = |cell: &dyn Fn(&wattle_timeline::Process) -> Value| {
        processes.iter().map(|p| json!([p.pid.0, cell(p)])).collect::<Vec<_>>()
    };
    check_table(golden, "process_names", &column(&|p| json!(text(timeline, p.name))));
    check_table(golden, "process_uids", &column(&|p| json!(p.uid.map(|uid| uid.0))));
    check_table(golden, "process_parents", &column(&|p| json!(pid(timeline, p.parent))));
    let ended = processes.iter().filter(|p| p.end.is_some()).count();
    check_section(golden, "processes_ended", &json!(ended));
}

/// Every thread with its process, and the names of those that were on a CPU.
#[track_caller]
pub fn check_threads(timeline: &Timeline, golden: &Value) {
    let row = |thread: &Thread| json!([thread.tid.0, pid(timeline, thread.process)]);
    let mut threads: Vec<_> = timeline.tasks.threads.iter().filter(|t| t.tid.0 != 0).collect();
    threads.sort_by_key(|t| (t.tid, pid(timeline, t.process).unwrap_or(0)));
    check_table(golden, "threads", &threads.iter().map(|t| row(t)).collect::<Vec<_>>());
    for thread in threads {
        let main = pid(timeline, thread.process) == Some(thread.tid.0);
        assert_eq!(thread.is_main, main, "is_main of {thread:?}");
    }

    let ran: std::collections::BTreeSet<_> =
        timeline.cpus.iter().flat_map(|cpu| cpu.sched.iter()).map(|slice| slice.thread).collect();
    let mut ran: Vec<_> = ran.iter().map(|id| &timeline.tasks.threads[id.index()]).collect();
    ran.retain(|thread| thread.tid.0 != 0);
    ran.sort_by_key(|thread| thread.tid);
    let processes: Vec<_> = ran.iter().map(|t| row(t)).collect();
    check_table(golden, "thread_processes_that_ran", &processes);
    let names: Vec<_> = ran.iter().map(|t| json!([t.tid.0, text(timeline, t.name)])).collect();
    check_table(golden, "thread_names_that_ran", &names);
}

/// Installed packages.
#[track_caller]
pub fn check_packages(timeline: &Timeline, golden: &Value) {
    let mut rows: Vec<_> =
        timeline.tasks.packages.iter().map(|p| (timeline.names.get(p.name), p.uid.0, p)).collect();
    rows.sort_by_key(|(name, uid, _)| (*name, *uid));
    let rows: Vec<_> = rows
        .iter()
        .map(|(name, uid, p)| {
            json!([name, uid, p.debuggable, p.profileable_from_shell, p.version_code])
        })
        .collect();
    check_table(golden, "packages", &rows);
}

/// The device's own words, and the kernel.
#[track_caller]
pub fn check_device(timeline: &Timeline, golden: &Value) {
    let device = &timeline.device;
    let expected = &golden["device"];
    let said = |key: &str| expected[key].as_str().map(str::to_owned);
    // Android's words for a property that it does not give are no fingerprint.
    let fingerprint = said("fingerprint").filter(|text| !text.starts_with("Must use __system_"));
    assert_eq!(device.fingerprint, fingerprint);
    assert_eq!(device.soc, said("soc"));
    assert_eq!(device.manufacturer, said("manufacturer"));
    assert_eq!(device.sdk.map(u64::from), expected["sdk"].as_u64());
    let kernel = device.kernel.as_deref().unwrap_or("");
    assert!(kernel.contains(&said("kernel_release").unwrap_or_default()), "kernel {kernel:?}");
    assert!(kernel.contains(&said("machine").unwrap_or_default()), "kernel {kernel:?}");
}
