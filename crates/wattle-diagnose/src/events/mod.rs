//! Activity of threads, as events with a time and a weight.
//!
//! An event of a thread is a stretch of it on a CPU, which weighs as much as it lasts, or a disk operation that it began, which
//! weighs nothing by itself. Where the schedule was made from samples, a stretch is what a sample stands for.

mod collect;
mod cpu_time;
mod thread_events;

pub(crate) use collect::{Collected, collect};
pub(crate) use cpu_time::CpuTime;
pub(crate) use thread_events::{Run, ThreadEvents, count_within};
