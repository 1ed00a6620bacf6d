//! The tests of a ledger, and the energy of their time.

use wattle_timeline::{TestOutcome, TestRun, Timeline, Window};
use wattle_units::Joules;

use crate::attribution::bookings::{Spans, TestLines};
use crate::{Ledger, TestBooking, TestEntry};

/// Writes the tests and the energy of their time.
pub(super) fn fill(timeline: &Timeline, lines: &TestLines, spans: &Spans, ledger: &mut Ledger) {
    for (index, test) in (0_u32..).zip(&timeline.code.tests) {
        let window = test.window.intersect(ledger.recording.window);
        ledger.test_runs.tests.push(entry(timeline, test, window));
        if window.is_empty() {
            continue;
        }
        let sums = lines.over(spans.of(window));
        ledger.test_runs.bookings.extend(sums.into_iter().map(
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
