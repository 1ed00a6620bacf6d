//! Sampled stacks as texts and reports: `perf script`, collapsed stacks, `simpleperf report-sample`.

#![expect(clippy::unwrap_used, reason = "a helper of a test fails the test by a panic")]

#[path = "stack_texts/damage.rs"]
mod damage;
#[path = "stack_texts/perf_script.rs"]
mod perf_script;
#[path = "stack_texts/simpleperf_report.rs"]
mod simpleperf_report;

#[path = "../../../fuzz/bodies/stack_texts_reader.rs"]
mod stack_texts_reader;
#[path = "../../../fuzz/bodies/timeline.rs"]
mod timeline;
