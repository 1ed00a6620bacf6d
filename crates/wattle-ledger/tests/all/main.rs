//! Ledgers of recordings whose energy is known.

#![expect(clippy::expect_used, clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod common;

mod allocation;
mod allocation_by_bytes;
mod api_sheet;
mod device_users;
mod ledger_files;
mod named_spans;
mod probes;
mod properties;
mod rules;
mod runtime_tax;
mod samples;
mod schema;
mod single_calls;
mod sites;
mod test_runs;
mod upper_bounds;
mod virtual_cpus;
mod waits;
mod wattson;
