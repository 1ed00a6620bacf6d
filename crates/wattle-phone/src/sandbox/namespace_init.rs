//! The first process of a sandbox: it makes the phone's world, gives up what it could do with it, and starts shells.

use std::collections::BTreeMap;
use std::io::{self, Read as _, Write as _};
use std::os::fd::{AsFd as _, OwnedFd};
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use rustix::fs::StatVfsMountFlags;
use rustix::io::Errno;
use rustix::mount::{
    MountFlags, MountPropagationFlags, UnmountFlags, mount, mount_bind, mount_change,
    mount_remount, unmount,
};
use rustix::process::{
    DumpableBehavior, Pid, Resource, Rlimit, Signal, WaitId, WaitIdOptions, WaitOptions,
    kill_process, kill_process_group, pivot_root, set_dumpable_behavior,
    set_parent_process_death_signal, setrlimit, test_kill_process_group, wait, waitid,
};
use rustix::thread::{
    CapabilitySet, CapabilitySets, UnshareFlags, clear_ambient_capability_set, set_capabilities,
    set_no_new_privs,
};

use super::SandboxPlan;
use super::keeper::{said, unshare};
use super::sandbox_handle::READY;
use super::session_request::{FAREWELL, Request, receive};

/// The shell of this machine, in the phone.
const SHELL: &str = "/system/bin/.sh";
/// Folders of the phone that commands may write to.
const WRITABLE: [&str; 3] = ["data", "storage", "mnt"];
/// Devices of this machine that harm nobody.
const DEVICES: [&str; 5] = ["null", "zero", "full", "random", "urandom"];
/// The last number of a process before the first of a shell: those of the phone's own services are lower.
const LAST_NUMBER: &str = "8191";
/// Most processes at once. Kernels before 5.14 count all of the user's.
const MOST_PROCESSES: u64 = 8192;
/// Time between asking a command to end and killing it.
const GRACE: Duration = Duration::from_millis(300);

/// Becomes the first process by a plan, and serves until the phone is gone. Gives the status to exit with.
///
/// # Errors
/// If the kernel refuses, before anything was served.
pub(crate) fn begin(plan: &Path) -> io::Result<u8> {
    let plan = SandboxPlan::read(plan)?;
    enter(&plan)?;
    restrict_itself(&plan).map_err(|error| said("giving up capabilities", &error))?;
    let control = UnixStream::from(io::stdin().as_fd().try_clone_to_owned()?);
    io::stdout().write_all(READY)?;
    io::stdout().flush()?;
    Ok(serve(control))
}

/// Makes the phone's world, and leaves this machine's.
fn enter(plan: &SandboxPlan) -> io::Result<()> {
    let spaces = UnshareFlags::NEWNS | UnshareFlags::NEWNET | UnshareFlags::NEWIPC;
    unshare(spaces | UnshareFlags::NEWUTS).map_err(|error| said("namespaces", &error))?;
    std::fs::write("/proc/sys/kernel/ns_last_pid", LAST_NUMBER)
        .map_err(|error| said("numbers of processes", &error))?;
    let mounted = || -> io::Result<()> {
        mount_change("/", MountPropagationFlags::REC | MountPropagationFlags::PRIVATE)?;
        mount_bind(&plan.root, &plan.root)?;
        for folder in WRITABLE {
            let folder = plan.root.join(folder);
            mount_bind(&folder, &folder)?;
            restrict(&folder, MountFlags::NOSUID | MountFlags::NODEV)?;
        }
        let sealed = MountFlags::RDONLY | MountFlags::NOSUID | MountFlags::NODEV;
        restrict(&plan.root, sealed)?;
        for (host, phone) in &plan.shown {
            let target = plan.root.join(phone.strip_prefix("/").unwrap_or(phone));
            mount_bind(host, &target)
                .map_err(|error| said(&host.to_string_lossy(), &error.into()))?;
            restrict(&target, sealed)?;
        }
        make_devices(plan)?;
        std::env::set_current_dir(&plan.root)?;
        pivot_root(".", ".")?;
        unmount(".", UnmountFlags::DETACH)?;
        std::env::set_current_dir("/")
    };
    mounted().map_err(|error| said("mounting the phone's folders", &error))?;
    rustix::system::sethostname(b"localhost").map_err(|error| said("a host name", &error.into()))
}

/// Restricts a mount, and keeps what it is restricted by already, which could not be taken away.
fn restrict(target: &Path, flags: MountFlags) -> io::Result<()> {
    let has = rustix::fs::statvfs(target)?.f_flag;
    let known = [
        (StatVfsMountFlags::NOSUID, MountFlags::NOSUID),
        (StatVfsMountFlags::NODEV, MountFlags::NODEV),
        (StatVfsMountFlags::NOEXEC, MountFlags::NOEXEC),
    ];
    let kept = known.iter().filter(|(is, _)| has.contains(*is)).map(|(_, flag)| *flag);
    let flags = kept.fold(flags, |all, flag| all | flag);
    Ok(mount_remount(target, MountFlags::BIND | flags, "")?)
}

fn make_devices(plan: &SandboxPlan) -> io::Result<()> {
    let folder = plan.root.join("dev");
    let flags = MountFlags::NOSUID | MountFlags::NOEXEC;
    mount("tmpfs", &folder, "tmpfs", flags, Some(c"size=64k,mode=755"))?;
    for name in DEVICES {
        let target = folder.join(name);
        std::fs::write(&target, "")?;
        mount_bind(Path::new("/dev").join(name), &target)?;
    }
    std::fs::create_dir(folder.join("socket"))?;
    let target = folder.join("socket/wattle");
    std::fs::write(&target, "")?;
    mount_bind(&plan.socket, &target)?;
    restrict(&folder, flags | MountFlags::RDONLY)
}

/// From here on this process, and whatever it starts, can do nothing that a user cannot.
fn restrict_itself(plan: &SandboxPlan) -> io::Result<()> {
    let limit =
        |resource, most| setrlimit(resource, Rlimit { current: Some(most), maximum: Some(most) });
    limit(Resource::Core, 0)?;
    limit(Resource::Fsize, plan.most_file_bytes)?;
    // A lower limit that this process has already stays.
    let _ = limit(Resource::Nproc, MOST_PROCESSES);
    set_no_new_privs(true)?;
    clear_ambient_capability_set()?;
    let none = CapabilitySet::empty();
    set_capabilities(None, CapabilitySets { effective: none, permitted: none, inheritable: none })?;
    leave_keys()?;
    // Else what runs in the phone could trace this process: stop it, and use its socket to the keeper.
    set_dumpable_behavior(DumpableBehavior::NotDumpable)?;
    Ok(set_parent_process_death_signal(Some(Signal::KILL))?)
}

/// Leaves the session keyring of whoever started the phone, which namespaces do not part from.
fn leave_keys() -> io::Result<()> {
    let Err(error) = keyutils::Keyring::join_anonymous_session() else { return Ok(()) };
    match Errno::from_raw_os_error(error.0) {
        // Kernels without keys, and containers that forbid them to everybody.
        Errno::NOSYS | Errno::PERM => Ok(()),
        other => Err(other.into()),
    }
}

/// Ends of processes, and who waits for them.
#[derive(Debug, Default)]
struct Ends {
    waiting: Mutex<BTreeMap<i32, Sender<u8>>>,
    started: Condvar,
}

impl Ends {
    fn waiting(&self) -> MutexGuard<'_, BTreeMap<i32, Sender<u8>>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes the ends of all processes, those of orphans too.
    fn reap(&self) {
        loop {
            let next = waitid(WaitId::All, WaitIdOptions::EXITED | WaitIdOptions::NOWAIT);
            let mut waiting = self.waiting();
            if matches!(next, Err(Errno::CHILD)) {
                // Nothing runs; one that starts meanwhile is seen at the latest then.
                let waited = self.started.wait_timeout(waiting, Duration::from_millis(100));
                drop(waited);
                continue;
            }
            while let Ok(Some((pid, status))) = wait(WaitOptions::NOHANG) {
                let signal = status.terminating_signal().map(|signal| 128 + signal);
                let status = status.exit_status().or(signal).unwrap_or(255);
                if let Some(waits) = waiting.remove(&pid.as_raw_nonzero().get()) {
                    // A session that is gone waits for nothing.
                    let _ = waits.send(status as u8);
                }
            }
        }
    }

    /// Starts a command; its status comes when it ends.
    fn start(&self, command: &mut Command) -> io::Result<(Pid, Receiver<u8>)> {
        let mut waiting = self.waiting();
        let child = command.spawn()?;
        let (sender, receiver) = channel();
        let pid = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
        let pid = pid.ok_or(io::ErrorKind::InvalidData)?;
        waiting.insert(pid.as_raw_nonzero().get(), sender);
        drop(waiting);
        self.started.notify_all();
        Ok((pid, receiver))
    }
}

fn serve(mut control: UnixStream) -> u8 {
    let ends = Arc::new(Ends::default());
    let reaper = Arc::clone(&ends);
    if std::thread::Builder::new().spawn(move || reaper.reap()).is_err() {
        return 1;
    }
    loop {
        match receive(&mut control) {
            Ok(Some(Request::Run(words, files))) => {
                let ends = Arc::clone(&ends);
                // Without a thread the session's socket closes, which the phone sees.
                let _ = std::thread::Builder::new().spawn(move || attend(&ends, &words, files));
            }
            Ok(Some(Request::Signal(pid, signal))) => send_signal(pid, signal),
            Ok(Some(Request::End)) => return FAREWELL,
            Ok(None) | Err(_) => return 0,
        }
    }
}

fn send_signal(pid: u32, signal: i32) {
    let pid = i32::try_from(pid).ok().filter(|pid| *pid > 1).and_then(Pid::from_raw);
    if let (Some(pid), Some(signal)) = (pid, Signal::from_named_raw(signal)) {
        let _ = kill_process(pid, signal);
    }
}

/// Runs one session to its end.
fn attend(ends: &Ends, words: &[String], files: [OwnedFd; 4]) {
    let [session, input, output, error] = files;
    let mut session = UnixStream::from(session);
    let (path, arguments) = words.split_first().map_or(("", words), |(path, rest)| (path, rest));
    let mut command = Command::new(SHELL);
    command.args(arguments).env("PATH", path).current_dir("/").arg0("sh").process_group(0);
    command.stdin(input).stdout(output).stderr(error);
    let started = ends.start(&mut command);
    // It holds ends of pipes.
    drop(command);
    let Ok((pid, status)) = started else {
        let _ = session.write_all(&[0; 4]);
        return;
    };
    let is_over = Arc::new(AtomicBool::new(false));
    // A phone that is gone has ended this process already.
    let _ = session.write_all(&pid.as_raw_nonzero().get().to_le_bytes());
    if let Ok(mut asked) = session.try_clone() {
        let is_over = Arc::clone(&is_over);
        let _ = std::thread::Builder::new().spawn(move || {
            let mut byte = [0];
            let is_asked = matches!(asked.read(&mut byte), Ok(1));
            if is_asked || !is_over.load(Ordering::SeqCst) {
                end_group(pid);
            }
        });
    }
    let status = status.recv().unwrap_or(255);
    is_over.store(true, Ordering::SeqCst);
    let _ = session.write_all(&[status]);
}

/// Ends a command with everything that it has started.
fn end_group(group: Pid) {
    // A group that has ended needs no end.
    let _ = kill_process_group(group, Signal::HUP);
    let end = Instant::now() + GRACE;
    while Instant::now() < end {
        if test_kill_process_group(group).is_err() {
            return;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    let _ = kill_process_group(group, Signal::KILL);
}
