//! One run of a program: CPU time and peak memory of that process alone.
//!
//! The kernel sums what waited-for children used, and keeps the largest peak among them. So that the sum is one program's, xtask
//! starts itself anew for each run, and that process has a single child. Its peak starts at what the process that starts it holds,
//! which is another reason for one that holds next to nothing.

use std::process::{Command, Stdio};

use anyhow::{Context as _, Result, bail};
use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::TimeValLike as _;

/// The argument by which this program measures one command.
pub const FLAG: &str = "--measure-one";

/// CPU time and memory of one run.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Usage {
    /// User + system of all threads.
    pub cpu_seconds: f64,
    pub peak_bytes: f64,
}

/// The outcome of a run.
#[derive(Clone, PartialEq, Debug)]
pub enum Outcome {
    Done(Usage),
    /// The command line is wrong for this program, by its own first line: it does not have the command or an option of it, or this
    /// input leaves it nothing to do.
    Unknown(String),
    /// Another exit code, or a signal.
    Failed(String),
}

/// Runs the command of the arguments and prints what it used: exit code, microseconds, bytes. This is the inner process.
pub fn run_one(command: &[String]) -> Result<()> {
    let [program, arguments @ ..] = command else { bail!("no command to measure") };
    let mut child = Command::new(program);
    child.args(arguments).stdin(Stdio::null()).stdout(Stdio::null());
    let status = child.status().with_context(|| program.clone())?;
    let usage = getrusage(UsageWho::RUSAGE_CHILDREN)?;
    let micros = (usage.user_time() + usage.system_time()).num_microseconds();
    // The kernel counts in KiB.
    println!("{} {micros} {}", status.code().unwrap_or(-1), usage.max_rss() * 1024);
    Ok(())
}

/// Measures one run of a command.
pub fn measure(program: &std::path::Path, arguments: &[String]) -> Result<Outcome> {
    let mut inner = Command::new(crate::places::this_program()?);
    inner.args(["bench", FLAG]).arg(program).args(arguments);
    let output = inner.output().context("this program, for one run")?;
    let figures = String::from_utf8_lossy(&output.stdout);
    let messages = String::from_utf8_lossy(&output.stderr);
    let Some(outcome) = parse(&figures, &messages) else {
        bail!("{}: {}", program.display(), messages.trim());
    };
    Ok(outcome)
}

/// Reads what [`run_one`] printed, and what the program wrote to its standard error.
fn parse(figures: &str, messages: &str) -> Option<Outcome> {
    let mut words = figures.split_whitespace();
    let code: i32 = words.next()?.parse().ok()?;
    let micros: f64 = words.next()?.parse().ok()?;
    let peak_bytes: f64 = words.next()?.parse().ok()?;
    let line = messages.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
    Some(match code {
        // 1 is a check that failed, such as a signature: all of the work was done.
        0 | 1 => Outcome::Done(Usage { cpu_seconds: micros / 1e6, peak_bytes }),
        2 => Outcome::Unknown(line.to_owned()),
        code => Outcome::Failed(format!("exit code {code}: {line}")),
    })
}

#[cfg(test)]
mod tests {
    use super::{Outcome, Usage, parse};

    #[test]
    fn outcomes_are_told_apart_by_exit_code() {
        let done = Outcome::Done(Usage { cpu_seconds: 1.5, peak_bytes: 2048.0 });
        assert_eq!(parse("0 1500000 2048\n", ""), Some(done.clone()));
        assert_eq!(parse("1 1500000 2048\n", "2 defects"), Some(done));
        let unknown = "error: unrecognized subcommand";
        assert_eq!(parse("2 900 2048\n", unknown), Some(Outcome::Unknown(unknown.to_owned())));
        let failed = Outcome::Failed("exit code 3: cannot read".to_owned());
        assert_eq!(parse("3 900 2048\n", "\ncannot read\nmore"), Some(failed));
        assert_eq!(parse("", "no such file"), None);
    }
}
