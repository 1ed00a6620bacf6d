//! Attribution policies and the ledger: every joule of every power track booked to exactly one account.
//!
//! A [`Ledger`] is made from a timeline and its power estimate, holds no reference to either, and has a
//! documented file format. It closes: for every component the sum over its accounts equals the integral
//! of its power tracks, computed independently, to 1e-9 relative.

mod account;
pub mod allocation;
mod api_set;
mod api_sheet;
mod attribute;
mod booker;
mod booking;
mod burden;
mod call_stats;
mod call_tree;
mod check;
mod check_code;
mod check_samples;
mod closure;
mod device_users;
mod entry;
mod error;
mod file;
mod frame_entry;
mod interrupts;
mod ledger;
mod lines;
mod occupancy;
mod on_cpu;
mod options;
mod owners;
mod path_energies;
mod path_stretches;
mod payer;
mod probe_overhead;
mod recorder;
mod rows;
mod runtime_tax;
mod sample_tree;
mod sampling;
mod series;
mod sharing;
mod single_calls;
mod site_entry;
mod sites;
mod slice_rows;
mod spans;
mod stretch;
mod test_entry;
mod together;
mod transfer_entry;
mod unmetered;
mod upper_bound;
mod view;
mod walk;

pub use account::{Account, AccountId, Charge};
pub use api_set::{API_SETS_FORMAT, ApiSet, ApiSets, ApiUse};
pub use api_sheet::{ApiCostEntry, ApiEntry, ApiSheet, ApiTableEntry};
pub use attribute::attribute;
pub use booking::{Booking, ComponentId};
pub use call_stats::{CallQuantiles, CallStats};
pub use entry::{
    ArtifactEntry, Closure, ComponentEntry, CpuEntry, PackageEntry, PathEntry, PathId,
    ProcessEntry, ThreadEntry,
};
pub use error::LedgerError;
pub use frame_entry::{FrameClass, FrameEntry};
pub use ledger::{Ledger, SCHEMA};
pub use options::{AttributionOptions, Prefer, SharedPolicy, Stacks, Unfinished};
pub use path_energies::PathEnergies;
pub use probe_overhead::{ProbeCostEntry, ProbeOverhead};
pub use recorder::recorder_processes;
pub use runtime_tax::{RuntimeClass, RuntimeEvidence, RuntimeRule, RuntimeRuleKind, RuntimeTax};
pub use sampling::Sampling;
pub use series::{PowerBins, PowerSeries};
pub use site_entry::{CoverageEntry, InlinedEntry, SiteEntry, TestMethodEntry};
pub use stretch::Stretch;
pub use test_entry::{TestBooking, TestEntry};
pub use transfer_entry::TransferEntry;
pub use upper_bound::{BoundCall, BoundGroup, BoundTest, LegacyFigure, UpperBound, UpperBounds};
