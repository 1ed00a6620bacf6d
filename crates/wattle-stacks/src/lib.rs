//! Importers of sampled stacks and of method traces.
//!
//! | module | reads |
//! |---|---|
//! | `perf_data` | files of `perf record` and simpleperf |
//! | `perf_script` | text of `perf script` |
//! | `simpleperf_report` | reports of simpleperf, in protobuf or as text |
//! | `folded` | collapsed stacks |
//! | `art_trace` | method traces of the Android runtime |
//!
//! Code shared by the readers of sampled stacks as texts and reports is in `samples`.

pub mod art_events;
mod art_trace;
mod folded;
pub mod limits;
mod perf_data;
pub mod perf_file;
mod perf_script;
mod samples;
mod simpleperf_report;

pub use art_trace::ART_TRACE;
pub use folded::FOLDED;
pub use perf_data::PERF_DATA;
pub use perf_script::PERF_SCRIPT;
pub use simpleperf_report::{SIMPLEPERF_PROTO, SIMPLEPERF_TEXT};
