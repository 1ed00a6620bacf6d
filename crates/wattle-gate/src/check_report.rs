//! The result of a check.

use crate::{CheckRow, CheckVerdict};

/// The runs that a growth was measured against.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ComparedTo {
    /// Their names.
    pub runs: Vec<String>,
    /// Runs that are not comparable, each with the reason.
    pub refused: Vec<(String, String)>,
    /// In words: `the last 10 runs of main`.
    pub described: String,
}

/// The result of a check.
#[derive(Clone, Debug, PartialEq)]
pub struct GateReport {
    /// The app; empty where the runs have none.
    pub app: String,
    /// The runs that were checked.
    pub runs: Vec<String>,
    /// The baseline.
    pub baseline: ComparedTo,
    /// One row for each rule that holds for these runs, in the policy's order.
    pub rows: Vec<CheckRow>,
}

impl GateReport {
    /// The gravest verdict of all rules.
    pub fn verdict(&self) -> CheckVerdict {
        self.rows.iter().map(|row| row.verdict).max().unwrap_or(CheckVerdict::NotMeasured)
    }

    /// Number of rules with this verdict.
    pub fn count(&self, verdict: CheckVerdict) -> usize {
        self.rows.iter().filter(|row| row.verdict == verdict).count()
    }

    /// Whether the gate lets the change through. `is_strict`: only if every rule is kept for sure.
    pub fn passes(&self, is_strict: bool) -> bool {
        if is_strict {
            self.rows.iter().all(|row| row.verdict == CheckVerdict::Passed)
        } else {
            self.count(CheckVerdict::Failed) == 0
        }
    }

    /// The row that matters most: the first of the gravest.
    pub fn worst(&self) -> Option<&CheckRow> {
        let gravest = self.verdict();
        self.rows.iter().find(|row| row.verdict == gravest)
    }

    /// The first line: the verdict and its main reason.
    pub fn headline(&self) -> String {
        let (kept, all) = (self.count(CheckVerdict::Passed), self.rows.len());
        match (self.verdict(), self.worst()) {
            (_, None) => "nothing was checked: no rule holds for these runs".to_owned(),
            (CheckVerdict::Passed, _) => {
                format!("passed: {all} of {all} rules are kept, {}", runs_in_words(self.runs.len()))
            }
            (verdict, Some(row)) => {
                let more = self.count(verdict) - 1;
                let more = if more > 0 { format!(" (and {more} more)") } else { String::new() };
                format!("{}: {}{more}; {kept} of {all} rules are kept", verdict.name(), row.text)
            }
        }
    }
}

/// `one run`, `5 runs`.
pub(crate) fn runs_in_words(count: usize) -> String {
    if count == 1 { "one run".to_owned() } else { format!("{count} runs") }
}
