//! One run of the program under limits of the operating system, and the verdict on it.
//!
//! The kernel counts what waited-for children used, so each run has a process of its own around it: this program, started anew with
//! [`FLAG`]. It sets the limits, which the program inherits, and prints the figures.

use std::io::Write as _;
use std::os::unix::process::ExitStatusExt as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};
use nix::sys::resource::{Resource, UsageWho, getrusage, setrlimit};
use nix::sys::time::TimeValLike as _;

use crate::places;

/// The argument by which this program runs one command under limits.
pub const FLAG: &str = "--limited-run";

/// Address space of a run, in bytes. A debug build takes 330 MB of it before it has done anything.
const ADDRESS_SPACE: u64 = 2_000_000_000;
/// CPU time of a run, in seconds: more is taken for a hang.
const CPU_SECONDS: u64 = 10;
/// Wall time of a run: it waits for something that does not come. A machine that does other things stretches a run by a lot.
const WALL: Duration = Duration::from_mins(10);
/// Bytes of one file that a run may write.
const WRITTEN: u64 = 2_000_000_000;
/// The peak of resident memory that a run may have, in bytes.
pub const MOST_MEMORY: u64 = 600_000_000;

/// The end of a run.
#[derive(Clone, PartialEq, Debug)]
pub struct LimitedRun {
    /// `None` after a signal.
    pub code: Option<i32>,
    pub signal: Option<i32>,
    /// User + system of all threads.
    pub cpu_seconds: f64,
    pub peak_bytes: u64,
    /// Last lines on the standard error.
    pub message: String,
}

/// Runs the command of the arguments under limits, and prints what came of it. This is the inner process.
pub fn run_inner(command: &[String]) -> Result<()> {
    let [program, arguments @ ..] = command else { bail!("no command to run") };
    let limits = [
        (Resource::RLIMIT_AS, ADDRESS_SPACE),
        (Resource::RLIMIT_CPU, CPU_SECONDS),
        (Resource::RLIMIT_FSIZE, WRITTEN),
        (Resource::RLIMIT_CORE, 0),
    ];
    for (resource, limit) in limits {
        // Past the soft limit of CPU time there is a signal of its own, past the hard one the end.
        let hard = if resource == Resource::RLIMIT_CPU { limit + 2 } else { limit };
        setrlimit(resource, limit, hard)?;
    }
    let mut messages = tempfile::tempfile()?;
    let mut child = Command::new(program)
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(messages.try_clone()?)
        .spawn()
        .with_context(|| program.clone())?;
    let start = Instant::now();
    let status = loop {
        if let Some(status) = child.try_wait()? {
            break status;
        }
        if start.elapsed() > WALL {
            child.kill()?;
        }
        std::thread::sleep(Duration::from_millis(5));
    };
    let usage = getrusage(UsageWho::RUSAGE_CHILDREN)?;
    let micros = (usage.user_time() + usage.system_time()).num_microseconds();
    // The kernel counts in KiB.
    let peak = usage.max_rss() * 1024;
    println!("{} {} {micros} {peak}", status.code().unwrap_or(-1), status.signal().unwrap_or(0));
    std::io::stdout().flush()?;
    print_end(&mut messages)
}

/// The last two kilobytes of a file.
fn print_end(file: &mut std::fs::File) -> Result<()> {
    use std::io::{Read as _, Seek as _, SeekFrom};
    let size = file.metadata()?.len();
    file.seek(SeekFrom::Start(size.saturating_sub(2000)))?;
    let mut end = Vec::new();
    file.read_to_end(&mut end)?;
    println!("{}", String::from_utf8_lossy(&end));
    Ok(())
}

impl LimitedRun {
    /// Runs the program with these arguments, in an empty folder.
    pub fn start(program: &Path, arguments: &[String], folder: &Path) -> Result<Self> {
        let mut inner = Command::new(places::this_program()?);
        inner.args(["hostile", FLAG]).arg(program).args(arguments).current_dir(folder);
        inner.env_remove("RUST_BACKTRACE").env("HOME", folder).env("XDG_DATA_HOME", folder);
        let output = inner.output().context("this program, for one run")?;
        let printed = String::from_utf8_lossy(&output.stdout);
        let Some(run) = Self::parse(&printed) else {
            bail!("{}: {}", program.display(), String::from_utf8_lossy(&output.stderr).trim());
        };
        Ok(run)
    }

    /// Reads what [`run_inner`] printed.
    fn parse(printed: &str) -> Option<Self> {
        let (figures, messages) = printed.split_once('\n')?;
        let mut words = figures.split(' ');
        let code: i32 = words.next()?.parse().ok()?;
        let signal: i32 = words.next()?.parse().ok()?;
        let micros: f64 = words.next()?.parse().ok()?;
        let peak_bytes = words.next()?.parse().ok()?;
        Some(Self {
            code: Some(code).filter(|_| signal == 0),
            signal: Some(signal).filter(|signal| *signal != 0),
            cpu_seconds: micros / 1e6,
            peak_bytes,
            message: messages.trim().to_owned(),
        })
    }

    /// The reason why this run is a defect of the program; `None` if it is not one.
    pub fn defect(&self) -> Option<String> {
        if let Some(signal) = self.signal {
            let is_time = self.cpu_seconds > CPU_SECONDS as f64 * 0.9 || signal == 9;
            let reason = if is_time { "does not end" } else { "ended by a signal" };
            return Some(format!("{reason}: signal {signal} after {:.1} s", self.cpu_seconds));
        }
        if self.message.contains("panicked") {
            return Some("panics".to_owned());
        }
        if !matches!(self.code, Some(0..=4)) {
            return Some(format!("exit code {}", self.code.unwrap_or(-1)));
        }
        let megabytes = |bytes: u64| bytes / 1_000_000;
        (self.peak_bytes > MOST_MEMORY)
            .then(|| format!("{} MB of memory", megabytes(self.peak_bytes)))
    }
}

#[cfg(test)]
mod tests {
    use super::LimitedRun;

    fn defect(printed: &str) -> Option<String> {
        LimitedRun::parse(printed).expect("figures").defect()
    }

    #[test]
    fn a_defect_is_told_from_a_refusal() {
        for code in 0..=4 {
            assert_eq!(defect(&format!("{code} 0 900 1000\nerror: damaged\n")), None);
        }
        assert_eq!(defect("70 0 900 1000\n\n").as_deref(), Some("exit code 70"));
        assert_eq!(defect("3 0 900 600000001\n\n").as_deref(), Some("600 MB of memory"));
        assert_eq!(defect("0 0 900 1000\nthread main panicked at\n").as_deref(), Some("panics"));
        let aborted = defect("-1 6 1000000 1000\nmemory allocation failed\n");
        assert_eq!(aborted.as_deref(), Some("ended by a signal: signal 6 after 1.0 s"));
        let endless = defect("-1 9 10000000 1000\n\n");
        assert_eq!(endless.as_deref(), Some("does not end: signal 9 after 10.0 s"));
        assert!(LimitedRun::parse("").is_none());
    }
}
