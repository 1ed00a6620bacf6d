//! What single calls drew, and in which tests they ran: what sums by call path cannot tell.

mod meter;
mod nesting;
mod power;
mod samples;
mod test_methods;
mod tracks;

pub(crate) use power::{PowerPieces, ThreadPower};
pub(crate) use samples::CallSamples;
pub(crate) use test_methods::test_methods;
pub(crate) use tracks::{ThreadTracks, threads_of_interest};
