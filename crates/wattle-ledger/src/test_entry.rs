//! Tests that ran while it was recorded, and what was drawn in their time.

use serde::{Deserialize, Serialize};
use wattle_power::SourceId;
use wattle_timeline::Window;
use wattle_units::{Joules, Nanos};

use crate::ComponentId;

/// One run of one test.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TestEntry {
    /// `com.example.FooTest#bar`.
    pub name: String,
    /// Which repetition, from 0.
    pub iteration: u32,
    /// Its time inside the ledger's window.
    pub window: Window,
    /// Largest error of beginning and end.
    pub uncertainty: Nanos,
    /// `passed`, `failed`, `crashed`, `skipped`, `not executed`, `interrupted`, `unknown`.
    #[cfg_attr(feature = "schema", schemars(with = "wattle_timeline::TestOutcome"))]
    pub outcome: String,
    /// A part of it lies outside of the ledger's window.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub cut: bool,
}

/// Energy in the time of a test, by component and source. Tests can overlap: these are views of the
/// bookings, not bookings, and *unmetered* is not among them, because it is not known when that was drawn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TestBooking {
    /// Index into [`crate::TestRuns::tests`].
    pub test: u32,
    /// For which hardware.
    pub component: ComponentId,
    /// Which number of the model it rests on.
    pub source: SourceId,
    /// Energy of all processes and of hardware.
    pub joules: Joules,
    /// By the threads of the app that the recording was made of, and hardware that worked for it; of all processes where
    /// no app is named. Profiling overhead is not in it.
    pub own: Joules,
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
    #[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(inline))]
    pub(crate) struct Columns {
        /// Indices into `tests`.
        test: Vec<u32>,
        /// Indices into `components`.
        component: Vec<ComponentId>,
        /// Indices into `errors.sources`.
        source: Vec<SourceId>,
        /// Energy of all processes and of hardware.
        joules: Vec<Joules>,
        /// Energy of the threads of the recorded app and of hardware that worked for it; of all processes where no app is named.
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
