//! Recordings by `perfetto`: what is asked for, while they run, and the trace at their end.

mod ended;
mod replayed_trace;

pub(crate) use ended::{end, flush_all, record};
pub(crate) use replayed_trace::replay_of;
