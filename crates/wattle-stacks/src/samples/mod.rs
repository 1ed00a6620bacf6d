//! Code shared by the readers of sampled stacks as texts and reports: Java's names of methods, starts of threads, the
//! clock of the samples, and the totals of samples without a time.

mod java_names;
mod sample_clock;
mod sample_sink;
mod stack_start;

pub(crate) use java_names::{java_method, java_name};
pub(crate) use sample_clock::{SampleClock, ToldClock};
pub(crate) use sample_sink::{Sample, SampleSink};
pub(crate) use stack_start::{DEEPEST, is_start};
