//! The process between the phone and its sandbox.

use std::io::{self, Read as _, Write as _};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::process::Command;

use rustix::process::{getegid, geteuid};
use rustix::thread::{
    CapabilitySet, CapabilitySets, UnshareFlags, capabilities, configure_capability_in_ambient_set,
    set_capabilities,
};

use super::SandboxPlan;
use super::sandbox_plan::INIT;
use super::session_request::FAREWELL;

/// The user and group that the shell has on Android (`AID_SHELL`).
const SHELL: u32 = 2000;
/// The beginning of the names of folders that may be removed.
pub(crate) const FOLDER_PREFIX: &str = "wattle-phone-";
/// The name in the phone's folder of the socket of an adb server for this phone alone.
pub(crate) const ADB_SOCKET: &str = "adb";

/// Makes the user and process namespaces, starts their first process, and waits for its end.
///
/// # Errors
/// If the kernel refuses.
pub(crate) fn keep(plan: &Path) -> io::Result<u8> {
    let settings = SandboxPlan::read(plan)?;
    let (user, group) = (geteuid().as_raw(), getegid().as_raw());
    unshare(UnshareFlags::NEWUSER | UnshareFlags::NEWPID)
        .map_err(|error| said("a user namespace", &error))?;
    let map = |file: &str, text: String| {
        std::fs::write(format!("/proc/self/{file}"), text)
            .map_err(|error| said("users of a namespace", &error))
    };
    map("setgroups", "deny".to_owned())?;
    map("uid_map", format!("{SHELL} {user} 1"))?;
    map("gid_map", format!("{SHELL} {group} 1"))?;
    pass_on_capabilities().map_err(|error| said("capabilities in a namespace", &error))?;
    let program = std::env::current_exe()?;
    let mut words: Vec<_> = std::env::args_os().skip(1).collect();
    // The same words as this process has, but for its name and the plan at their end.
    words.truncate(words.len().saturating_sub(2));
    let status = Command::new(program).args(words).arg(INIT).arg(plan).status()?;
    let status = status.code().unwrap_or(1);
    let name = settings.base.file_name().unwrap_or_default().to_string_lossy();
    if status != i32::from(FAREWELL) && name.starts_with(FOLDER_PREFIX) {
        // The phone ended without a word, and can end and remove nothing any more.
        end_adb_server(&settings.base.join(ADB_SOCKET));
        let _ = std::fs::remove_dir_all(&settings.base);
    }
    Ok(u8::try_from(status).unwrap_or(1))
}

/// Ends an adb server that listens on a socket, if any does (`host:kill` with its length before it).
pub(crate) fn end_adb_server(socket: &Path) {
    let Ok(mut server) = UnixStream::connect(socket) else { return };
    let limit = Some(std::time::Duration::from_secs(2));
    let asked = server.set_read_timeout(limit).and_then(|()| server.write_all(b"0009host:kill"));
    // It answers before it ends, and closes when it has.
    if asked.is_ok() {
        let _ = server.read_to_end(&mut Vec::new());
    }
}

/// Lets the first process mount and choose numbers of processes; it gives both up before it serves.
fn pass_on_capabilities() -> io::Result<()> {
    let has = capabilities(None)?;
    set_capabilities(None, CapabilitySets { inheritable: has.permitted, ..has })?;
    for capability in [CapabilitySet::SYS_ADMIN, CapabilitySet::CHECKPOINT_RESTORE] {
        configure_capability_in_ambient_set(capability, true)?;
    }
    Ok(())
}

/// Moves this process, which has one thread, into new namespaces.
#[expect(
    deprecated,
    reason = "the other one is unsafe for open files of several threads, which are not unshared here"
)]
pub(super) fn unshare(flags: UnshareFlags) -> io::Result<()> {
    Ok(rustix::thread::unshare(flags)?)
}

/// The error with what was refused.
pub(super) fn said(what: &str, error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("{what}: {error}"))
}
