//! The output of `am instrument` about tests.

use std::time::Duration;

use super::instrument_arguments::Arguments;
use crate::Event;
use crate::tool::Call;

/// Statuses of a test (`AndroidJUnitRunner`, `InstrumentationResultPrinter`).
pub(super) const STARTED: i32 = 1;
pub(super) const PASSED: i32 = 0;
pub(super) const FAILED: i32 = -2;
pub(super) const IGNORED: i32 = -3;
pub(super) const ASSUMED: i32 = -4;

/// A test among those that run.
#[derive(Clone, Copy)]
pub(super) struct TestPosition<'t> {
    pub(super) class: &'t str,
    pub(super) method: &'t str,
    /// Counted from 1.
    pub(super) number: usize,
    pub(super) all: usize,
}

/// Reports the tests.
pub(super) struct Report<'a> {
    call: &'a mut Call,
    raw: bool,
    /// Nobody listens (any more): the tests go on.
    gone: bool,
    /// The text of the summary.
    lines: Vec<String>,
}

impl<'a> Report<'a> {
    pub(super) fn new(call: &'a mut Call, arguments: &Arguments) -> Self {
        Self { call, raw: arguments.raw, gone: !arguments.wait, lines: Vec::new() }
    }

    fn say(&mut self, text: &str) {
        if !self.gone {
            self.gone = self.call.out(text).is_err();
        }
    }

    /// A test has begun or ended.
    pub(super) fn test(&mut self, position: TestPosition<'_>, status: i32, stack: Option<&str>) {
        let TestPosition { class, method, number, all } = position;
        if !self.raw {
            if status == FAILED {
                self.lines
                    .push(format!("Error in {method}({class}):\n{}", stack.unwrap_or_default()));
            }
            return;
        }
        let stack = match (status, stack) {
            (_, None) => String::new(),
            (_, Some(stack)) => format!("INSTRUMENTATION_STATUS: stack={stack}\n"),
        };
        let stream = match status {
            STARTED if number == 1 => format!("\n{class}:"),
            PASSED => ".".to_owned(),
            _ => String::new(),
        };
        self.say(&format!(
            "INSTRUMENTATION_STATUS: class={class}\nINSTRUMENTATION_STATUS: current={number}\nINSTRUMENTATION_STATUS: \
             id=AndroidJUnitRunner\nINSTRUMENTATION_STATUS: numtests={all}\n{stack}INSTRUMENTATION_STATUS: \
             stream={stream}\nINSTRUMENTATION_STATUS: test={method}\nINSTRUMENTATION_STATUS_CODE: {status}\n"
        ));
    }

    /// The process has died.
    pub(super) fn crashed(mut self, exception: &str) {
        // The activity manager needs a moment to see that the process is gone.
        std::thread::sleep(Duration::from_millis(20));
        let short = exception.split(':').next().unwrap_or_default().to_owned();
        let text = if self.raw {
            format!(
                "INSTRUMENTATION_RESULT: longMsg={exception}\nINSTRUMENTATION_RESULT: shortMsg={short}\n\
                 INSTRUMENTATION_CODE: 0\n"
            )
        } else {
            format!("INSTRUMENTATION_RESULT: shortMsg={short}\nINSTRUMENTATION_CODE: 0\n")
        };
        self.say(&text);
        self.call.core.happened(Event::ScenarioEnded);
    }

    /// All tests have run.
    pub(super) fn finished(&mut self, tests: usize, failures: usize, seconds: f64) {
        let noun = if tests == 1 { "test" } else { "tests" };
        let verdict = if failures == 0 {
            format!("OK ({tests} {noun})")
        } else {
            format!("FAILURES!!!\nTests run: {tests},  Failures: {failures}")
        };
        let details: String = self.lines.iter().map(|line| format!("{line}\n")).collect();
        let text = if self.raw {
            format!(
                "INSTRUMENTATION_RESULT: stream=\n\nTime: {seconds:.3}\n\n{verdict}\n\n\nINSTRUMENTATION_CODE: -1\n"
            )
        } else {
            format!("{details}\nTime: {seconds:.3}\n\n{verdict}\n\n\n")
        };
        self.say(&text);
    }
}
