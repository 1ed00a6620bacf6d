//! What readers of sampled stacks as texts and reports share: what Java calls its methods, where threads begin, which clock the
//! samples are in, and where samples go that have no time.

mod clock;
mod java;
mod sink;
mod start;

pub(crate) use clock::{SampleClock, ToldClock};
pub(crate) use java::{java_method, java_name};
pub(crate) use sink::{Sample, SampleSink};
pub(crate) use start::{DEEPEST, is_start};
