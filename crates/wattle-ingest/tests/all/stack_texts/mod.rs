//! Sampled stacks as texts and reports: `perf script`, collapsed stacks, `simpleperf report-sample`.

#![expect(clippy::unwrap_used, reason = "a helper of a test fails the test by a panic")]

mod damage;
mod perf_script;
mod simpleperf_report;

use crate::stack_texts_reader;
use crate::timeline;
