//! Apache Otava in a Python process.

use std::fmt;
use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use crate::gate_report::{Alarm, GateReport, LISTED_COMMITS};
use crate::simulated_suite::SimulatedSuite;

const SCRIPT: &str = include_str!("otava.py");

/// A reason why Otava gives no answer.
#[derive(Debug)]
pub enum OtavaError {
    /// Python cannot be started, or has no such package.
    Unavailable(String),
    /// The process broke off.
    Broken(std::io::Error),
    /// The process wrote something else than change points.
    Unreadable(String),
}

impl fmt::Display for OtavaError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unavailable(why) => write!(f, "Apache Otava is not installed: {why}"),
            Self::Broken(error) => write!(f, "the Python process failed: {error}"),
            Self::Unreadable(line) => write!(f, "unreadable answer of the Python process: {line}"),
        }
    }
}

impl std::error::Error for OtavaError {}

impl From<std::io::Error> for OtavaError {
    fn from(error: std::io::Error) -> Self {
        Self::Broken(error)
    }
}

/// A Python process with Apache Otava, for all series.
#[derive(Debug)]
pub struct OtavaProcess {
    version: String,
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl OtavaProcess {
    /// Starts the process with this Python.
    pub fn start(python: &str) -> Result<Self, OtavaError> {
        let version = Command::new(python)
            .args([
                "-c",
                "import otava.analysis, importlib.metadata as m; print(m.version('apache-otava'))",
            ])
            .output()
            .map_err(|error| OtavaError::Unavailable(format!("{python}: {error}")))?;
        if !version.status.success() {
            let text = String::from_utf8_lossy(&version.stderr).into_owned();
            let why = text.lines().last().unwrap_or("no message").to_owned();
            return Err(OtavaError::Unavailable(why));
        }
        let mut child = Command::new(python)
            .args(["-c", SCRIPT])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let (Some(input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(OtavaError::Unreadable("no pipes".to_owned()));
        };
        let version = String::from_utf8_lossy(&version.stdout).trim().to_owned();
        Ok(Self { version, child, input, output: BufReader::new(output) })
    }

    /// Version of the package.
    pub fn version(&self) -> &str {
        &self.version
    }

    /// Judges a suite, commit after commit.
    pub fn judge(&mut self, suite: &SimulatedSuite) -> Result<GateReport, OtavaError> {
        let plan = suite.plan;
        let mut report = GateReport::new(&plan, plan.runs);
        for (metric, series) in suite.series.iter().enumerate() {
            let values: Vec<String> = series.means().iter().map(f64::to_string).collect();
            writeln!(self.input, "{} {}", plan.history, values.join(" "))?;
            self.input.flush()?;
            let mut line = String::new();
            self.output.read_line(&mut line)?;
            read_answer(line.trim_end(), metric, plan.history, &mut report)
                .ok_or(OtavaError::Unreadable(line))?;
        }
        Ok(report)
    }
}

impl Drop for OtavaProcess {
    fn drop(&mut self) {
        // It ends by itself with its input; without this it would wait for the pipe of a process that has gone.
        if self.child.kill().is_ok() {
            let _ = self.child.wait();
        }
    }
}

/// Adds one line of the script's output to a report.
fn read_answer(line: &str, metric: usize, history: usize, report: &mut GateReport) -> Option<()> {
    let (news, lists) = line.split_once('|')?;
    for alarm in news.split(';').filter(|text| !text.is_empty()) {
        let mut parts = alarm.split(':');
        let raised = parts.next()?.parse().ok()?;
        let is_up = parts.nth(1)? == "1";
        report.alarms.push(Alarm { metric, raised, is_up });
    }
    for (offset, list) in lists.split(';').enumerate() {
        let commit = history + offset;
        let mut is_listed = false;
        for index in list.split(',').filter(|text| !text.is_empty()) {
            let index: usize = index.parse().ok()?;
            is_listed |= index + LISTED_COMMITS > commit;
        }
        if is_listed {
            report.list(metric, commit, commit + 1);
        }
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simulated_suite::SuitePlan;

    #[test]
    fn a_missing_python_is_said_and_nothing_made_up() {
        let error = OtavaProcess::start("no-such-python").map(|_| ()).expect_err("no such program");
        assert!(error.to_string().starts_with("Apache Otava is not installed: no-such-python: "));
    }

    #[test]
    fn answers_are_read() {
        let mut report =
            GateReport::new(&SuitePlan { metrics: 1, commits: 104, ..SuitePlan::new(0) }, 1);
        assert_eq!(read_answer("102:101:-1|;;101;30", 0, 100, &mut report), Some(()));
        assert_eq!(report.alarms, [Alarm { metric: 0, raised: 102, is_up: false }]);
        assert_eq!(report.alerts.iter().filter(|alerts| alerts[0]).count(), 1);
        assert_eq!(read_answer("nonsense", 0, 100, &mut report), None);
    }
}
