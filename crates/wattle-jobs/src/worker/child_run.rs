//! Running a program of a job.

use std::ffi::OsString;
use std::io::Read as _;
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::ChildLimits;
use super::child_text::{ChildProgress, ChildText};

/// The pause between two looks at the process.
const PAUSE: Duration = Duration::from_millis(20);
/// The pause between two looks at what it has written.
const LOOK: Duration = Duration::from_secs(1);

/// A program to be run.
#[derive(Debug)]
pub(crate) struct ChildPlan {
    pub command: Vec<OsString>,
    pub folder: PathBuf,
    pub environment: Vec<(OsString, OsString)>,
    pub limits: ChildLimits,
    /// Whether it is asked to stop before it is made to.
    pub is_asked: bool,
}

/// The link between a worker and the thread that watches its process.
#[derive(Clone, Debug, Default)]
pub(crate) struct ChildLink {
    stop: Arc<AtomicBool>,
    progress: Arc<Mutex<Option<ChildProgress>>>,
}

impl ChildLink {
    /// Stops the process.
    pub fn stop(&self) {
        self.stop.store(true, Ordering::SeqCst);
    }

    /// The progress since the last call.
    pub fn progress(&self) -> Option<ChildProgress> {
        self.progress.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

/// The end of a process.
#[derive(Debug)]
pub(crate) struct ChildEnd {
    pub text: ChildText,
    pub cause: EndCause,
}

/// The cause of a process's end.
#[derive(Debug)]
pub(crate) enum EndCause {
    /// It ended.
    Exit(ExitStatus),
    /// It was stopped because somebody wanted it.
    Stopped,
    /// It took too long.
    TooLong,
    /// It wrote too much.
    TooMuch,
    /// It could not be started.
    NotStarted(std::io::Error),
}

/// Runs a program to its end. `written` says how much it has written.
///
/// The thread that calls this is the process's parent: if it ends, so does the process.
pub(crate) fn run(plan: &ChildPlan, link: &ChildLink, written: impl Fn() -> u64) -> ChildEnd {
    let mut child = match start(plan) {
        Ok(child) => child,
        Err(error) => {
            return ChildEnd { text: ChildText::default(), cause: EndCause::NotStarted(error) };
        }
    };
    let stderr = child.stderr.take();
    let progress = Arc::clone(&link.progress);
    let reader = std::thread::spawn(move || {
        let mut text = ChildText::default();
        let Some(mut stderr) = stderr else { return text };
        let mut buffer = [0; 8192];
        while let Ok(count @ 1..) = stderr.read(&mut buffer) {
            let found = text.add(buffer.get(..count).unwrap_or_default());
            if found.is_some() {
                *progress.lock().unwrap_or_else(PoisonError::into_inner) = found;
            }
        }
        text
    });
    let (limits, began) = (&plan.limits, Instant::now());
    let mut looked = began;
    // The cause of its stop, and the time at which patience ends.
    let mut stopping: Option<(EndCause, Instant)> = None;
    while !has_ended(&child) {
        let now = Instant::now();
        if stopping.is_none() {
            let cause = if link.stop.load(Ordering::SeqCst) {
                Some(EndCause::Stopped)
            } else if now.duration_since(began) > limits.wall {
                Some(EndCause::TooLong)
            } else if now.duration_since(looked) > LOOK {
                looked = now;
                (written() > limits.folder_bytes).then_some(EndCause::TooMuch)
            } else {
                None
            };
            if let Some(cause) = cause {
                let patience = if plan.is_asked { limits.grace } else { Duration::ZERO };
                if plan.is_asked {
                    ask_to_stop(&child);
                }
                stopping = Some((cause, now + patience));
            }
        }
        if stopping.as_ref().is_some_and(|(_, end)| now >= *end) {
            break;
        }
        std::thread::sleep(PAUSE);
    }
    // It has not been waited for yet, so that its number, and its group's, is nobody else's.
    kill_group(&mut child);
    let status = child.wait();
    let text = reader.join().unwrap_or_default();
    let cause = match (stopping, status) {
        (Some((cause, _)), _) => cause,
        (None, Ok(status)) => EndCause::Exit(status),
        (None, Err(error)) => EndCause::NotStarted(error),
    };
    ChildEnd { text, cause }
}

fn start(plan: &ChildPlan) -> std::io::Result<Child> {
    let (program, arguments) =
        plan.command.split_first().ok_or_else(|| std::io::Error::other("there is no program"))?;
    let mut command = Command::new(program);
    command.args(arguments).current_dir(&plan.folder).env_clear();
    command.envs(plan.environment.iter().map(|(name, value)| (name, value)));
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    command.spawn()
}

#[cfg(unix)]
fn pid(child: &Child) -> Option<rustix::process::Pid> {
    rustix::process::Pid::from_raw(i32::try_from(child.id()).ok()?)
}

/// Whether the process has ended. It is not waited for.
#[cfg(unix)]
fn has_ended(child: &Child) -> bool {
    use rustix::process::{WaitId, WaitIdOptions, waitid};
    let Some(pid) = pid(child) else { return true };
    let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT | WaitIdOptions::NOHANG;
    !matches!(waitid(WaitId::Pid(pid), options), Ok(None))
}

#[cfg(unix)]
fn ask_to_stop(child: &Child) {
    if let Some(pid) = pid(child) {
        let _ = rustix::process::kill_process(pid, rustix::process::Signal::TERM);
    }
}

/// Ends the process and all that it started in its group.
#[cfg(unix)]
fn kill_group(child: &mut Child) {
    if let Some(pid) = pid(child) {
        let _ = rustix::process::kill_process_group(pid, rustix::process::Signal::KILL);
    }
}

#[cfg(not(unix))]
fn has_ended(_: &Child) -> bool {
    true
}

#[cfg(not(unix))]
fn ask_to_stop(_: &Child) {}

#[cfg(not(unix))]
fn kill_group(child: &mut Child) {
    let _ = child.kill();
}

/// One line about a process that ended without success.
pub(crate) fn described(status: ExitStatus, limits: &ChildLimits, text: &str) -> String {
    let out_of_memory = text.contains("memory allocation of ");
    #[cfg(unix)]
    {
        use rustix::process::Signal;
        let signal = std::os::unix::process::ExitStatusExt::signal(&status);
        let is = |it: Signal| signal == Some(it.as_raw());
        if out_of_memory {
            return format!(
                "it needed more memory than the {} MB that a job may have",
                limits.address_space >> 20
            );
        }
        if is(Signal::XCPU) || (is(Signal::KILL) && limits.cpu_seconds < limits.wall.as_secs()) {
            return format!(
                "it was ended by the system: more than {} s of processor time, or no memory",
                limits.cpu_seconds
            );
        }
        if is(Signal::XFSZ) {
            return format!("it wrote a file of more than {} MB", limits.file_bytes >> 20);
        }
        if let Some(signal) = signal {
            return format!("it crashed (signal {signal}); please report this");
        }
    }
    match status.code() {
        Some(3) => "the input cannot be read".to_owned(),
        Some(4) => "the device or the environment failed".to_owned(),
        Some(70 | 101) => "internal error (please report)".to_owned(),
        Some(code) => format!("it ended with the exit code {code}"),
        None => "it ended without an exit code".to_owned(),
    }
}
