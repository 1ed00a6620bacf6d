//! What a counter of the whole device counted, shared among the calls that can have caused it (after Hitani et al.,
//! section 4.3, equation 2).
//!
//! A counter (`net.wlan0.rx_bytes`) is polled; between two polls it rose by some amount, and some low-level calls
//! (reads and writes of sockets and files) were running. Each gets the part of the increment that its running time has
//! of all running times in that interval. The paper leaves open what running time is where calls reach past the
//! interval, nest, or run on several threads; here it is the time for which a call was the innermost
//! low-level call of its thread, inside the interval, over all threads, so that nothing is shared twice. What rose while
//! nobody called is unattributed, never lost.

mod allocate;
mod amount;
mod calls;
mod error_index;
mod options;
mod pattern;

pub use allocate::allocate;
pub use amount::{Allocation, CallAmount, CallPath};
pub use error_index::{allocation_error, total_error};
pub use options::AllocationOptions;
pub use pattern::NamePattern;

pub(crate) use calls::Calls;
