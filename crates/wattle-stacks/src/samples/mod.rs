//! Code shared by the readers of sampled stacks as texts and reports: Java's names of methods, starts of threads, the
//! clock of the samples, and the totals of samples without a time.

mod clock;
mod java;
mod sink;
mod start;

pub(crate) use clock::{SampleClock, ToldClock};
pub(crate) use java::{java_method, java_name};
pub(crate) use sink::{Sample, SampleSink};
pub(crate) use start::{DEEPEST, is_start};
