//! What all readers of sampled stacks share: whose code a mapping is, what Java calls its methods, which clock the samples are
//! in, and where samples go that have no time.

mod clock;
mod java;
mod kind;
mod sink;
mod start;

pub(crate) use clock::{SampleClock, ToldClock};
pub(crate) use java::{java_method, java_name};
pub(crate) use kind::kind_of;
pub(crate) use sink::{Sample, SampleSink};
pub(crate) use start::{DEEPEST, is_start};
