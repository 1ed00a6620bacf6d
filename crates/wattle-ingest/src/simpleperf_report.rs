//! What `simpleperf report-sample` makes of a recording: in protobuf (`--protobuf`, which Android Studio reads), or as text.
//!
//! `cmd_report_sample.proto` and `cmd_report_sample.cpp` of AOSP's `simpleperf`. The protobuf form is `SIMPLEPERF`, a version, and
//! records, each with its length before it, up to a length of 0; names of functions and threads stand at the end.
//!
//! # Quirks
//!
//! - No record says on which CPU a sample was taken, or which clock its time is of. simpleperf asks the kernel for the monotonic
//!   clock since Android 8; before, and on kernels before 4.1, it was the scheduler's.
//! - Samples of `sched:sched_switch` stand where a thread left its CPU (`--trace-offcpu`); what they count is switches.
//! - Unwinding results are there only for samples that failed (`--keep-failed-unwinding-result`).

mod draft;
mod proto;
mod read;
mod switches;
mod text;

pub(crate) use read::{SIGNATURE, looks_like_text, read};
