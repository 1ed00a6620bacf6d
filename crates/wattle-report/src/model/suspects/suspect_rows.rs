//! The rows of the suspects.

use wattle_table::{Column, Free, describe};
use wattle_units::Nanos;

use crate::Figure;
use crate::spectrum::Suspicion;

/// A recording whose tests are looked at.
#[derive(Clone, Debug)]
pub struct SuspectLedgerRow {
    /// The file it was saved in; `None` for the recording of the report itself.
    pub name: Option<String>,
    /// The device that made it.
    pub device: Option<String>,
    /// Its length.
    pub duration: Nanos,
    /// Tests in it.
    pub tests: usize,
    /// Those that are looked at.
    pub usable: usize,
}

describe!(
    SuspectLedgerRow,
    "suspect_ledger",
    "a recording whose tests are looked at",
    [
        Column::maybe_text(
            "name",
            "the file it was saved in; null for the recording of the report itself",
            |row: &SuspectLedgerRow| row.name.as_deref()
        ),
        Column::maybe_text("device", "the device that made it", |row: &SuspectLedgerRow| row
            .device
            .as_deref()),
        Column::time("duration_s", "its length", |row: &SuspectLedgerRow| row.duration),
        Column::count("tests", "tests in it", |row: &SuspectLedgerRow| row.tests as u64),
        Column::count("usable", "those that are looked at", |row: &SuspectLedgerRow| row.usable
            as u64),
    ]
);

/// Tests that are not looked at, for one reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeftOutRow {
    /// Why: an outcome, or what is missing.
    pub reason: String,
    /// Number of these tests.
    pub tests: usize,
}

describe!(
    LeftOutRow,
    "left_out",
    "tests that are not looked at, for one reason",
    [
        Column::text("reason", "why: an outcome, or what is missing", |row: &LeftOutRow| &row
            .reason),
        Column::count("tests", "how many", |row: &LeftOutRow| row.tests as u64),
    ]
);

/// One run of one test that is looked at.
#[derive(Clone, Debug)]
pub struct SuspectTestRow {
    /// Index into [`super::SuspectsReport::ledgers`].
    pub ledger: usize,
    /// `com.example.FooTest#bar`.
    pub name: String,
    /// Which repetition, from 0.
    pub iteration: u32,
    /// Its length inside the window.
    pub duration: Nanos,
    /// Energy of the app itself in its time, of all processes if no app is named.
    pub app: Figure,
    /// The app's mean power.
    pub mean_mw: f64,
    /// Its 90 % interval.
    pub interval_mw: [f64; 2],
    /// Whether that is above the mean over all tests.
    pub excessive: bool,
    /// Whether the interval holds the mean over all tests, so that it might as well be on its other side.
    pub uncertain: bool,
    /// Methods with probes that ran in its time.
    pub methods: usize,
}

describe!(
    SuspectTestRow,
    "suspect_test",
    "one run of one test that is looked at",
    [
        Column::count("ledger", "index into ledgers", |row: &SuspectTestRow| row.ledger as u64),
        Column::text("name", "`com.example.FooTest#bar`", |row: &SuspectTestRow| &row.name),
        Column::id("iteration", "which repetition, from 0", |row: &SuspectTestRow| row.iteration),
        Column::time("duration_s", "its length inside the window", |row: &SuspectTestRow| row
            .duration),
        Column::energy("app", "what the app itself drew", |row: &SuspectTestRow| row.app.0),
        Column::number("mean_mw", "the app's mean power", |row: &SuspectTestRow| row.mean_mw),
        Column::pair(
            "interval_mw",
            "its two-sided 90 % interval [low, high], milliwatts",
            |row: &SuspectTestRow| { Some(row.interval_mw) }
        )
        .not_null(),
        Column::flag("excessive", "above the mean over all tests", |row: &SuspectTestRow| row
            .excessive),
        Column::flag(
            "uncertain",
            "the interval holds the mean over all tests",
            |row: &SuspectTestRow| row.uncertain
        ),
        Column::count(
            "methods",
            "methods with probes that ran in its time",
            |row: &SuspectTestRow| row.methods as u64
        ),
    ]
);

/// A method that ran in a test that is looked at.
#[derive(Clone, Debug)]
pub struct SuspectMethodRow {
    /// Number of methods with at least this coefficient of Ochiai, itself among them.
    pub rank: Option<usize>,
    /// Its class as Java writes it.
    pub class: String,
    /// Its name.
    pub method: String,
    /// Its parameters and result.
    pub descriptor: Option<String>,
    /// GreenDroid's class.
    pub suspicion: Option<Suspicion>,
    /// Ochiai's coefficient, 0 to 1.
    pub ochiai: Option<f64>,
    /// Tarantula's score, 0 to 1.
    pub tarantula: Option<f64>,
    /// Number of methods with at least this score of Tarantula's.
    pub tarantula_rank: Option<usize>,
    /// Excessive tests in which it ran.
    pub e_f: usize,
    /// Normal tests in which it ran.
    pub e_p: usize,
    /// Excessive tests in which it did not run.
    pub n_f: usize,
    /// Normal tests in which it did not run.
    pub n_p: usize,
    /// Number of its calls in the tests.
    pub calls: u64,
    /// Energy of the excessive tests in which it ran above the mean power over all tests: the most that can be saved at
    /// it by bringing them down to the mean. Several methods may share the same joules: they must not be added.
    pub at_stake: Figure,
    /// The same by the time of these tests: how far their power lies above the mean.
    pub excess_mw: Option<f64>,
    /// Its own energy, without its callees, over the whole recordings.
    pub own: Figure,
}

describe!(
    SuspectMethodRow,
    "suspect_method",
    "a method that ran in a test that is looked at",
    [
        Column::maybe_count(
            "rank",
            "how many methods have at least this ochiai",
            |row: &SuspectMethodRow| row.rank.map(|it| it as u64)
        )
        .at_least(1.0),
        Column::text("class", "its class as Java writes it", |row: &SuspectMethodRow| &row.class),
        Column::text("method", "its name", |row: &SuspectMethodRow| &row.method),
        Column::maybe_text("descriptor", "its parameters and result", |row: &SuspectMethodRow| row
            .descriptor
            .as_deref()),
        Column::word(
            "suspicion",
            "greenDroid's class",
            &["red", "yellow", "green"],
            |row: &SuspectMethodRow| row.suspicion.as_ref().map(|it| it as &dyn Free)
        )
        .nullable(),
        Column::maybe_number("ochiai", "ochiai's coefficient, 0 to 1", |row: &SuspectMethodRow| {
            row.ochiai
        })
        .between(0.0, 1.0),
        Column::maybe_number("tarantula", "tarantula's score, 0 to 1", |row: &SuspectMethodRow| {
            row.tarantula
        })
        .between(0.0, 1.0),
        Column::maybe_count(
            "tarantula_rank",
            "how many methods have at least this score of Tarantula's",
            |row: &SuspectMethodRow| row.tarantula_rank.map(|it| it as u64)
        )
        .at_least(1.0),
        Column::count("e_f", "excessive tests in which it ran", |row: &SuspectMethodRow| row.e_f
            as u64),
        Column::count("e_p", "normal tests in which it ran", |row: &SuspectMethodRow| row.e_p
            as u64),
        Column::count(
            "n_f",
            "excessive tests in which it did not run",
            |row: &SuspectMethodRow| row.n_f as u64
        ),
        Column::count("n_p", "normal tests in which it did not run", |row: &SuspectMethodRow| row
            .n_p
            as u64),
        Column::count("calls", "how often it ran in the tests", |row: &SuspectMethodRow| row.calls),
        Column::energy(
            "at_stake",
            "the most that it can be to blame for: what its excessive tests drew above the mean; not to be added",
            |row: &SuspectMethodRow| row.at_stake.0
        ),
        Column::power(
            "excess_mw",
            "at_stake_joules by the time of these tests",
            |row: &SuspectMethodRow| row.excess_mw
        ),
        Column::energy(
            "self",
            "what it drew itself over the whole recordings",
            |row: &SuspectMethodRow| row.own.0
        ),
    ]
);

/// Number of methods of a class that ran in the tests.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SuspectClassRow {
    /// The class as Java writes it.
    pub class: String,
    /// Its methods: those with probes, or those that were seen where no map of probes is known.
    pub methods: u64,
    /// Those that ran in a test that is looked at.
    pub executed: u64,
}

describe!(
    SuspectClassRow,
    "suspect_class",
    "how many methods of a class ran in the tests",
    [
        Column::text("class", "the class as Java writes it", |row: &SuspectClassRow| &row.class),
        Column::count(
            "methods",
            "its methods: those with probes, or those that were seen where no map of probes is known",
            |row: &SuspectClassRow| row.methods
        ),
        Column::count(
            "executed",
            "those that ran in a test that is looked at",
            |row: &SuspectClassRow| row.executed
        ),
    ]
);
