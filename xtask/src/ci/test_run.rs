//! Running all tests, and counting them from what Rust's test harness prints.

use std::fmt::Write as _;
use std::process::Command;

use anyhow::{Result, bail};

use super::child_process::{expect_success, stream};

/// Tests that may be ignored everywhere, with the reason.
const MAY_BE_IGNORED: &[(&str, &str)] = &[
    ("tuning_machines_are_others", "prints a table for whoever tunes the finder, asserts nothing"),
    (
        "the_end_of_the_stack_damages_no_line",
        "a known defect: the log line that a stack overflow interrupts",
    ),
    ("child_of_memory_is_bounded", "is run by memory_is_bounded, as a process of its own"),
    ("many_equal_series_are_flat", "measures rates over an hour, on a machine without other work"),
    (
        "many_series_find_what_was_added",
        "measures rates over an hour, on a machine without other work",
    ),
    (
        "no_hostile_file_breaks_a_command",
        "takes many minutes; some bombs still take more than 10 s",
    ),
    ("recorders_die_with_the_program_that_started_them", "waits for two minutes"),
    ("every_pair_of_vendor_and_version_is_recorded", "records on 32 simulated phones for minutes"),
    ("names_are_those_of_dex2oat", "needs `.odex` files of telephones, which the gate has none of"),
];

/// Lines of one failed test that are repeated at the end: a panic stands in the first ones.
const LINES_OF_A_FAILURE: usize = 30;

/// A test that failed.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct Failure {
    pub test: String,
    /// The first lines of what it printed.
    pub lines: Vec<String>,
    /// Whether its output is still being read.
    is_open: bool,
}

/// Tests of all test binaries of one run.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct Totals {
    pub passed: usize,
    pub failed: usize,
    pub ignored: usize,
    /// The harness's account of the tests that failed, so that it stands at the end of the gate too.
    pub failures: Vec<Failure>,
    /// Names of the ignored tests, with the reasons that they state.
    pub ignored_tests: Vec<(String, Option<String>)>,
    /// Lines in which a test says that it did nothing.
    pub skip_lines: Vec<String>,
}

impl Totals {
    /// Takes over one line of the output of `cargo test`.
    pub fn add_line(&mut self, line: &str) {
        self.add_to_failures(line);
        if let Some(counts) = line.strip_prefix("test result: ") {
            let count = |name: &str| {
                let field = counts
                    .split([';', '.'])
                    .map(str::trim)
                    .find_map(|field| field.strip_suffix(name));
                field.and_then(|number| number.trim().parse::<usize>().ok()).unwrap_or(0)
            };
            self.passed += count("passed");
            self.failed += count("failed");
            self.ignored += count("ignored");
        } else if let Some((name, outcome)) =
            line.strip_prefix("test ").and_then(|test| test.split_once(" ... ignored"))
        {
            let reason = outcome.strip_prefix(", ").map(str::to_owned);
            self.ignored_tests.push((name.to_owned(), reason));
        } else if line.contains("SKIPPED") {
            self.skip_lines.push(line.to_owned());
        }
    }

    /// `---- NAME stdout ----`, what the test printed, and behind the last of them `failures:` once more.
    fn add_to_failures(&mut self, line: &str) {
        let heading = line.strip_prefix("---- ").and_then(|rest| rest.strip_suffix(" stdout ----"));
        if let Some(test) = heading {
            self.close_failure();
            self.failures.push(Failure { test: test.to_owned(), lines: Vec::new(), is_open: true });
        } else if line == "failures:" {
            self.close_failure();
        } else if let Some(failure) = self.failures.last_mut()
            && failure.is_open
            && failure.lines.len() < LINES_OF_A_FAILURE
        {
            failure.lines.push(line.to_owned());
        }
    }

    fn close_failure(&mut self) {
        if let Some(failure) = self.failures.last_mut() {
            failure.is_open = false;
        }
    }

    /// The failed tests with what they printed, empty if there are none.
    pub fn failed_tests(&self) -> String {
        let mut text = String::new();
        for Failure { test, lines, .. } in &self.failures {
            let _ = write!(text, "\n  {test}");
            for line in lines {
                let _ = write!(text, "\n    {line}");
            }
        }
        text
    }

    /// The last line of the gate.
    pub fn summary(&self) -> String {
        let skipped = self.ignored + self.skip_lines.len();
        format!("{} passed, {} failed, {skipped} skipped", self.passed, self.failed)
    }
}

/// Which tests may be skipped.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Skips {
    /// None but those of [`MAY_BE_IGNORED`].
    Forbidden,
    /// Tests that the harness ignores and that say why.
    WithReason,
}

/// Tests that run at once: the longest wait for browsers, devices and the Android runtime, so one more than there are cores.
pub fn threads() -> usize {
    1 + std::thread::available_parallelism().map_or(1, std::num::NonZero::get)
}

/// Runs `cargo test` to its end, failures or not, and judges what was skipped.
pub fn run(cargo: &mut Command, skips: Skips, totals: &mut Totals) -> Result<()> {
    let status = stream(cargo, |line| totals.add_line(line))?;
    // A test binary that died prints no result.
    if !status.success() && totals.failed == 0 {
        totals.failed = 1;
    }
    expect_success(cargo, status)?;
    let complaints = complaints(totals, skips);
    if !complaints.is_empty() {
        println!("\nTests that did not run:\n{}", complaints.join("\n"));
        bail!("{} tests did not run that had to", complaints.len());
    }
    if totals.passed == 0 {
        bail!("no test ran");
    }
    Ok(())
}

fn complaints(totals: &Totals, skips: Skips) -> Vec<String> {
    let is_listed = |name: &str| MAY_BE_IGNORED.iter().any(|(listed, _)| name.ends_with(listed));
    let ignored = totals.ignored_tests.iter().filter(|(name, reason)| {
        !is_listed(name) && (skips == Skips::Forbidden || reason.is_none())
    });
    let show = |(name, reason): &(String, Option<String>)| {
        format!("  {name}: {}", reason.as_deref().unwrap_or("ignored without a reason"))
    };
    let mut complaints: Vec<String> = ignored.map(show).collect();
    complaints.extend(totals.skip_lines.iter().map(|line| format!("  {line}")));
    // Nothing is hidden in a line of another form.
    if totals.ignored > totals.ignored_tests.len() {
        let more = totals.ignored - totals.ignored_tests.len();
        complaints.push(format!("  {more} ignored tests whose lines were not understood"));
    }
    complaints
}

#[cfg(test)]
mod tests {
    use super::{Skips, Totals, complaints};

    fn totals(lines: &[&str]) -> Totals {
        let mut totals = Totals::default();
        for line in lines {
            totals.add_line(line);
        }
        totals
    }

    const OUTPUT: [&str; 7] = [
        "running 3 tests",
        "test a::b ... ok",
        "test a::c ... ignored, requires the program dexdump on PATH",
        "test a::d ... FAILED",
        "test result: FAILED. 1 passed; 1 failed; 1 ignored; 0 measured; 4 filtered out; finished in 0.10s",
        "     Running tests/all/main.rs (target/debug/deps/all-0)",
        "test result: ok. 40 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 1.00s",
    ];

    #[test]
    fn results_of_all_binaries_are_summed() {
        assert_eq!(totals(&OUTPUT).summary(), "41 passed, 1 failed, 1 skipped");
        assert_eq!(totals(&[]).summary(), "0 passed, 0 failed, 0 skipped");
    }

    #[test]
    fn failed_tests_are_told_with_what_they_printed() {
        let output = [
            "failures:",
            "",
            "---- a::d stdout ----",
            "thread 'a::d' panicked at x.rs:1:",
            "left != right",
            "---- a::e stdout ----",
            "no file",
            "failures:",
            "    a::d",
            "    a::e",
        ];
        let expected = "\n  a::d\n    thread 'a::d' panicked at x.rs:1:\n    left != right\n  a::e\n    no file";
        assert_eq!(totals(&output).failed_tests(), expected);
        assert_eq!(totals(&OUTPUT).failed_tests(), "");
    }

    #[test]
    fn what_may_be_skipped_depends_on_the_run() {
        let check = |lines: &[&str], skips, expected: &[&str]| {
            assert_eq!(complaints(&totals(lines), skips), expected, "{skips:?}");
        };
        let stated = "  a::c: requires the program dexdump on PATH";
        check(&OUTPUT, Skips::Forbidden, &[stated]);
        check(&OUTPUT, Skips::WithReason, &[]);
        let silent =
            ["test x ... ignored", "test result: ok. 0 passed; 0 failed; 1 ignored; 0 measured"];
        check(&silent, Skips::WithReason, &["  x: ignored without a reason"]);
        let loud = ["SKIPPED x (y.rs:1): no file"];
        check(&loud, Skips::WithReason, &["  SKIPPED x (y.rs:1): no file"]);
        let odd = ["test result: ok. 0 passed; 0 failed; 2 ignored; 0 measured"];
        check(&odd, Skips::WithReason, &["  2 ignored tests whose lines were not understood"]);
    }
}
