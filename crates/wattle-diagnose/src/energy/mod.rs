//! Energy of threads in stretches of time.

mod cumulative;
mod energies;
mod idle_power;
mod ledger_threads;

pub(crate) use energies::{Energies, Share};
pub(crate) use idle_power::IdlePower;
