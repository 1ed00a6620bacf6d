//! An incremental parser of the output of `am instrument -w -r`.

use wattle_recording::{Outcome, TestFacts};

use crate::scenario::run_end::RunEnd;
use crate::scenario::status_line::StatusLine;

/// Longest line that is kept whole; of a longer one the beginning is.
const MAX_LINE: usize = 64 << 10;
/// Longest value (a stack trace) that is kept whole.
const MAX_VALUE: usize = 64 << 10;
/// Most tests of one run.
const MAX_TESTS: usize = 100_000;
/// Most text of failures in all.
const MAX_TEXT: usize = 16 << 20;
/// Most lines of which nobody knows what they are, kept for a message.
const MAX_STRAY: usize = 12;

/// Codes of a status: AOSP's `InstrumentationTestRunner` and androidx's `InstrumentationResultPrinter`.
mod code {
    pub(super) const START: i32 = 1;
    pub(super) const PASSED: i32 = 0;
    pub(super) const ERROR: i32 = -1;
    pub(super) const FAILURE: i32 = -2;
    pub(super) const IGNORED: i32 = -3;
    pub(super) const ASSUMPTION: i32 = -4;
}

/// Reads the raw status stream of `am instrument -w -r` piece by piece, wherever it is cut.
///
/// Status lines (`INSTRUMENTATION_STATUS: key=value`, whose value may go on over many lines) describe a test,
/// `INSTRUMENTATION_STATUS_CODE` ends the description: 1 it begins, 0 passed, -1 error, -2 failure, -3 ignored, -4
/// assumption failed, 2 and above something in between. `INSTRUMENTATION_RESULT` and `INSTRUMENTATION_CODE` end the run.
#[derive(Debug, Default)]
pub struct InstrumentOutput {
    line: Vec<u8>,
    value: Option<OpenValue>,
    status: Status,
    running: Option<usize>,
    end: RunEnd,
    text: usize,
}

/// A value that may go on with the next line.
#[derive(Debug)]
struct OpenValue {
    of_result: bool,
    key: String,
    value: String,
}

/// The fields of the status that the next code ends.
#[derive(Debug, Default)]
struct Status {
    class: Option<String>,
    test: Option<String>,
    stack: Option<String>,
    error: Option<String>,
}

impl InstrumentOutput {
    /// One that has read nothing.
    pub fn new() -> Self {
        Self::default()
    }

    /// Reads a piece that came at a time of the host's clock (Unix nanoseconds). `ended` hears of each test that is over.
    pub fn push(&mut self, piece: &[u8], now_ns: i64, ended: &mut dyn FnMut(&TestFacts)) {
        for part in piece.split_inclusive(|byte| *byte == b'\n') {
            let (text, whole) = part.strip_suffix(b"\n").map_or((part, false), |text| (text, true));
            let room = MAX_LINE.saturating_sub(self.line.len());
            let kept = text.get(..room).unwrap_or(text);
            self.line.extend_from_slice(kept);
            self.end.dropped_bytes += (text.len() - kept.len()) as u64;
            if whole {
                self.take_line(now_ns, ended);
            }
        }
    }

    /// There is nothing more: what the run came to.
    pub fn finish(mut self, now_ns: i64) -> RunEnd {
        if !self.line.is_empty() {
            self.take_line(now_ns, &mut |_| {});
        }
        self.close_value();
        let running = self.running;
        self.lose_running(now_ns);
        if self.end.has_died()
            && let Some(test) = running.and_then(|index| self.end.tests.get_mut(index))
        {
            test.outcome = Outcome::Crashed;
        }
        self.end
    }

    fn take_line(&mut self, now_ns: i64, ended: &mut dyn FnMut(&TestFacts)) {
        let line = std::mem::take(&mut self.line);
        let line = String::from_utf8_lossy(&line);
        let line = line.strip_suffix('\r').unwrap_or(&line);
        let parsed = StatusLine::parse(line);
        if let StatusLine::Other(text) = parsed {
            return self.go_on(text);
        }
        self.close_value();
        match parsed {
            StatusLine::Status(key, value) => self.open_value(false, key, value),
            StatusLine::Result(key, value) => self.open_value(true, key, value),
            StatusLine::StatusCode(code) => self.status_ends(code, now_ns, ended),
            StatusLine::Code(code) => {
                self.end.over = true;
                self.end.code = code;
            }
            StatusLine::Failed(what) => self.complain(&format!("INSTRUMENTATION_FAILED: {what}")),
            StatusLine::Aborted(why) => {
                self.end.aborted = true;
                self.complain(why);
            }
            StatusLine::Error(what) => {
                self.end.aborted |= what.contains("System has crashed");
                self.complain(what);
            }
            StatusLine::Other(_) => {}
        }
    }

    fn open_value(&mut self, of_result: bool, key: &str, value: &str) {
        let key = key.chars().take(200).collect();
        self.value = Some(OpenValue { of_result, key, value: value.to_owned() });
    }

    fn go_on(&mut self, text: &str) {
        if let Some(open) = &mut self.value {
            if open.value.len() + text.len() < MAX_VALUE {
                open.value.push('\n');
                open.value.push_str(text);
            } else {
                self.end.dropped_bytes += text.len() as u64;
            }
        } else if !text.trim().is_empty() && self.end.stray.len() < MAX_STRAY {
            self.end.stray.push(text.chars().take(400).collect());
        }
    }

    fn close_value(&mut self) {
        let Some(OpenValue { of_result, key, value }) = self.value.take() else { return };
        match (of_result, key.as_str()) {
            (false, "class") => self.status.class = Some(value.trim().to_owned()),
            (false, "test") => self.status.test = Some(value.trim().to_owned()),
            (false, "stack") => self.status.stack = Some(value),
            (false, "Error") => self.status.error = Some(value),
            (false, "numtests") => {
                self.end.announced = value.trim().parse().ok().or(self.end.announced);
            }
            (true, "shortMsg") => self.end.short_message = Some(value.trim().to_owned()),
            (true, "longMsg") => self.end.long_message = Some(value.trim().to_owned()),
            (true, "stream") => self.end.summary = Some(value.trim().to_owned()),
            _ => {}
        }
    }

    fn status_ends(&mut self, code: Option<i32>, now_ns: i64, ended: &mut dyn FnMut(&TestFacts)) {
        let status = std::mem::take(&mut self.status);
        if let Some(error) = &status.error {
            self.complain(error);
        }
        let (Some(class), Some(method)) = (status.class, status.test) else { return };
        let outcome = match code {
            Some(code::START) => {
                self.lose_running(now_ns);
                let test = TestFacts {
                    class,
                    method,
                    start_host_ns: now_ns,
                    end_host_ns: now_ns,
                    outcome: Outcome::Interrupted,
                    message: None,
                };
                self.running = self.add(test);
                return;
            }
            Some(code::PASSED) => Outcome::Passed,
            Some(code::ERROR | code::FAILURE) => Outcome::Failed,
            Some(code::IGNORED | code::ASSUMPTION) => Outcome::Skipped,
            // Something in between, or a number that nobody knows.
            _ => return,
        };
        let begun = self
            .running
            .and_then(|index| self.end.tests.get(index))
            .is_some_and(|test| test.class == class && test.method == method);
        let index = if begun {
            self.running.take()
        } else {
            self.lose_running(now_ns);
            // Ignored tests and those of a class that could not be set up end without having begun.
            self.add(TestFacts {
                class,
                method,
                start_host_ns: now_ns,
                end_host_ns: now_ns,
                outcome,
                message: None,
            })
        };
        let message = status.stack.filter(|stack| !stack.trim().is_empty());
        let message = message.and_then(|stack| self.afford(stack));
        if let Some(test) = index.and_then(|index| self.end.tests.get_mut(index)) {
            test.end_host_ns = now_ns;
            test.outcome = outcome;
            test.message = message;
            ended(test);
        }
    }

    /// A test that begins, and none that ends: the process died in it, or the output ends here.
    fn lose_running(&mut self, now_ns: i64) {
        let index = self.running.take();
        if let Some(test) = index.and_then(|index| self.end.tests.get_mut(index)) {
            test.end_host_ns = now_ns;
            test.outcome = Outcome::Interrupted;
            test.message = Some("its end was never reported".to_owned());
        }
    }

    fn add(&mut self, test: TestFacts) -> Option<usize> {
        if self.end.tests.len() >= MAX_TESTS {
            self.end.dropped_tests += 1;
            return None;
        }
        let text = test.class.len() + test.method.len();
        if self.text + text > MAX_TEXT {
            self.end.dropped_tests += 1;
            return None;
        }
        self.text += text;
        self.end.tests.push(test);
        Some(self.end.tests.len() - 1)
    }

    fn complain(&mut self, what: &str) {
        if self.end.complaints.len() < MAX_STRAY {
            self.end.complaints.push(what.trim().chars().take(2000).collect());
        }
    }

    fn afford(&mut self, text: String) -> Option<String> {
        if self.text + text.len() > MAX_TEXT {
            self.end.dropped_bytes += text.len() as u64;
            return None;
        }
        self.text += text.len();
        Some(text)
    }
}
