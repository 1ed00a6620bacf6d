//! Recordings by `perfetto`: what is asked for, while they run, and the trace at their end.

mod ended;
mod meter_replay;
mod replayed_trace;

pub(crate) use ended::{end, flush_all, record};
pub(crate) use meter_replay::read_rails;
