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
    /// The commits that were checked, shortened; empty where the runs have none.
    pub commits: Vec<String>,
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

    /// One report of several of one app, such as those of its scenarios; `None` of none. Rules for other scenarios are left out of each
    /// where a report has them.
    pub fn joined(reports: Vec<Self>) -> Option<Self> {
        let several = reports.len() > 1;
        let mut reports = reports.into_iter();
        let mut joined = reports.next()?;
        let mut elsewhere = Vec::new();
        let mut add = |rows: &mut Vec<CheckRow>, of_report: Vec<CheckRow>| {
            for mut row in of_report {
                if row.scenario.is_none() && row.rule.scenario.is_some() {
                    elsewhere.push(row);
                } else {
                    if let Some(scenario) = &row.scenario {
                        row.text = format!("{scenario}: {}", row.text);
                    }
                    rows.push(row);
                }
            }
        };
        if !several {
            return Some(joined);
        }
        let first = std::mem::take(&mut joined.rows);
        add(&mut joined.rows, first);
        for report in reports {
            add(&mut joined.rows, report.rows);
            let known = joined.commits.clone();
            joined.commits.extend(report.commits.into_iter().filter(|it| !known.contains(it)));
            joined.runs.extend(report.runs);
            joined.baseline.runs.extend(report.baseline.runs);
            joined.baseline.refused.extend(report.baseline.refused);
        }
        for row in elsewhere {
            if !joined.rows.iter().any(|other| other.rule == row.rule) {
                joined.rows.push(row);
            }
        }
        Some(joined)
    }

    /// The first line: the verdict and its main reason, and what was judged.
    pub fn headline(&self) -> String {
        let (kept, all) = (self.count(CheckVerdict::Passed), self.rows.len());
        let judged = match self.commits.as_slice() {
            [] => runs_in_words(self.runs.len()),
            [commit] => format!("commit {commit}, {}", runs_in_words(self.runs.len())),
            commits => {
                format!("commits {}, {}", commits.join(", "), runs_in_words(self.runs.len()))
            }
        };
        match (self.verdict(), self.worst()) {
            (_, None) => format!("nothing was checked: no rule applies to these runs ({judged})"),
            (CheckVerdict::Passed, _) => {
                format!("passed: {} ({judged})", rules_in_words(all))
            }
            (verdict, Some(row)) => {
                let more = self.count(verdict) - 1;
                let more = if more > 0 { format!(", and {more} more") } else { String::new() };
                let of_scenario = row.scenario.as_ref().filter(|_| self.has_scenarios());
                let of_scenario = of_scenario.map_or_else(String::new, |it| format!("{it}: "));
                format!(
                    "{}: {of_scenario}{}{more}; {kept} of {} passed ({judged})",
                    verdict.name(),
                    row.gist,
                    rules_in_words(all)
                )
            }
        }
    }

    /// Number of rules that failed, in words: `1 of 3 rules failed`.
    pub fn failed_in_words(&self) -> String {
        let (failed, all) = (self.count(CheckVerdict::Failed), rules_in_words(self.rows.len()));
        if failed > 0 {
            return format!("{failed} of {all} failed");
        }
        let open = self.rows.len() - self.count(CheckVerdict::Passed);
        format!("{open} of {all} not settled, which --strict refuses")
    }

    /// Whether its rows are of several scenarios.
    fn has_scenarios(&self) -> bool {
        let mut scenarios = self.rows.iter().filter_map(|row| row.scenario.as_ref());
        let first = scenarios.next();
        scenarios.any(|other| Some(other) != first)
    }
}

/// `1 rule`, `5 rules`.
fn rules_in_words(count: usize) -> String {
    if count == 1 { "1 rule".to_owned() } else { format!("{count} rules") }
}

/// `one run`, `5 runs`.
pub(crate) fn runs_in_words(count: usize) -> String {
    if count == 1 { "one run".to_owned() } else { format!("{count} runs") }
}
