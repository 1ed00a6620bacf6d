//! The suspects of one recording or of many.

use std::collections::{BTreeMap, BTreeSet};
use wattle_table::{Column, describe};

use wattle_ledger::Ledger;
use wattle_units::Nanos;

use super::super::Estimator;
use super::super::gathered::Gathered;
use super::super::watched::Watched;
use super::at_stake::Stakes;
use super::merged_methods::{MergedMethods, classes, merged};
use super::sample::SuspectsSample;
use super::suspect_rows::{
    LeftOutRow, SuspectClassRow, SuspectLedgerRow, SuspectMethodRow, SuspectTestRow,
};
use super::threshold::Threshold;
use super::usable::UsableTest;
use crate::Figure;
use crate::spectrum::{Counts, Spectrum, Suspicion, worst_ranks};

/// Tests by their mean power, and the methods that are suspected because of them.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct SuspectsReport {
    /// The recordings.
    pub ledgers: Vec<SuspectLedgerRow>,
    /// The app's mean power over all tests, each counting once: what excessive tests are above.
    pub mean_mw: Option<f64>,
    /// Tests above it.
    pub excessive: usize,
    /// The others.
    pub normal: usize,
    /// Tests of both kinds that might as well be of the other.
    pub uncertain: usize,
    /// Tests that are not looked at.
    pub left_out: Vec<LeftOutRow>,
    /// Why no method is suspected; `None` where there are scores.
    pub no_localisation: Option<String>,
    /// Remarks on the tests to know before comparing them.
    pub remarks: Vec<String>,
    /// The tests, by recording and in order of time.
    pub tests: Vec<SuspectTestRow>,
    /// The methods that ran in them, the most suspected first.
    pub methods: Vec<SuspectMethodRow>,
    /// The classes of the app, in order of their names.
    pub classes: Vec<SuspectClassRow>,
}

describe!(
    SuspectsReport,
    "suspects",
    "methods that ran in tests of more than the mean power",
    [
        Column::list::<SuspectLedgerRow>("ledgers", "the recordings", |row: &SuspectsReport| &row
            .ledgers),
        Column::power(
            "mean_mw",
            "the app's mean power over all tests, each counting once",
            |row: &SuspectsReport| row.mean_mw
        ),
        Column::count("excessive", "tests above it", |row: &SuspectsReport| row.excessive as u64),
        Column::count("normal", "the others", |row: &SuspectsReport| row.normal as u64),
        Column::count(
            "uncertain",
            "tests of both kinds that might as well be of the other",
            |row: &SuspectsReport| row.uncertain as u64
        ),
        Column::list::<LeftOutRow>(
            "left_out",
            "tests that are not looked at",
            |row: &SuspectsReport| &row.left_out
        ),
        Column::maybe_text(
            "no_localisation",
            "why no method is suspected; null where there are scores",
            |row: &SuspectsReport| row.no_localisation.as_deref()
        ),
        Column::texts(
            "remarks",
            "what a reader should know of the tests before comparing them",
            |row: &SuspectsReport| &row.remarks
        ),
        Column::list::<SuspectTestRow>(
            "tests",
            "the tests, by recording and in order of time",
            |row: &SuspectsReport| &row.tests
        ),
        Column::list::<SuspectMethodRow>(
            "methods",
            "the most suspected first",
            |row: &SuspectsReport| &row.methods
        ),
        Column::list::<SuspectClassRow>(
            "classes",
            "the classes of the app, in order of their names",
            |row: &SuspectsReport| &row.classes
        ),
    ]
);

impl SuspectsReport {
    /// Of samples of several ledgers.
    pub fn new(samples: &[SuspectsSample]) -> Self {
        let tests: Vec<(usize, &UsableTest)> = samples
            .iter()
            .enumerate()
            .flat_map(|(at, sample)| sample.tests.iter().map(move |test| (at, test)))
            .collect();
        let methods = merged(samples);
        let threshold = Threshold::new(tests.iter().map(|(_, test)| *test));
        let rows = test_rows(&tests, &methods, threshold);
        let excessive = rows.iter().filter(|row| row.excessive).count();
        let mut report = Self {
            ledgers: samples.iter().map(ledger_row).collect(),
            mean_mw: threshold.map(|threshold| threshold.milliwatts),
            excessive,
            normal: rows.len() - excessive,
            uncertain: rows.iter().filter(|row| row.uncertain).count(),
            left_out: left_out(samples),
            no_localisation: None,
            remarks: remarks(samples),
            tests: rows,
            methods: Vec::new(),
            classes: classes(samples, &methods),
        };
        report.no_localisation = report.why_none(&methods);
        report.methods = report.method_rows(samples, &methods);
        report
    }

    /// Of the ledger of a report; `None` where it does not say which methods ran in its tests.
    pub(in super::super) fn for_ledger(
        ledger: &Ledger,
        gathered: &Gathered,
        estimator: &Estimator<'_>,
        watched: Watched,
    ) -> Option<Self> {
        if ledger.test_runs.methods.is_empty() {
            return None;
        }
        Some(Self::new(&[SuspectsSample::for_ledger(ledger, gathered, estimator, watched)]))
    }

    fn why_none(&self, methods: &MergedMethods<'_>) -> Option<String> {
        let reason = match (self.tests.len(), self.excessive, self.normal) {
            (0, ..) => "no test can be looked at",
            (1, ..) => {
                "there is only one test that can be looked at, and nothing to compare it with"
            }
            (_, 0, _) => "all tests have the same mean power, so that none is excessive",
            (_, _, 0) => "all tests are excessive, so that there is nothing to compare them with",
            _ if methods.is_empty() => "no method with probes ran in any of the tests",
            _ => return None,
        };
        Some(reason.to_owned())
    }

    fn method_rows(
        &self,
        samples: &[SuspectsSample],
        methods: &MergedMethods<'_>,
    ) -> Vec<SuspectMethodRow> {
        let mut spectrum = Spectrum::new(self.tests.iter().map(|test| test.excessive).collect());
        for merged in methods.values() {
            spectrum.part(merged.tests.iter().copied());
        }
        let counts = spectrum.counts();
        let is_localised = self.no_localisation.is_none();
        let scores = |score: fn(Counts) -> Option<f64>| -> Vec<Option<f64>> {
            counts.iter().map(|counts| score(*counts).filter(|_| is_localised)).collect()
        };
        let (ochiai, tarantula) = (scores(Counts::ochiai), scores(Counts::tarantula));
        let (ranks, tarantula_ranks) = (worst_ranks(&ochiai), worst_ranks(&tarantula));
        let mut stakes = Stakes::new(samples);
        let mut rows: Vec<SuspectMethodRow> = Vec::with_capacity(methods.len());
        for (at, ((name, merged), counts)) in methods.iter().zip(&counts).enumerate() {
            let outstanding: Vec<usize> = spectrum.outstanding_of(at).collect();
            let stake = (is_localised && !outstanding.is_empty()).then(|| stakes.of(outstanding));
            let excess = stake.map_or(Figure::NO_DATA, |stake| stake.excess);
            rows.push(SuspectMethodRow {
                rank: ranks[at],
                class: name.class.clone(),
                method: name.method.clone(),
                descriptor: name.descriptor.clone(),
                suspicion: is_localised.then(|| Suspicion::from_counts(*counts)),
                ochiai: ochiai[at],
                tarantula: tarantula[at],
                tarantula_rank: tarantula_ranks[at],
                e_f: counts.e_f,
                e_p: counts.e_p,
                n_f: counts.n_f,
                n_p: counts.n_p,
                calls: merged.calls,
                at_stake: excess,
                excess_mw: stake.and_then(|stake| excess.mean_milliwatts(stake.time)),
                own: merged.own,
            });
        }
        // Stable: what is equal in all stays in order of its name.
        rows.sort_by(|a, b| {
            let score = |score: Option<f64>| score.unwrap_or(-1.0);
            score(b.ochiai)
                .total_cmp(&score(a.ochiai))
                .then_with(|| score(b.tarantula).total_cmp(&score(a.tarantula)))
                .then_with(|| b.at_stake.rank().total_cmp(&a.at_stake.rank()))
        });
        rows
    }
}

fn test_rows(
    tests: &[(usize, &UsableTest)],
    methods: &MergedMethods<'_>,
    threshold: Option<Threshold>,
) -> Vec<SuspectTestRow> {
    let mut ran = vec![0; tests.len()];
    for test in methods.values().flat_map(|merged| &merged.tests) {
        ran[*test] += 1;
    }
    let row = |(at, (ledger, test)): (usize, &(usize, &UsableTest))| {
        let interval = interval_milliwatts(test.app, test.duration).unwrap_or([test.milliwatts; 2]);
        SuspectTestRow {
            ledger: *ledger,
            name: test.name.clone(),
            iteration: test.iteration,
            duration: test.duration,
            app: test.app,
            mean_mw: test.milliwatts,
            interval_mw: interval,
            excessive: threshold.is_some_and(|threshold| threshold.is_exceeded(test.milliwatts)),
            // A single test is the mean.
            uncertain: tests.len() > 1
                && threshold.is_some_and(|threshold| threshold.lies_in(interval)),
            methods: ran[at],
        }
    };
    tests.iter().enumerate().map(row).collect()
}

fn interval_milliwatts(app: Figure, over: Nanos) -> Option<[f64; 2]> {
    let interval = app.interval()?;
    Some([interval.low, interval.high].map(|bound| (bound / over).milliwatts()))
}

fn ledger_row(sample: &SuspectsSample) -> SuspectLedgerRow {
    SuspectLedgerRow {
        name: sample.name.clone(),
        device: sample.device.clone(),
        duration: sample.duration,
        tests: sample.recorded,
        usable: sample.tests.len(),
    }
}

fn left_out(samples: &[SuspectsSample]) -> Vec<LeftOutRow> {
    let mut reasons: BTreeMap<&'static str, usize> = BTreeMap::new();
    for (reason, tests) in samples.iter().flat_map(|sample| &sample.left_out) {
        *reasons.entry(reason).or_default() += tests;
    }
    let row = |(reason, tests): (&str, usize)| LeftOutRow { reason: reason.to_owned(), tests };
    reasons.into_iter().map(row).collect()
}

/// Returns remarks on facts that make tests hard to compare.
fn remarks(samples: &[SuspectsSample]) -> Vec<String> {
    let mut remarks = Vec::new();
    let used = samples.iter().filter(|sample| !sample.tests.is_empty());
    let devices: BTreeSet<Option<&str>> = used.map(|sample| sample.device.as_deref()).collect();
    if devices.len() > 1 {
        let text = "the tests ran on different devices, whose powers are compared as they are: a test can be excessive because of \
                    its device";
        remarks.push(text.to_owned());
    }
    if samples.iter().any(|sample| sample.overlap) {
        let text = "tests ran at the same time: each has the energy and the methods of all that ran with it";
        remarks.push(text.to_owned());
    }
    remarks
}
