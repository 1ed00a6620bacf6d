//! From the test runner's lines to runs of tests.

use wattle_timeline::{NameId, TestOutcome, TestRun, TimelineBuilder, Window};
use wattle_units::{BootNanos, Nanos};

use super::test_line::TestWord;

/// Follows the tests of a log, whose lines come in order.
#[derive(Debug, Default)]
pub(crate) struct TestRuns {
    open: Option<(NameId, BootNanos, TestOutcome)>,
    runs: Vec<TestRun>,
    last: Option<BootNanos>,
    /// Ends without a beginning.
    pub unmatched: u64,
    /// Beginnings without an end.
    pub crashed: u64,
}

impl TestRuns {
    pub fn word(&mut self, time: BootNanos, word: TestWord, name: NameId) {
        self.last = Some(self.last.map_or(time, |last| last.max(time)));
        match word {
            TestWord::Started => {
                self.crash(time);
                self.open = Some((name, time, TestOutcome::Passed));
            }
            TestWord::Failed | TestWord::AssumptionFailed => match &mut self.open {
                Some((open, _, outcome)) if *open == name => {
                    *outcome = match word {
                        TestWord::Failed => TestOutcome::Failed,
                        _ => TestOutcome::Skipped,
                    };
                }
                // A class whose setting up fails is no test that ran.
                _ => {}
            },
            TestWord::Finished => match self.open.take() {
                Some((open, start, outcome)) if open == name => {
                    self.run(name, start, time, outcome);
                }
                other => {
                    self.open = other;
                    self.unmatched += 1;
                }
            },
            TestWord::Ignored => self.run(name, time, time, TestOutcome::Skipped),
        }
    }

    fn run(&mut self, name: NameId, start: BootNanos, end: BootNanos, outcome: TestOutcome) {
        let window = Window::new(start, end);
        let uncertainty = Nanos::new(0);
        self.runs.push(TestRun { name, iteration: 0, window, uncertainty, outcome });
    }

    /// A test that never ended: the process died, or the log breaks off.
    fn crash(&mut self, time: BootNanos) {
        if let Some((name, start, _)) = self.open.take() {
            self.crashed += 1;
            self.run(name, start, time, TestOutcome::Crashed);
        }
    }

    /// Tells the builder. A test that is still open ends with the window, else with the last line. How many there were.
    pub fn finish(
        mut self,
        window: Option<Window>,
        iteration: u32,
        uncertainty: Nanos,
        builder: &mut TimelineBuilder,
    ) -> usize {
        if let Some(last) = self.last {
            let end = window.map_or(last, |window| window.end.max(last));
            self.crash(end);
        }
        for run in &self.runs {
            builder.code().test(TestRun { iteration, uncertainty, ..*run });
        }
        self.runs.len()
    }
}
