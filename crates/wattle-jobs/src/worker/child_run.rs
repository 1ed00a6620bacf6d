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
use crate::queue::FirstFigures;

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
    first: Arc<Mutex<Option<FirstFigures>>>,
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

    /// Figures of the beginning of a recording since the last call.
    pub fn first_figures(&self) -> Option<FirstFigures> {
        self.first.lock().unwrap_or_else(PoisonError::into_inner).take()
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
    let (progress, first) = (Arc::clone(&link.progress), Arc::clone(&link.first));
    let reader = std::thread::spawn(move || {
        let mut text = ChildText::default();
        let Some(mut stderr) = stderr else { return text };
        let mut buffer = [0; 8192];
        while let Ok(count @ 1..) = stderr.read(&mut buffer) {
            let found = text.add(buffer.get(..count).unwrap_or_default());
            if found.is_some() {
                *progress.lock().unwrap_or_else(PoisonError::into_inner) = found;
            }
            if let Some(figures) = text.take_first() {
                *first.lock().unwrap_or_else(PoisonError::into_inner) = Some(figures);
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
    if text.contains("memory allocation of ") {
        let megabytes = limits.address_space >> 20;
        return format!(
            "out of memory: it needed more than the {megabytes} MB that a job may have"
        );
    }
    #[cfg(unix)]
    if let Some(signal) = std::os::unix::process::ExitStatusExt::signal(&status) {
        return described_signal(signal, limits);
    }
    match status.code() {
        Some(3) => "the input cannot be read".to_owned(),
        Some(4) => "the device or the environment failed".to_owned(),
        Some(70 | 101) => "internal error (please report)".to_owned(),
        Some(code) => format!("it ended with the exit code {code}"),
        None => "it ended without an exit code".to_owned(),
    }
}

/// The same of a process that a signal ended.
#[cfg(unix)]
fn described_signal(signal: i32, limits: &ChildLimits) -> String {
    use rustix::process::Signal;
    let is = |it: Signal| signal == it.as_raw();
    if is(Signal::XCPU) {
        let most = described_time(limits.cpu_seconds);
        return format!(
            "too slow: it used more than the {most} of processor time that a job may use"
        );
    }
    if is(Signal::KILL) {
        return "out of memory: the system ended it, most likely because the machine had no memory left"
            .to_owned();
    }
    if is(Signal::XFSZ) {
        let megabytes = limits.file_bytes >> 20;
        return format!("it wrote a file of more than the {megabytes} MB that a job may write");
    }
    if is(Signal::TERM) || is(Signal::INT) {
        return "it was ended from outside".to_owned();
    }
    let cause = match signal {
        it if it == Signal::ABORT.as_raw() => "it gave up",
        it if it == Signal::SEGV.as_raw() => "invalid memory access, or too deep a recursion",
        it if it == Signal::BUS.as_raw() => {
            "a file became shorter while it was read, or the disk is full"
        }
        it if it == Signal::ILL.as_raw() => "an instruction that this processor does not have",
        it if it == Signal::FPE.as_raw() => "an arithmetic error",
        _ => return format!("it crashed (signal {signal}); please report this"),
    };
    format!("it crashed ({cause}); please report this")
}

/// A time in words: `45 s`, `90 min`, `2 h`.
pub(crate) fn described_time(seconds: u64) -> String {
    let (hours, minutes) = (seconds / 3600, seconds % 3600 / 60);
    match seconds {
        0..120 => format!("{seconds} s"),
        120..7200 => format!("{} min", seconds / 60),
        _ if minutes == 0 => format!("{hours} h"),
        _ => format!("{hours} h {minutes} min"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_the_unit_that_people_would_use() {
        for (seconds, expected) in [
            (1, "1 s"),
            (119, "119 s"),
            (120, "2 min"),
            (5400, "90 min"),
            (7200, "2 h"),
            (9000, "2 h 30 min"),
            (86_400, "24 h"),
        ] {
            assert_eq!(described_time(seconds), expected);
        }
    }

    #[cfg(unix)]
    #[test]
    fn signals_are_said_in_words() {
        use std::os::unix::process::ExitStatusExt as _;
        let limits = ChildLimits { cpu_seconds: 7200, ..ChildLimits::default() };
        for (signal, expected) in [
            (9, "out of memory: the system ended it"),
            (24, "too slow: it used more than the 2 h of processor time"),
            (25, "it wrote a file of more than the 8192 MB"),
            (15, "it was ended from outside"),
            (6, "it crashed (it gave up)"),
            (11, "it crashed (invalid memory access"),
        ] {
            let text = described(ExitStatus::from_raw(signal), &limits, "");
            assert!(text.starts_with(expected) && !text.contains("signal"), "{signal}: {text}");
        }
        let text =
            described(ExitStatus::from_raw(6), &limits, "memory allocation of 9 bytes failed");
        assert!(text.starts_with("out of memory: it needed more than the 16384 MB"), "{text}");
    }
}
