//! Confining a process: limits are set by the process itself, before it becomes the program.
//!
//! A worker starts `LAUNCHER PLAN PROGRAM ARGUMENTS…`, and the launcher, which is [`confined_child`], limits itself and then becomes
//! the program. So there is no moment at which the program runs without limits.

use std::ffi::OsString;
use std::io;
use std::path::PathBuf;

use super::ChildLimits;

/// The confinement of a process, as its launcher's first argument.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub(crate) struct Confinement {
    pub limits: ChildLimits,
    /// The worker's process. The child ends with it.
    pub parent: u32,
    /// Whether it is only asked to stop when its worker dies, because it has a device to put back.
    pub is_asked: bool,
    /// The only files and folders that it can reach, and whether it may write there; `None` for all.
    pub files: Option<Vec<(PathBuf, bool)>>,
}

/// Becomes the program that the arguments name, with the limits that the first of them states. Returns only if that is impossible.
///
/// It is for the main function of the program that [`WorkerSettings::launcher`](crate::WorkerSettings::launcher) names, with the arguments
/// behind the launcher's own.
pub fn confined_child(arguments: &[OsString]) -> io::Error {
    let [plan, program, arguments @ ..] = arguments else {
        return io::Error::other("expected a plan, a program and its arguments");
    };
    let plan = plan.to_str().and_then(|plan| serde_json::from_str::<Confinement>(plan).ok());
    let Some(plan) = plan else { return io::Error::other("the plan cannot be read") };
    match plan.confine() {
        Ok(()) => become_program(program, arguments),
        Err(error) => error,
    }
}

#[cfg(unix)]
fn become_program(program: &OsString, arguments: &[OsString]) -> io::Error {
    std::os::unix::process::CommandExt::exec(std::process::Command::new(program).args(arguments))
}

#[cfg(not(unix))]
fn become_program(_: &OsString, _: &[OsString]) -> io::Error {
    io::Error::other("workers need a Unix system")
}

impl Confinement {
    #[cfg(not(target_os = "linux"))]
    #[expect(clippy::unused_self, reason = "there is nothing to confine")]
    fn confine(&self) -> io::Result<()> {
        Err(io::Error::other("workers need Linux"))
    }

    #[cfg(target_os = "linux")]
    fn confine(&self) -> io::Result<()> {
        use rustix::process::{self, Resource, Rlimit, Signal};
        let signal = if self.is_asked { Signal::TERM } else { Signal::KILL };
        process::set_parent_process_death_signal(Some(signal))?;
        let parent = process::getppid().map(|pid| pid.as_raw_nonzero().get());
        if parent != i32::try_from(self.parent).ok() {
            // It died before it could be watched.
            return Err(io::Error::other("the worker is gone"));
        }
        let limits = &self.limits;
        for (resource, most) in [
            (Resource::Core, 0),
            (Resource::As, limits.address_space),
            (Resource::Cpu, limits.cpu_seconds),
            (Resource::Fsize, limits.file_bytes),
            (Resource::Nofile, limits.open_files),
        ] {
            // A limit that is lower already stays.
            let known = process::getrlimit(resource).maximum.unwrap_or(u64::MAX);
            // The first limit of processor time ends a process with a signal that says so, the second one with one that says nothing.
            let hard = if resource == Resource::Cpu { most.saturating_add(5) } else { most };
            let limit = Rlimit { current: Some(most.min(known)), maximum: Some(hard.min(known)) };
            process::setrlimit(resource, limit)?;
        }
        rustix::thread::set_no_new_privs(true)?;
        match &self.files {
            Some(files) => confine_files(files).map_err(io::Error::other),
            None => Ok(()),
        }
    }
}

/// Whether the kernel can confine a job to its folder and keep it from the network, so that [`WorkerSettings::confines`] has its effect.
///
/// [`WorkerSettings::confines`]: crate::WorkerSettings::confines
pub fn kernel_confines() -> bool {
    #[cfg(target_os = "linux")]
    {
        use landlock::{
            ABI, Access as _, AccessFs, AccessNet, CompatLevel, Compatible as _, Ruleset,
            RulesetAttr as _,
        };
        let all = Ruleset::default().set_compatibility(CompatLevel::HardRequirement);
        let all = all.handle_access(AccessFs::from_all(ABI::V4));
        let all = all.and_then(|it| it.handle_access(AccessNet::from_all(ABI::V4)));
        all.and_then(Ruleset::create).is_ok()
    }
    #[cfg(not(target_os = "linux"))]
    false
}

/// Takes away all files but these, TCP connections, and signals to others, as far as the kernel knows Landlock.
#[cfg(target_os = "linux")]
fn confine_files(files: &[(PathBuf, bool)]) -> Result<(), landlock::RulesetError> {
    use landlock::{
        ABI, Access as _, AccessFs, AccessNet, PathBeneath, PathFd, Ruleset, RulesetAttr as _,
        RulesetCreatedAttr as _, Scope,
    };
    // What an older kernel does not know is left out.
    let abi = ABI::V6;
    let mut ruleset = Ruleset::default()
        .handle_access(AccessFs::from_all(abi))?
        .handle_access(AccessNet::from_all(abi))?
        .scope(Scope::from_all(abi))?
        .create()?;
    for (path, is_writable) in files {
        // Not every system has every folder.
        let (Ok(handle), Ok(known)) = (PathFd::new(path), std::fs::metadata(path)) else {
            continue;
        };
        let mut access = match is_writable {
            true => AccessFs::from_all(abi),
            false => AccessFs::from_read(abi),
        };
        if !known.is_dir() {
            access &= AccessFs::from_file(abi);
        }
        ruleset = ruleset.add_rule(PathBeneath::new(handle, access))?;
    }
    ruleset.restrict_self().map(|_| ())
}
