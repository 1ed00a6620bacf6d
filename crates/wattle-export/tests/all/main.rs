//! Exports: their sums, and what the programs that they are for make of them.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on has failed")]

mod ledgers;
mod readers;
mod real_tools;
mod sums;
