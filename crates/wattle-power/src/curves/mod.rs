//! CPU power from curves: the state → milliwatt model of Perfetto's Wattson, for any number of CPUs and
//! policies.
//!
//! The state of a CPU is its clock, its idle column and whether it is online. One sweep merges the
//! changes of all CPUs, of the DSU's clock, of L3 counters and of suspend in order of time; only what a
//! change touches is looked up again, and every distinct lookup is made once.
//!
//! # Quirks kept from Wattson
//! - A policy whose curve depends on another cluster takes the clock of the active core (idle state −1)
//!   with the highest power, or clock ([`crate::VoteBy`]); the first CPU wins a tie; without a voter the
//!   lowest clock of the table holds.
//! - Shared power of a policy is that of its first CPU's row, once, while any of its CPUs is online and not
//!   in the deepest idle state.
//! - L3 power is `(hits·l3_hit + misses·l3_miss)·1000 / ns` mW with counts cut to whole numbers in each
//!   stretch of constant state.
//! - An exit from idle state 1 begins earlier than it is logged, by a time of the CPU's, at most at the
//!   event before.
//! - Suspended means no power at all.
//!
//! # Counting as Wattson does
//! Two more quirks are kept only where figures are to be compared with Wattson's (`--model curves`), because they
//! leave energy out: before its first idle event a CPU counts as deeply idle, even where that event says that it
//! had been executing until then; and while the recorder starts (the first 10 ms), a CPU counts from its first
//! frequency event on. Otherwise a CPU that enters an idle state was executing before, and the first frequency is
//! carried back.

mod any_core;
mod change_merge;
mod cpu_activity;
mod curve_error_sources;
mod dsu_guess;
mod l3;
mod live;
mod mean_activity;
mod prepared;
mod scope_energy;
mod sweep;
mod warmth;

pub(crate) use any_core::any_core;
pub(crate) use mean_activity::mean_activity;
pub(crate) use sweep::{Curves, energies, estimate};
