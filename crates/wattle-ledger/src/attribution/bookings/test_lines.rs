//! Energies in the time of tests.

use std::collections::BTreeMap;
use std::ops::Range;

use wattle_power::SourceId;
use wattle_units::CompensatedSum;

use super::test_spans::SpanKey;
use crate::ComponentId;

/// Energies by component and source: of all consumers, and of the app itself.
pub(crate) type TestSums = BTreeMap<(ComponentId, SourceId), [CompensatedSum; 2]>;

/// Energies in the time of tests, before they have rows.
#[derive(Debug, Default)]
pub(crate) struct TestLines {
    /// By stretch.
    spans: BTreeMap<u32, TestSums>,
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

    /// The sums over some stretches.
    pub(crate) fn over(&self, spans: Range<u32>) -> TestSums {
        let mut sums = TestSums::new();
        for (_, of_span) in self.spans.range(spans) {
            for (key, parts) in of_span {
                for (sum, part) in sums.entry(*key).or_default().iter_mut().zip(parts) {
                    sum.merge(*part);
                }
            }
        }
        sums
    }
}
