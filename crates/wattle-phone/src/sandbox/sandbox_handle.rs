//! The sandbox, as the phone holds it.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io::{self, Read as _};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::GuestProcess;
use super::sandbox_plan::KEEPER;
use super::session_request::{send_end, send_run, send_signal};

/// Time for a sandbox to end by itself.
const PATIENCE: Duration = Duration::from_secs(2);

/// The word with which the first process says that it serves.
pub(super) const READY: &[u8] = b"ready\n";

/// A sandbox that runs.
#[derive(Debug)]
pub(crate) struct Sandbox {
    control: Mutex<UnixStream>,
    keeper: Mutex<Child>,
    /// This machine's number of its first process.
    first: u32,
}

/// A process in the sandbox.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Guest {
    /// Its number in the phone.
    pub(crate) pid: u32,
    /// That of its parent in the phone; 1 where it is gone.
    pub(crate) parent: u32,
    /// This machine's number of it.
    pub(crate) host: u32,
    /// The kernel's name of it.
    pub(crate) name: String,
}

impl Sandbox {
    /// Starts a sandbox by a plan.
    ///
    /// # Errors
    /// If the kernel refuses.
    pub(crate) fn start(
        tool: &[OsString],
        plan: &Path,
        environment: BTreeMap<&'static str, OsString>,
    ) -> io::Result<Self> {
        let (program, words) = tool.split_first().ok_or(io::ErrorKind::InvalidInput)?;
        let (control, theirs) = UnixStream::pair()?;
        let mut keeper = Command::new(program)
            .args(words)
            .arg(KEEPER)
            .arg(plan)
            .env_clear()
            .envs(environment)
            // A terminal's Ctrl-C is the phone's to handle.
            .process_group(0)
            .stdin(OwnedFd::from(theirs))
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()?;
        let mut said = Vec::new();
        if let Some(out) = keeper.stdout.take() {
            out.take(READY.len() as u64).read_to_end(&mut said)?;
        }
        if said != READY {
            drop(control);
            let mut reason = String::new();
            if let Some(err) = keeper.stderr.take() {
                err.take(4096).read_to_string(&mut reason)?;
            }
            let _ = keeper.wait();
            return Err(io::Error::new(io::ErrorKind::PermissionDenied, reason.trim().to_owned()));
        }
        let first = children(keeper.id()).first().copied().unwrap_or_default();
        Ok(Self { control: Mutex::new(control), keeper: Mutex::new(keeper), first })
    }

    fn control(&self) -> std::sync::MutexGuard<'_, UnixStream> {
        self.control.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Starts the shell with a search path and arguments. `files`: standard input, output and error.
    pub(crate) fn run(&self, words: &[String], files: [OwnedFd; 3]) -> io::Result<GuestProcess> {
        let (session, theirs) = UnixStream::pair()?;
        let [input, output, error] = &files;
        let all = [theirs.as_fd(), input.as_fd(), output.as_fd(), error.as_fd()];
        send_run(&mut self.control(), words, all)?;
        // Ends of pipes that are kept here would keep their readers waiting.
        drop((theirs, files));
        GuestProcess::started(session)
    }

    /// Sends a signal to a process of the sandbox. One that has ended needs none.
    pub(crate) fn signal(&self, pid: u32, signal: rustix::process::Signal) {
        let _ = send_signal(&mut self.control(), pid, signal.as_raw());
    }

    /// Whether a process of this number runs in it.
    pub(crate) fn holds(&self, pid: u32) -> bool {
        self.guests().iter().any(|guest| guest.pid == pid)
    }

    /// All processes in it but the first.
    pub(crate) fn guests(&self) -> Vec<Guest> {
        let mut found = Vec::new();
        let mut open: Vec<(u32, u32)> =
            children(self.first).into_iter().map(|host| (host, 1)).collect();
        while let Some((host, parent)) = open.pop() {
            let Some((pid, name)) = identity(host) else { continue };
            open.extend(children(host).into_iter().map(|child| (child, pid)));
            found.push(Guest { pid, parent, host, name });
        }
        found
    }
}

impl Drop for Sandbox {
    fn drop(&mut self) {
        let _ = send_end(&mut self.control());
        let keeper = self.keeper.get_mut().unwrap_or_else(PoisonError::into_inner);
        let end = Instant::now() + PATIENCE;
        while Instant::now() < end {
            if !matches!(keeper.try_wait(), Ok(None)) {
                return;
            }
            std::thread::sleep(Duration::from_millis(1));
        }
        // The first process dies with it, and everything with that.
        let _ = keeper.kill();
        let _ = keeper.wait();
    }
}

/// Processes that a process of this machine has started.
fn children(host: u32) -> Vec<u32> {
    let tasks = std::fs::read_dir(format!("/proc/{host}/task")).into_iter().flatten().flatten();
    let lists = tasks.filter_map(|task| std::fs::read_to_string(task.path().join("children")).ok());
    let text: String = lists.map(|list| list + " ").collect();
    text.split_whitespace().filter_map(|pid| pid.parse().ok()).collect()
}

/// The number in its own namespace and the name of a process that has not ended.
fn identity(host: u32) -> Option<(u32, String)> {
    let status = std::fs::read_to_string(format!("/proc/{host}/status")).ok()?;
    let field = |name: &str| {
        let line = status.lines().find_map(|line| line.strip_prefix(name))?;
        Some(line.trim_start_matches(':').trim())
    };
    if field("State")?.starts_with(['Z', 'X']) {
        return None;
    }
    let pid = field("NSpid")?.split_whitespace().next_back()?.parse().ok()?;
    Some((pid, field("Name")?.to_owned()))
}
