//! The energy of single calls, and the tests in which they ran: neither follows from sums by call path.

mod call_samples;
mod call_visitor;
mod test_methods;
mod thread_meter;
mod thread_power;
mod thread_tracks;

pub(crate) use call_samples::{CallSamples, CallSource};
pub(crate) use test_methods::test_methods;
pub(crate) use thread_power::ThreadPower;
pub(crate) use thread_tracks::ThreadTracks;
