//! The counts of a counter of the whole device, given to the calls that can have caused it, in the two ways of Hitani et al.:
//! shared by time (section 4.3, equation 2), and by the bytes that hooks saw each call move (section 4.4).
//!
//! A counter (`net.wlan0.rx_bytes`) is polled; between two polls it rose by some amount, and some low-level calls
//! (reads and writes of sockets and files) were running. Each gets the part of the increment that its running time has
//! of all running times in that interval. The paper leaves open what running time is where calls reach past the
//! interval, nest, or run on several threads; here it is the time for which a call was the innermost
//! low-level call of its thread, inside the interval, over all threads, so that nothing is shared twice. What rose while
//! nobody called is unattributed, never lost.
//!
//! Hooks know exactly who moved what, but less than the interface does: no headers, nothing that happens below them. The paper
//! leaves the choice to whom it matters; [`Comparison`] has both errors.

mod allocate;
mod allocation_comparison;
mod allocation_options;
mod by_bytes;
mod call_amount;
mod direction;
mod error_index;
mod innermost_calls;
mod pattern;

pub use allocate::allocate;
pub use allocation_comparison::Comparison;
pub use allocation_options::AllocationOptions;
pub use by_bytes::by_bytes;
pub use call_amount::{Allocation, CallAmount, CallPath};
pub use direction::Direction;
pub use error_index::{allocation_error, total_error};
pub use pattern::NamePattern;

pub(crate) use innermost_calls::Calls;
