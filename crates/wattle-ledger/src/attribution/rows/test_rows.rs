//! The tests of a ledger, and the energy of their time.

use wattle_timeline::{TestOutcome, TestRun, Timeline, Window};
use wattle_units::Joules;

use crate::attribution::bookings::{Owners, PartSums, SpanLines, Spans};
use crate::{Ledger, TestBooking, TestEntry};

/// Writes the tests and the energy of their time.
pub(super) fn fill(timeline: &Timeline, lines: &SpanLines, spans: &Spans, ledger: &mut Ledger) {
    let owners = Owners::new(timeline);
    for (index, test) in (0_u32..).zip(&timeline.code.tests) {
        let window = test.window.intersect(ledger.recording.window);
        ledger.test_runs.tests.push(entry(timeline, test, window));
        if window.is_empty() {
            continue;
        }
        let (mut own, mut others) = (PartSums::new(), PartSums::new());
        for owner in lines.owners() {
            let sums = if owners.owns_part(owner) { &mut own } else { &mut others };
            lines.add_over(owner, spans.of(window), sums);
        }
        for (key, sum) in &own {
            others.entry(*key).or_default().merge(*sum);
        }
        ledger.test_runs.bookings.extend(others.into_iter().map(|((component, source), all)| {
            let own = own.get(&(component, source)).map_or(0.0, |sum| sum.value());
            TestBooking {
                test: index,
                component,
                source,
                joules: Joules::new(all.value()),
                own: Joules::new(own),
            }
        }));
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
        TestOutcome::NotExecuted => "not executed",
        TestOutcome::Interrupted => "interrupted",
        TestOutcome::Unknown => "unknown",
    }
}
