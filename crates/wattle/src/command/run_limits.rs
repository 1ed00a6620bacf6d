//! Limits of a command that reads files of others: small files that need much memory or time end it with a message, before the machine
//! has neither.
//!
//! Unpacked bytes are bounded where they are unpacked ([`wattle_unpack`]), and all that is made of them here, in whichever stage that
//! happens: a thread looks at the memory of the process.

use std::fs;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use anyhow::{Context as _, anyhow};
use wattle_unpack::UnpackBudget;

use super::{input_names, named_files, whole_file};
use crate::cli::{ByteSize, LimitFlags, RunsVerb, Verb};
use crate::exit::{self, Failure, Outcome};

/// The time between two looks: memory grows by some 20 MB in it.
const PERIOD: Duration = Duration::from_millis(10);

/// Bytes of memory for each byte of a file: a page of a method trace takes some 50.
const OF_BYTE: u64 = 64;
/// The same where the file is packed: recordings unpack to 2 to 20 times their size.
const OF_PACKED_BYTE: u64 = 128;

/// The beginnings of packed files: gzip, ZIP.
const PACKED: [&[u8]; 2] = [b"\x1f\x8b", b"PK\x03\x04"];

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

/// Work that is done before the process is ended.
static BEFORE_END: Mutex<Option<fn()>> = Mutex::new(None);

/// Has something put back before the process is ended.
pub fn before_end(work: fn()) {
    *BEFORE_END.lock().unwrap_or_else(PoisonError::into_inner) = Some(work);
}

/// The memory and time that one command may take.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunLimits {
    memory: u64,
    seconds: u64,
    /// The input, as messages name it.
    input: String,
    /// Whether flags set other limits.
    has_flags: bool,
    /// Whether the command itself ends when it is interrupted.
    has_own_end: bool,
}

/// Whether a command has no flags for its limits: it reads models, tables, ledgers and results, which are small; calibrates; or analyses
/// for a server of agents.
fn has_usual_limits(verb: &Verb) -> bool {
    match verb {
        Verb::Model(_)
        | Verb::Import(_)
        | Verb::Check(_)
        | Verb::Baseline(_)
        | Verb::Calibrate(_) => true,
        Verb::Mcp(mcp) => mcp.analyse.is_some(),
        _ => false,
    }
}

/// The sizes of files.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct InputSize {
    /// Bytes on disk.
    bytes: u64,
    /// The memory that they may need.
    memory: u64,
}

impl InputSize {
    /// Of a file, or of all files of a folder. What cannot be looked at has none.
    fn from_path(path: &Path) -> Self {
        let mut open = vec![PathBuf::from(path)];
        let (mut sum, mut files) = (Self::default(), 0);
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
                let of_byte = if is_packed(&path) { OF_PACKED_BYTE } else { OF_BYTE };
                let bytes = metadata.len();
                sum = sum.and(Self { bytes, memory: bytes.saturating_mul(of_byte) });
            }
        }
        sum
    }

    const fn and(self, other: Self) -> Self {
        Self {
            bytes: self.bytes.saturating_add(other.bytes),
            memory: self.memory.saturating_add(other.memory),
        }
    }
}

/// A limit that a command went past.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Excess {
    Memory,
    Time,
}

/// Has unfinished files deleted when the process is interrupted. Once set, it stays.
pub fn abandon_when_interrupted() {
    // One that cannot be set leaves the system's.
    let _ = ctrlc::set_handler(|| {
        whole_file::abandon();
        std::process::exit(exit::INTERRUPTED);
    });
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
            Verb::Verify(verify) => (verify.unpacking.limits, Some(verify.unpacking.unpack_limit)),
            Verb::Instrument(instrument) => {
                (instrument.unpacking.limits, Some(instrument.unpacking.unpack_limit))
            }
            Verb::Runs(runs) => match &runs.verb {
                Some(RunsVerb::Import(import)) => (import.limits, None),
                _ => return None,
            },
            _ if has_usual_limits(verb) => (LimitFlags::default(), None),
            _ => return None,
        };
        let read = named_files::read(verb);
        let sizes = read.iter().map(|path| InputSize::from_path(path));
        let size = sizes.fold(InputSize::default(), InputSize::and);
        let limits = Self::new(flags, unpacked.map(|size| size.0), size, named(&read));
        Some(Self {
            has_flags: !has_usual_limits(verb),
            has_own_end: matches!(verb, Verb::Top(_)),
            ..limits
        })
    }

    fn new(flags: LimitFlags, unpacked: Option<u64>, size: InputSize, input: String) -> Self {
        // Whoever lets files unpack to more has the memory for it.
        let usual = UnpackBudget::DEFAULT.max(size.memory).max(unpacked.unwrap_or(0));
        Self {
            // In whole megabytes, as messages say it.
            memory: flags.memory_limit.map_or(usual / 1_000_000 * 1_000_000, |asked| asked.0),
            seconds: flags.time_limit.unwrap_or((size.bytes / BYTES_PER_SECOND).max(LEAST_SECONDS)),
            input,
            has_flags: true,
            has_own_end: false,
        }
    }

    /// Watches the command from now on, and deletes what it has not finished if it is interrupted.
    ///
    /// # Errors
    /// If there is no thread to be had for it: nothing would end the command.
    pub fn watch(self) -> Outcome {
        let has_own_end = self.has_own_end;
        let watch = move || {
            while !IS_OVER.load(Ordering::Relaxed) {
                std::thread::sleep(PERIOD);
                if let Some(excess) = self.excess(memory(), cpu_seconds()) {
                    self.end(excess);
                }
            }
        };
        if !has_own_end {
            abandon_when_interrupted();
        }
        let started = std::thread::Builder::new().name("limits".to_owned()).spawn(watch);
        let text = "the limits of memory and time cannot be watched: no thread can be started";
        started.map(drop).context(text).map_err(Failure::Environment)
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
        let Self { memory, seconds, input, has_flags, .. } = self;
        let (what, flag) = match excess {
            Excess::Memory => (format!("{} of memory", ByteSize(*memory)), "--memory-limit"),
            Excess::Time => (format!("{seconds} s of processor time"), "--time-limit"),
        };
        let way = if *has_flags {
            format!("{flag} sets another limit")
        } else {
            "no file that it reads needs as much, as a rule".to_owned()
        };
        format!("{input}stopped because it takes more than {what}; {way}")
    }

    /// Ends the process: nothing of what it holds can be given back in time otherwise.
    fn end(&self, excess: Excess) -> ! {
        whole_file::abandon();
        let work = *BEFORE_END.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(work) = work {
            work();
        }
        let _ = exit::report(&Err(Failure::Input(anyhow!(self.message(excess)))));
        std::process::exit(exit::INPUT.into());
    }
}

/// The input of a message.
fn named(read: &[&Path]) -> String {
    let names: Vec<_> = read.iter().take(3).map(|path| input_names::shown(path)).collect();
    let more = if read.len() > names.len() { ", …" } else { "" };
    if names.is_empty() { String::new() } else { names.join(", ") + more + ": " }
}

fn is_packed(path: &Path) -> bool {
    let mut head = Vec::new();
    let file = fs::File::open(path).map(|file| file.take(4).read_to_end(&mut head));
    file.is_ok() && PACKED.iter().any(|mark| head.starts_with(mark))
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

    #[track_caller]
    fn check(flags: LimitFlags, unpacked: Option<u64>, size: InputSize, limits: (u64, u64)) {
        let found = RunLimits::new(flags, unpacked, size, "a: ".to_owned());
        assert_eq!((found.memory, found.seconds), limits);
        assert_eq!(found.excess(Some(limits.0), Some(limits.1)), None);
        assert_eq!(found.excess(Some(limits.0 + 1), Some(limits.1 + 1)), Some(Excess::Memory));
        assert_eq!(found.excess(None, Some(limits.1 + 1)), Some(Excess::Time));
        assert_eq!(found.excess(None, None), None);
    }

    #[test]
    fn limits_grow_with_the_input() {
        let none = LimitFlags::default();
        let size = |bytes, memory| InputSize { bytes, memory };
        check(none, None, size(0, 0), (512_000_000, 600));
        check(none, None, size(100_000_000, 6_400_000_000), (6_400_000_000, 1000));
        check(none, Some(2_000_000_000), size(1000, 64_000), (2_000_000_000, 600));
        let asked = LimitFlags { memory_limit: Some(ByteSize(7_000_000)), time_limit: Some(2) };
        check(asked, Some(2_000_000_000), size(100_000_000, 6_400_000_000), (7_000_000, 2));
    }

    #[test]
    fn messages_name_the_flag() {
        let size = InputSize::default();
        let limits = RunLimits::new(LimitFlags::default(), None, size, "a.trace: ".to_owned());
        assert_eq!(
            limits.message(Excess::Memory),
            "a.trace: stopped because it takes more than 512MB of memory; --memory-limit sets another limit"
        );
        let time = limits.message(Excess::Time);
        assert!(time.contains("600 s of processor time; --time-limit"), "{time}");
        let without = RunLimits { has_flags: false, ..limits };
        assert!(!without.message(Excess::Memory).contains("--"));
    }

    #[test]
    fn folders_have_the_size_of_their_files() {
        let folder = tempfile::tempdir().expect("a folder");
        let inner = folder.path().join("inner");
        fs::create_dir(&inner).expect("a folder");
        fs::write(inner.join("a"), [0; 1000]).expect("a file");
        let packed = [PACKED[0], &[0; 98]].concat();
        fs::write(folder.path().join("b"), packed).expect("a file");
        #[cfg(unix)]
        std::os::unix::fs::symlink(folder.path(), inner.join("back")).expect("a link");
        let memory = 1000 * OF_BYTE + 100 * OF_PACKED_BYTE;
        let expected = InputSize { bytes: 1100, memory };
        assert_eq!(InputSize::from_path(folder.path()), expected);
        assert_eq!(InputSize::from_path(&folder.path().join("none")), InputSize::default());
    }

    #[test]
    fn this_process_has_memory_and_time() {
        assert!(memory().is_some_and(|bytes| bytes > 1_000_000));
        assert_eq!(cpu_seconds().is_some(), cfg!(unix));
    }
}
