//! Tests that ran while it was recorded, and what was drawn in their time.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use wattle_power::SourceId;
use wattle_timeline::{TestOutcome, TestRun, Timeline, Window};
use wattle_units::{CompensatedSum, Joules, Nanos};

use crate::spans::{SpanKey, Spans};
use crate::{ComponentId, Ledger};

/// One run of one test.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TestEntry {
    /// `com.example.FooTest#bar`.
    pub name: String,
    /// Which repetition, from 0.
    pub iteration: u32,
    /// Its time inside the ledger's window.
    pub window: Window,
    /// How far beginning and end may be off.
    pub uncertainty: Nanos,
    /// `passed`, `failed`, `crashed`, `skipped`, `interrupted`, `unknown`.
    pub outcome: String,
    /// A part of it lies outside of the ledger's window.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub cut: bool,
}

/// What was drawn in the time of a test, by component and source. Tests can overlap: these are views of the
/// bookings, not bookings, and *unmetered* is not among them, because it is not known when that was drawn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TestBooking {
    /// Index into [`Ledger::tests`].
    pub test: u32,
    /// For which hardware.
    pub component: ComponentId,
    /// Which number of the model it rests on.
    pub source: SourceId,
    /// By everybody.
    pub joules: Joules,
    /// By the threads of the app that the recording was made of, and hardware that worked for it; of all processes where
    /// no app is named. Profiling overhead is not in it.
    pub own: Joules,
}

/// Energies in the time of tests, before they have rows.
#[derive(Debug, Default)]
pub(crate) struct TestLines {
    /// By stretch: by component and source, what everybody drew and what the app drew.
    spans: BTreeMap<u32, BTreeMap<(ComponentId, SourceId), [CompensatedSum; 2]>>,
}

impl TestLines {
    /// Adds what a track of the component gave.
    pub(crate) fn add(&mut self, component: ComponentId, sums: &[(SpanKey, CompensatedSum)]) {
        for ((span, source, own), sum) in sums {
            let of_span = self.spans.entry(*span).or_default();
            let [all, app] = of_span.entry((component, *source)).or_default();
            all.merge(*sum);
            if *own {
                app.merge(*sum);
            }
        }
    }

    /// Writes the tests and what was drawn in their time.
    pub(crate) fn fill(&self, timeline: &Timeline, spans: &Spans, ledger: &mut Ledger) {
        for (index, test) in (0_u32..).zip(&timeline.tests) {
            let window = test.window.intersect(ledger.window);
            ledger.tests.push(entry(timeline, test, window));
            let mut sums: BTreeMap<(ComponentId, SourceId), [CompensatedSum; 2]> = BTreeMap::new();
            if !window.is_empty() {
                for (_, of_span) in self.spans.range(spans.of(window)) {
                    for (key, parts) in of_span {
                        for (sum, part) in sums.entry(*key).or_default().iter_mut().zip(parts) {
                            sum.merge(*part);
                        }
                    }
                }
            }
            ledger.test_bookings.extend(sums.into_iter().map(
                |((component, source), [all, own])| TestBooking {
                    test: index,
                    component,
                    source,
                    joules: Joules::new(all.value()),
                    own: Joules::new(own.value()),
                },
            ));
        }
    }
}

fn entry(timeline: &Timeline, test: &TestRun, window: Window) -> TestEntry {
    TestEntry {
        name: timeline.names.get(test.name).to_owned(),
        iteration: test.iteration,
        window,
        uncertainty: test.uncertainty,
        outcome: outcome(test.outcome).to_owned(),
        cut: window != test.window,
    }
}

fn outcome(outcome: TestOutcome) -> &'static str {
    match outcome {
        TestOutcome::Passed => "passed",
        TestOutcome::Failed => "failed",
        TestOutcome::Crashed => "crashed",
        TestOutcome::Skipped => "skipped",
        TestOutcome::Interrupted => "interrupted",
        TestOutcome::Unknown => "unknown",
    }
}

/// Bookings of tests as columns: in JSON an object of equally long arrays.
pub(crate) mod columns {
    use serde::de::Error as _;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};
    use wattle_power::SourceId;
    use wattle_units::Joules;

    use super::TestBooking;
    use crate::ComponentId;

    #[derive(Default, Serialize, Deserialize)]
    struct Columns {
        test: Vec<u32>,
        component: Vec<ComponentId>,
        source: Vec<SourceId>,
        joules: Vec<Joules>,
        own: Vec<Joules>,
    }

    pub fn serialize<S: Serializer>(bookings: &[TestBooking], to: S) -> Result<S::Ok, S::Error> {
        let mut columns = Columns::default();
        for booking in bookings {
            columns.test.push(booking.test);
            columns.component.push(booking.component);
            columns.source.push(booking.source);
            columns.joules.push(booking.joules);
            columns.own.push(booking.own);
        }
        columns.serialize(to)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<TestBooking>, D::Error> {
        let columns = Columns::deserialize(from)?;
        let count = columns.test.len();
        let others = [
            columns.component.len(),
            columns.source.len(),
            columns.joules.len(),
            columns.own.len(),
        ];
        if others.iter().any(|length| *length != count) {
            return Err(D::Error::custom(format!(
                "test_bookings: columns of unequal length: test {count}, others {others:?}"
            )));
        }
        let rows = columns.test.into_iter().zip(columns.component).zip(columns.source);
        let rows = rows.zip(columns.joules).zip(columns.own);
        Ok(rows
            .map(|((((test, component), source), joules), own)| TestBooking {
                test,
                component,
                source,
                joules,
                own,
            })
            .collect())
    }
}
