//! Which tests can be compared with each other.

use std::collections::BTreeMap;

use wattle_ledger::{Ledger, TestEntry};
use wattle_units::Nanos;

use super::super::watched::Watched;
use super::super::{Estimator, Tally};
use crate::Figure;

/// A test that is looked at.
#[derive(Clone, Debug)]
pub struct UsableTest {
    pub name: String,
    pub iteration: u32,
    pub duration: Nanos,
    /// Energy of the app, by source.
    pub tally: Tally,
    /// The same as a figure.
    pub app: Figure,
    /// By the time it took.
    pub milliwatts: f64,
}

/// The tests of a ledger: those that can be used, and why the others cannot.
#[derive(Default)]
pub struct Usable {
    pub tests: Vec<UsableTest>,
    /// By index into the ledger's tests: the index into [`Usable::tests`].
    pub index: Vec<Option<usize>>,
    pub left_out: BTreeMap<&'static str, usize>,
    /// Whether two of them ran at the same time.
    pub overlap: bool,
}

impl Usable {
    /// Of a ledger.
    pub fn new(ledger: &Ledger, estimator: &Estimator<'_>, watched: Watched) -> Self {
        let mut sums: Vec<(bool, Tally)> =
            vec![(false, Tally::default()); ledger.test_runs.tests.len()];
        for booking in &ledger.test_runs.bookings {
            let Some((is_booked, own)) = sums.get_mut(booking.test as usize) else { continue };
            *is_booked = true;
            if booking.own.value() != 0.0 {
                own.add(booking.source, booking.own);
            }
        }
        let mut usable = Self::default();
        let mut end = None;
        for (test, (is_booked, tally)) in ledger.test_runs.tests.iter().zip(sums) {
            let app = estimator.figure(&tally, watched.threads.filter(|_| is_booked));
            let found = milliwatts(ledger, test, app);
            usable.index.push(found.is_ok().then_some(usable.tests.len()));
            let milliwatts = match found {
                Ok(milliwatts) => milliwatts,
                Err(reason) => {
                    *usable.left_out.entry(reason).or_default() += 1;
                    continue;
                }
            };
            // Tests are in order of time.
            usable.overlap |= end.is_some_and(|end| test.window.start < end);
            end = end.max(Some(test.window.end));
            let (name, iteration) = (test.name.clone(), test.iteration);
            let duration = test.window.duration();
            usable.tests.push(UsableTest { name, iteration, duration, tally, app, milliwatts });
        }
        usable
    }
}

/// The app's mean power in the time of a test, or why the test says nothing.
fn milliwatts(ledger: &Ledger, test: &TestEntry, app: Figure) -> Result<f64, &'static str> {
    match test.outcome.as_str() {
        "passed" | "unknown" => {}
        "failed" => return Err("failed"),
        "crashed" => return Err("crashed"),
        "skipped" => return Err("skipped"),
        "not executed" => return Err("not executed"),
        "interrupted" => return Err("interrupted"),
        _ => return Err("of an outcome that is not known"),
    }
    if ledger.test_runs.methods.is_empty() {
        return Err("its methods are not known");
    }
    if test.window.is_empty() {
        return Err("no time inside the window");
    }
    let mean = app.mean_milliwatts(test.window.duration());
    mean.filter(|mean| mean.is_finite()).ok_or("no energy figure of the app")
}
