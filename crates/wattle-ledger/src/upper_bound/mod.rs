//! The most that calls can have cost, where nobody knows who was on which CPU (DESIGN, rule 3).
//!
//! `time_in_state` counts how long each core's clock stood at each step, in wall time: idling counts as work does, and one clock
//! stands for a whole cluster. With a current for each step, what the counters rose by during a call is what all cores together
//! would have drawn had they executed all the time: no call can have cost more, and nearly all cost much less. The figures stand
//! beside the ledger and are never booked.
//!
//! Calls of several threads overlap, so their bounds must not be added: each is charged the whole machine. A test's bound is
//! that of the time in which any of its calls ran.

mod bound;
mod bound_reach;
mod bound_rows;
mod clocked_cpu_time;
mod legacy;
mod make;

pub use bound::UpperBound;
pub use bound_rows::{BoundCall, BoundGroup, BoundTest, LegacyFigure, UpperBounds};
