//! Coverage of the probed code.

use wattle_ledger::{CoverageEntry, Ledger};
use wattle_table::{Column, describe};

use crate::RatedCoverage;

/// Classes that are listed.
const MOST_CLASSES: usize = 100;

/// Coverage of the methods that have probes.
#[derive(Clone, Debug, PartialEq)]
pub struct CoverageReport {
    /// Methods with probes.
    pub methods: u64,
    /// Those that ran.
    pub executed: u64,
    /// Their part, 0 to 1; `None` where no method has probes.
    pub share: Option<f64>,
    /// Classes, those of which the least ran first.
    pub classes: Vec<CoverageRow>,
    /// Classes that are not listed.
    pub classes_left_out: usize,
}

describe!(
    CoverageReport,
    "coverage",
    "how much of the probed code ran",
    [
        Column::count("methods", "methods with probes", |row: &CoverageReport| row.methods),
        Column::count("executed", "those that ran", |row: &CoverageReport| row.executed),
        Column::share(
            "share",
            "their part, 0 to 1; null where no method has probes",
            |row: &CoverageReport| row.share
        )
        .between(0.0, 1.0),
        Column::list::<CoverageRow>(
            "classes",
            "those of which the least ran first",
            |row: &CoverageReport| &row.classes
        )
        .items(0, 100),
        Column::count(
            "classes_left_out",
            "classes that are not listed",
            |row: &CoverageReport| row.classes_left_out as u64
        ),
    ]
);

/// One class.
#[derive(Clone, Debug, PartialEq)]
pub struct CoverageRow {
    /// Its name.
    pub class: String,
    /// Its methods with probes.
    pub methods: u64,
    /// Those that ran.
    pub executed: u64,
    /// Their part, 0 to 1.
    pub share: Option<f64>,
}

describe!(
    CoverageRow,
    "coverage_class",
    "one class",
    [
        Column::text("class", "its name", |row: &CoverageRow| &row.class),
        Column::count("methods", "its methods with probes", |row: &CoverageRow| row.methods),
        Column::count("executed", "those that ran", |row: &CoverageRow| row.executed),
        Column::share("share", "their part, 0 to 1", |row: &CoverageRow| row.share)
            .between(0.0, 1.0),
    ]
);

impl CoverageReport {
    /// Of a ledger; `None` where nothing is known of probes.
    pub(super) fn new(ledger: &Ledger) -> Option<Self> {
        if ledger.sheets.coverage.is_empty() {
            return None;
        }
        let sum = |of: fn(&CoverageEntry) -> u64| {
            ledger.sheets.coverage.iter().fold(0_u64, |sum, entry| sum.saturating_add(of(entry)))
        };
        let methods = sum(|entry| entry.methods);
        // No more than there are: a ledger is a file that anybody may have written.
        let executed = sum(|entry| entry.executed.min(entry.methods));
        let row = |entry: &CoverageEntry| CoverageRow {
            class: entry.class.clone(),
            methods: entry.methods,
            executed: entry.executed.min(entry.methods),
            share: share(entry.executed.min(entry.methods), entry.methods),
        };
        let mut classes: Vec<CoverageRow> = ledger.sheets.coverage.iter().map(row).collect();
        classes.sort_by(|a, b| {
            let share = |row: &CoverageRow| row.share.unwrap_or(1.0);
            let missed = |row: &CoverageRow| row.methods - row.executed;
            share(a)
                .total_cmp(&share(b))
                .then_with(|| missed(b).cmp(&missed(a)))
                .then_with(|| a.class.cmp(&b.class))
        });
        let classes_left_out = classes.len().saturating_sub(MOST_CLASSES);
        classes.truncate(MOST_CLASSES);
        Some(Self { methods, executed, share: share(executed, methods), classes, classes_left_out })
    }

    /// Returns the part of it that a rating needs.
    pub(super) fn rated(&self) -> Option<RatedCoverage> {
        let Self { methods, executed, .. } = *self;
        Some(RatedCoverage { methods, executed, share: self.share? })
    }
}

fn share(executed: u64, methods: u64) -> Option<f64> {
    (methods > 0).then(|| executed as f64 / methods as f64)
}
