//! Processes of the host that belong to a phone.

use std::path::Path;

use rustix::process::{Pid, Signal, kill_process};

use crate::tool_environment::SOCKET;

/// Whether the shell of the phone with this socket has started a process, directly or not: its environment names it.
pub(crate) fn is_owned(socket: &Path, pid: u32) -> bool {
    let mark = format!("{}={}", SOCKET, socket.display());
    std::fs::read(format!("/proc/{pid}/environ"))
        .is_ok_and(|all| all.split(|byte| *byte == 0).any(|entry| entry == mark.as_bytes()))
}

/// Kills every process that the phone's shell has started.
pub(crate) fn kill_all(socket: &Path) {
    // Twice: a process may have started another while it was looked for.
    for _ in 0..2 {
        let entries = std::fs::read_dir("/proc").into_iter().flatten().flatten();
        let numbers = entries.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
        for pid in numbers.filter(|pid| is_owned(socket, *pid)) {
            signal(pid, Signal::KILL);
        }
    }
}

/// Sends a signal to a process of the host. One that has ended needs none.
pub(crate) fn signal(pid: u32, signal: Signal) {
    if let Some(pid) = i32::try_from(pid).ok().and_then(Pid::from_raw) {
        let _ = kill_process(pid, signal);
    }
}
