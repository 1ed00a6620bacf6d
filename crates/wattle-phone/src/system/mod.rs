//! Generated files of the kernel below `/proc` and `/sys`.
//!
//! A program of the phone reads them fresh. What the shell itself reads (`read x < /proc/uptime`) are real files that a
//! thread writes anew while commands run: `/proc/uptime` every 2 ms, the counters every 20 ms, the rest when a command
//! begins. On a loaded host they may be older by as long as the thread had to wait.

mod power_files;
mod proc;
mod refresher;
mod sysfs_cpu;

use std::path::Path;

use crate::core::Core;

pub(crate) use proc::user_name;
pub(crate) use refresher::Refresher;

/// The period of writing files for readers that the phone cannot observe.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Change {
    /// Once.
    Never,
    /// When a command begins.
    Seldom,
    /// Every 20 ms.
    Often,
    /// Every 2 ms.
    Always,
}

/// A file.
#[derive(Clone, Debug)]
pub(crate) struct MadeUp {
    pub(crate) path: String,
    pub(crate) change: Change,
}

/// All files that there are.
pub(crate) fn files(core: &Core) -> Vec<MadeUp> {
    let mut files = proc::files();
    files.extend(sysfs_cpu::files(&core.options.hardware));
    files.extend(power_files::files(core));
    files
}

/// The current content of a file; `None` if it is not generated.
pub(crate) fn content(core: &Core, path: &str) -> Option<Vec<u8>> {
    proc::content(core, path)
        .or_else(|| sysfs_cpu::content(core, path))
        .or_else(|| power_files::content(core, path))
        .map(String::into_bytes)
}

/// Writes what may have changed since the last command.
pub(crate) fn refresh(core: &Core) {
    for file in files(core) {
        if file.change != Change::Never {
            write(core, &file.path);
        }
    }
    if !core.is_stopped() {
        proc::write_processes(core);
    }
}

/// Writes one file, before it is pulled.
pub(crate) fn refresh_one(core: &Core, path: &str) {
    if path.starts_with("/proc/") || path.starts_with("/sys/") {
        write(core, path);
    }
}

fn write(core: &Core, path: &str) {
    // A phone that ends is being removed.
    if core.is_stopped() {
        return;
    }
    let Some(content) = content(core, path) else { return };
    let host = core.files.on_host(path);
    write_whole(&host, &content);
}

/// Replaces a file so that no reader sees half of it.
fn write_whole(host: &Path, content: &[u8]) {
    if std::fs::read(host).is_ok_and(|old| old == content) {
        return;
    }
    if let Some(parent) = host.parent() {
        let _ = std::fs::create_dir_all(parent);
    }
    let mut name = std::ffi::OsString::from(".new-");
    name.push(format!("{:?}-", std::thread::current().id()));
    name.push(host.file_name().unwrap_or_default());
    let new = host.with_file_name(name);
    // A file that could not be written stays as it was: a reader sees an old value, as from a slow kernel.
    if std::fs::write(&new, content).is_ok() {
        let _ = std::fs::rename(&new, host);
    }
}
