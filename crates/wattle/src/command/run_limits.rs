//! Limits of a command that reads files of others: small files that need much memory or time end it with a message, before the machine
//! has neither.
//!
//! What a file unpacks to is bounded where it is unpacked ([`wattle_unpack`]). What is made of it is bounded here, in whichever
//! stage that happens: a thread looks at the memory of the process.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use anyhow::anyhow;
use wattle_unpack::UnpackBudget;

use super::{named_files, top, whole_file};
use crate::cli::{LimitFlags, RunsVerb, Verb};
use crate::exit::{self, Failure};

/// The time between two looks: memory grows by some 20 MB in it.
const PERIOD: Duration = Duration::from_millis(10);

/// Seconds of processor time for small files.
const LEAST_SECONDS: u64 = 600;
/// Bytes of input for each second beyond that.
const BYTES_PER_SECOND: u64 = 100_000;

/// Files of folders that are counted: recordings have dozens.
const MOST_FILES: usize = 100_000;

/// Whether limits hold no more.
static IS_OVER: AtomicBool = AtomicBool::new(false);

/// Ends the watch: what comes waits for a person.
pub fn lift() {
    IS_OVER.store(true, Ordering::Relaxed);
}

/// The memory and time that one command may take.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunLimits {
    memory: u64,
    seconds: u64,
    /// The input, as messages name it.
    input: String,
}

/// A limit that a command went past.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Excess {
    Memory,
    Time,
}

impl RunLimits {
    /// The limits of a command with input of others; `None` for any other.
    pub fn from_verb(verb: &Verb) -> Option<Self> {
        let (flags, unpacked) = match verb {
            Verb::Report(report) => (report.reading.limits, report.reading.unpack_limit),
            Verb::Diff(diff) => (diff.reading.limits, diff.reading.unpack_limit),
            Verb::Diagnose(diagnose) => (diagnose.reading.limits, diagnose.reading.unpack_limit),
            Verb::Export(export) => (export.reading.limits, export.reading.unpack_limit),
            Verb::Top(top) => (top.reading.limits, top.reading.unpack_limit),
            Verb::Calibrate(calibrate) => (calibrate.limits, None),
            // What an agent's server analyses.
            Verb::Mcp(mcp) if mcp.analyse.is_some() => (LimitFlags::default(), None),
            Verb::Verify(verify) => (verify.unpacking.limits, Some(verify.unpacking.unpack_limit)),
            Verb::Instrument(instrument) => {
                (instrument.unpacking.limits, Some(instrument.unpacking.unpack_limit))
            }
            Verb::Runs(runs) => match &runs.verb {
                Some(RunsVerb::Import(import)) => (import.limits, None),
                _ => return None,
            },
            _ => return None,
        };
        let read = named_files::read(verb);
        let size = read.iter().map(|path| size(path)).fold(0, u64::saturating_add);
        Some(Self::new(flags, unpacked.map(|size| size.0), size, named(&read)))
    }

    fn new(flags: LimitFlags, unpacked: Option<u64>, size: u64, input: String) -> Self {
        // Whoever lets files unpack to more has the memory for it.
        let usual = UnpackBudget::usual_limit(size).max(unpacked.unwrap_or(0));
        Self {
            // In whole megabytes, as messages say it.
            memory: flags.memory_limit.map_or(usual / 1_000_000 * 1_000_000, |asked| asked.0),
            seconds: flags.time_limit.unwrap_or((size / BYTES_PER_SECOND).max(LEAST_SECONDS)),
            input,
        }
    }

    /// Watches the command from now on.
    pub fn watch(self) {
        let watch = move || {
            while !IS_OVER.load(Ordering::Relaxed) {
                std::thread::sleep(PERIOD);
                if let Some(excess) = self.excess(memory(), cpu_seconds()) {
                    self.end(excess);
                }
            }
        };
        // Without a thread there are the limits of the system.
        let _ = std::thread::Builder::new().name("limits".to_owned()).spawn(watch);
    }

    fn excess(&self, memory: Option<u64>, seconds: Option<u64>) -> Option<Excess> {
        if memory.is_some_and(|memory| memory > self.memory) {
            Some(Excess::Memory)
        } else if seconds.is_some_and(|seconds| seconds > self.seconds) {
            Some(Excess::Time)
        } else {
            None
        }
    }

    fn message(&self, excess: Excess) -> String {
        let Self { memory, seconds, input } = self;
        match excess {
            Excess::Memory => format!(
                "{input}: needs more than {} of memory; --memory-limit sets another limit",
                crate::cli::ByteSize(*memory),
            ),
            Excess::Time => format!(
                "{input}: needs more than {seconds} s of processor time; --time-limit sets another limit"
            ),
        }
    }

    /// Ends the process: nothing of what it holds can be given back in time otherwise.
    fn end(&self, excess: Excess) -> ! {
        whole_file::abandon();
        top::leave_terminal();
        let _ = exit::report(&Err(Failure::Input(anyhow!(self.message(excess)))));
        std::process::exit(exit::INPUT.into());
    }
}

/// The input of a message.
fn named(read: &[&Path]) -> String {
    let names: Vec<_> = read.iter().take(3).map(|path| path.display().to_string()).collect();
    let more = if read.len() > names.len() { ", …" } else { "" };
    names.join(", ") + more
}

/// Bytes of a file, or of all files of a folder. What cannot be looked at has none.
fn size(path: &Path) -> u64 {
    let mut open = vec![PathBuf::from(path)];
    let (mut sum, mut files) = (0_u64, 0);
    while let Some(path) = open.pop() {
        let Ok(metadata) = path.metadata() else { continue };
        files += 1;
        if files > MOST_FILES {
            break;
        }
        if metadata.is_dir() {
            let entries = fs::read_dir(&path).into_iter().flatten().flatten();
            // A link to a folder can lead back to it.
            open.extend(entries.map(|entry| entry.path()).filter(|path| !path.is_symlink()));
        } else if metadata.is_file() {
            sum = sum.saturating_add(metadata.len());
        }
    }
    sum
}

/// Bytes of the process that are in memory.
fn memory() -> Option<u64> {
    memory_stats::memory_stats().map(|memory| memory.physical_mem as u64)
}

/// Processor time of all threads of the process.
#[cfg(unix)]
fn cpu_seconds() -> Option<u64> {
    use nix::sys::resource::{UsageWho, getrusage};
    let usage = getrusage(UsageWho::RUSAGE_SELF).ok()?;
    u64::try_from(usage.user_time().tv_sec() + usage.system_time().tv_sec()).ok()
}

#[cfg(not(unix))]
fn cpu_seconds() -> Option<u64> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::ByteSize;

    #[track_caller]
    fn check(flags: LimitFlags, unpacked: Option<u64>, size: u64, limits: (u64, u64)) {
        let found = RunLimits::new(flags, unpacked, size, "a".to_owned());
        assert_eq!((found.memory, found.seconds), limits);
        assert_eq!(found.excess(Some(limits.0), Some(limits.1)), None);
        assert_eq!(found.excess(Some(limits.0 + 1), Some(limits.1 + 1)), Some(Excess::Memory));
        assert_eq!(found.excess(None, Some(limits.1 + 1)), Some(Excess::Time));
        assert_eq!(found.excess(None, None), None);
    }

    #[test]
    fn limits_grow_with_the_input() {
        let none = LimitFlags::default();
        check(none, None, 0, (512_000_000, 600));
        check(none, None, 100_000_000, (3_200_000_000, 1000));
        check(none, Some(2_000_000_000), 1000, (2_000_000_000, 600));
        let asked = LimitFlags { memory_limit: Some(ByteSize(7_000_000)), time_limit: Some(2) };
        check(asked, Some(2_000_000_000), 100_000_000, (7_000_000, 2));
    }

    #[test]
    fn messages_name_the_flag() {
        let limits = RunLimits::new(LimitFlags::default(), None, 0, "a.trace".to_owned());
        let memory = "a.trace: needs more than 512MB of memory; --memory-limit sets another limit";
        assert_eq!(limits.message(Excess::Memory), memory);
        assert!(limits.message(Excess::Time).contains("600 s of processor time; --time-limit"));
    }

    #[test]
    fn folders_have_the_size_of_their_files() {
        let folder = tempfile::tempdir().expect("a folder");
        let inner = folder.path().join("inner");
        fs::create_dir(&inner).expect("a folder");
        fs::write(inner.join("a"), [0; 1000]).expect("a file");
        fs::write(folder.path().join("b"), [0; 234]).expect("a file");
        #[cfg(unix)]
        std::os::unix::fs::symlink(folder.path(), inner.join("back")).expect("a link");
        assert_eq!(size(folder.path()), 1234);
        assert_eq!(size(&folder.path().join("none")), 0);
    }

    #[test]
    fn this_process_has_memory() {
        assert!(memory().is_some_and(|bytes| bytes > 1_000_000));
    }
}
