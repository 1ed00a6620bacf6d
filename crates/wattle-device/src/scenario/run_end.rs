//! The result of a run of tests.

use wattle_recording::{Outcome, TestFacts};

/// A run of `am instrument`, as far as its output goes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct RunEnd {
    /// The tests, in order of their beginnings.
    pub tests: Vec<TestFacts>,
    /// The number of tests that the runner announced (`numtests`).
    pub announced: Option<u32>,
    /// Whether `INSTRUMENTATION_CODE` came.
    pub over: bool,
    /// Its number; -1 (`Activity.RESULT_OK`) is good.
    pub code: Option<i32>,
    /// `shortMsg` of the result (`Process crashed.`).
    pub short_message: Option<String>,
    /// `longMsg` of the result.
    pub long_message: Option<String>,
    /// `stream` of the result: the runner's own summary.
    pub summary: Option<String>,
    /// The system died under the run.
    pub aborted: bool,
    /// Error messages of `am` and the activity manager.
    pub complaints: Vec<String>,
    /// Lines that belong to nothing.
    pub stray: Vec<String>,
    /// Bytes of output that were not kept, because lines or values were too long.
    pub dropped_bytes: u64,
    /// Tests that were not kept, because there were too many.
    pub dropped_tests: u64,
}

impl RunEnd {
    /// Judges it: in one word, with the reason where that word is not *passed*.
    ///
    /// A run in which no test ran has failed, and so has one that ran fewer tests than it announced: nothing was
    /// measured of what somebody wanted measured.
    pub fn verdict(&self) -> (Outcome, Option<String>) {
        let count = |outcome| self.tests.iter().filter(|test| test.outcome == outcome).count();
        let failed = count(Outcome::Failed);
        let unended = count(Outcome::Interrupted);
        if self.aborted {
            return (
                Outcome::Crashed,
                Some(self.message("the device's system died during the tests")),
            );
        }
        if let Some(short) = &self.short_message {
            let long = self.long_message.as_ref().filter(|long| *long != short);
            let long = long.map(|long| format!(": {long}")).unwrap_or_default();
            let what = format!("the app crashed{}: {short}{long}", self.in_which());
            return (Outcome::Crashed, Some(what));
        }
        if !self.complaints.is_empty() {
            return (Outcome::Failed, Some(self.message("the tests could not be run")));
        }
        if !self.over {
            let what = format!("the output ended before INSTRUMENTATION_CODE{}", self.in_which());
            return (Outcome::Interrupted, Some(self.message(&what)));
        }
        if failed > 0 {
            let first = self.tests.iter().find(|test| test.outcome == Outcome::Failed);
            let first = first.map(|test| format!("{}#{}", test.class, test.method));
            let what = format!(
                "{failed} of {} tests failed, the first of them {}",
                self.tests.len(),
                first.unwrap_or_default()
            );
            return (Outcome::Failed, Some(what));
        }
        let fatal = self.summary.as_deref().filter(|text| text.contains("Fatal exception"));
        if self.tests.is_empty() || fatal.is_some() {
            let what = "no test ran; are the names right, and do the test package and the app belong together?";
            return (Outcome::Failed, Some(self.message(what)));
        }
        if unended > 0 {
            return (Outcome::Crashed, Some(format!("{unended} tests began and never ended")));
        }
        let ended = self.tests.len() as u64 + self.dropped_tests;
        if let Some(announced) = self.announced.filter(|announced| u64::from(*announced) > ended) {
            let what = format!("{announced} tests were announced, {ended} came");
            return (Outcome::Failed, Some(what));
        }
        if count(Outcome::Skipped) == self.tests.len() {
            let what = if self.tests.iter().any(TestFacts::is_not_executed) {
                "no test ran: their code was not executed"
            } else {
                "no test ran: all were skipped"
            };
            return (Outcome::Failed, Some(what.to_owned()));
        }
        match self.code {
            Some(-1) => (Outcome::Passed, None),
            code => (
                Outcome::Failed,
                Some(format!(
                    "expected INSTRUMENTATION_CODE -1, found {}",
                    code.map_or_else(|| "no number".to_owned(), |code| code.to_string())
                )),
            ),
        }
    }

    /// Whether the process, or the whole system, died under the tests: the activity manager gives a short message only
    /// for a process that is no more (`Process crashed.`, the class of an exception, `keyDispatchingTimedOut`).
    pub(super) const fn has_died(&self) -> bool {
        self.aborted || self.short_message.is_some()
    }

    /// Takes over what standard error had to say: in some versions `am` complains there.
    pub(super) fn add_complaints_of(&mut self, errors: Self) {
        self.aborted |= errors.aborted;
        self.complaints.extend(errors.complaints);
        self.stray.extend(errors.stray);
        self.dropped_bytes += errors.dropped_bytes;
    }

    fn in_which(&self) -> String {
        let unended = |outcome| matches!(outcome, Outcome::Interrupted | Outcome::Crashed);
        let last = self.tests.iter().rev().find(|test| unended(test.outcome));
        last.map_or_else(String::new, |test| format!(" (in {}#{})", test.class, test.method))
    }

    fn message(&self, what: &str) -> String {
        let words: Vec<&str> =
            self.complaints.iter().chain(&self.stray).map(String::as_str).take(4).collect();
        let summary = self.summary.as_deref().filter(|_| words.is_empty() && self.tests.is_empty());
        match summary {
            Some(summary) => format!("{what}: {}", crate::shell::shorten(summary)),
            None if words.is_empty() => what.to_owned(),
            None => format!("{what}: {}", crate::shell::shorten(&words.join("; "))),
        }
    }
}
