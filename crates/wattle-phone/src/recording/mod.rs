//! Recordings by `perfetto`: what is asked for, while they run, and the trace at their end.

mod ended;
mod metering;
mod replayed_trace;

pub(crate) use ended::{end, flush_all, record};
pub(crate) use metering::read_rails;
