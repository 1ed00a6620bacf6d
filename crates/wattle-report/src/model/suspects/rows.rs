//! The rows of the suspects.

use serde::Serialize;
use wattle_units::Nanos;

use super::super::Figure;
use super::super::figure::{named, seconds};
use crate::spectrum::Suspicion;

/// A recording whose tests are looked at.
#[derive(Clone, Debug, Serialize)]
pub struct SuspectLedgerRow {
    /// The file it was saved in; `None` for the recording of the report itself.
    pub name: Option<String>,
    /// The device that made it.
    pub device: Option<String>,
    /// Its length.
    #[serde(rename = "duration_s", serialize_with = "seconds::of")]
    pub duration: Nanos,
    /// Tests in it.
    pub tests: usize,
    /// Those that are looked at.
    pub usable: usize,
}

/// Tests that are not looked at, for one reason.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct LeftOutRow {
    /// Why: an outcome, or what is missing.
    pub reason: String,
    /// How many.
    pub tests: usize,
}

/// One run of one test that is looked at.
#[derive(Clone, Debug, Serialize)]
pub struct SuspectTestRow {
    /// Index into [`super::SuspectsReport::ledgers`].
    pub ledger: usize,
    /// `com.example.FooTest#bar`.
    pub name: String,
    /// Which repetition, from 0.
    pub iteration: u32,
    /// Its length inside the window.
    #[serde(rename = "duration_s", serialize_with = "seconds::of")]
    pub duration: Nanos,
    /// What the app itself drew in its time, of all processes where no app is named.
    #[serde(flatten, serialize_with = "named::app")]
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

/// A method that ran in a test that is looked at.
#[derive(Clone, Debug, Serialize)]
pub struct SuspectMethodRow {
    /// How many methods have at least this coefficient of Ochiai, itself among them.
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
    /// How many methods have at least this score of Tarantula's.
    pub tarantula_rank: Option<usize>,
    /// Excessive tests in which it ran.
    pub e_f: usize,
    /// Normal tests in which it ran.
    pub e_p: usize,
    /// Excessive tests in which it did not run.
    pub n_f: usize,
    /// Normal tests in which it did not run.
    pub n_p: usize,
    /// How often it ran in the tests.
    pub calls: u64,
    /// What the excessive tests in which it ran drew above the mean power over all tests: the most that can be saved at it by bringing
    /// them down to the mean. Of several methods the same joules may be at stake: they must not be added.
    #[serde(flatten, serialize_with = "named::at_stake")]
    pub at_stake: Figure,
    /// The same by the time of these tests: how far their power lies above the mean.
    pub excess_mw: Option<f64>,
    /// What it drew itself, without what it called, over the whole recordings.
    #[serde(flatten, serialize_with = "named::own")]
    pub own: Figure,
}

/// How many methods of a class ran in the tests.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SuspectClassRow {
    /// The class as Java writes it.
    pub class: String,
    /// Its methods: those with probes, or those that were seen where no map of probes is known.
    pub methods: u64,
    /// Those that ran in a test that is looked at.
    pub executed: u64,
}
